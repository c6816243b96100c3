package wire_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/internal/event"
	"parley/internal/event/eventtest"
	"parley/internal/transport"
	"parley/internal/transport/unix"
	"parley/internal/wire"
	"parley/internal/wire/native"
	"parley/internal/wire/nous"
	"parley/internal/wire/wiretest"
)

// deltas is a run whose answer comes in n pieces.
func deltas(n int) []event.Event {
	log := eventtest.Run()
	var out []event.Event
	seq := event.Seq(0)
	add := func(e event.Event) {
		seq++
		e.Seq = seq
		out = append(out, e)
	}
	for _, e := range log {
		b, grew := e.Body.(event.BlockDelta)
		if end, ok := e.Body.(event.BlockEnded); ok && end.Block == "r1.t1.s2.b1" {
			end.Text = strings.Repeat("word ", n)
			e.Body = end
		}
		if !grew || b.Block != "r1.t1.s2.b1" {
			add(e)
			continue
		}
		for i := range n {
			e.Body = event.BlockDelta{Block: b.Block, Offset: 5 * i, Text: "word "}
			add(e)
		}
	}
	return out
}

// place is a short folder: a socket's path is limited.
func place(b *testing.B) string {
	dir, err := os.MkdirTemp("", "b")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// A run of 20,000 deltas over real sockets to 1 and to 10 clients; ns/op is one
// run to all of them.
func BenchmarkFanOut(b *testing.B) {
	log := deltas(20000)
	for _, d := range []*wire.Dialect{&native.Dialect, &nous.Events} {
		for _, clients := range []int{1, 10} {
			b.Run(fmt.Sprintf("%s/%d", d.Name, clients), func(b *testing.B) {
				for b.Loop() {
					fanOut(b, d, clients, log)
				}
			})
		}
	}
}

func fanOut(b *testing.B, d *wire.Dialect, clients int, log []event.Event) {
	b.StopTimer()
	h := new(wiretest.Host)
	h.Append(log[0])
	path := filepath.Join(place(b), "s", "sock")
	l, err := unix.Listen(path, transport.Lines{})
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	defer l.Close()
	cache, ended, done := new(wire.Cache), make(chan struct{}), make(chan error, clients)
	for range clients {
		c, err := net.Dial("unix", path)
		if err != nil {
			b.Fatal(err)
		}
		defer c.Close()
		conn, err := l.Accept(ctx)
		if err != nil {
			b.Fatal(err)
		}
		p := &wire.Pump{Dialect: d, Host: h, Client: "c1", Conn: conn, Cache: cache, Log: slog.New(slog.DiscardHandler)}
		go func() { _ = p.Run(ctx); ended <- struct{}{} }()
		if d == &native.Dialect {
			fmt.Fprintf(c, hello+"\n"+`{"type":"attach","id":"1","session":"%s","data":{"since":0}}`+"\n", eventtest.Session)
		}
		go func() { done <- readAll(c) }()
	}
	h.List(eventtest.Session, event.SessionListed{State: event.ActivityRunning, Head: 1})
	b.StartTimer()
	for _, e := range log[1:] {
		h.Append(e)
	}
	for range clients {
		if err := <-done; err != nil {
			b.Fatal(err)
		}
	}
	b.StopTimer()
	cancel()
	for range clients {
		<-ended
	}
	b.StartTimer()
}

// readAll reads to the end of the run.
func readAll(c io.Reader) error {
	r := bufio.NewReaderSize(c, 1<<20)
	for {
		l, err := r.ReadSlice('\n')
		if err != nil {
			return err
		}
		if head := l[:min(len(l), 250)]; bytes.Contains(head, []byte(`"run.ended"`)) || bytes.Contains(head, []byte(`"agent_end"`)) {
			return nil
		}
	}
}

// The round trip of a command that the dialect answers by itself, over a real
// socket.
func BenchmarkPing(b *testing.B) {
	path := filepath.Join(place(b), "s", "sock")
	l, err := unix.Listen(path, transport.Lines{})
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	c, err := net.Dial("unix", path)
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	conn, err := l.Accept(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		_ = (&wire.Pump{Dialect: &nous.Commands, Host: new(wiretest.Host), Client: "c1", Conn: conn}).Run(ctx)
	}()
	r := bufio.NewReader(c)
	for b.Loop() {
		fmt.Fprintln(c, `{"v":"1","id":"1","type":"ping","payload":{}}`)
		if _, err := r.ReadSlice('\n'); err != nil {
			b.Fatal(err)
		}
	}
}

// Reading a line as a client does.
func BenchmarkParse(b *testing.B) {
	log := deltas(2)
	i := slices.IndexFunc(log, func(e event.Event) bool { return e.Kind() == "block.grew" })
	line, err := log[i].AppendJSON(nil)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := native.Parse(line); err != nil {
			b.Fatal(err)
		}
	}
}
