package tui

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"parley/internal/event"
	"parley/internal/term"
)

// The bounds of the screen, measured on a pseudo-terminal with the program in a
// process of its own: go test -run '^$' -bench . -benchtime 1x ./internal/tui

// deltasVariable makes the test binary stream that many deltas at 500 a second.
const deltasVariable = "PARLEY_TUI_TEST_DELTAS"

// answer is the text that is streamed: what models write, 5.6 bytes a delta.
func answer(deltas int) string {
	var b strings.Builder
	for i := 1; b.Len() < deltas*56/10; i++ {
		fmt.Fprintf(&b, "## Section %d\n\nThe handler reads the form, checks the user and writes one line to the log; the old logger never had the field, so the test that reads it fails. This is paragraph %d of an answer that goes on for a while, in sentences of ordinary length.\n\n- the first thing to do is to look at `auth/handler.go`\n- the second is to run the tests again\n\n```go\nfunc main() {\n\tfmt.Println(%d)\n}\n```\n\n", i, i, i)
	}
	return b.String()[:deltas*56/10]
}

func streamOnStdout(n int) int {
	terminal, err := term.Open(os.Stdin, os.Stdout, os.Getenv)
	if err != nil {
		return 2
	}
	source := newSource()
	go func() {
		source.happen(begin("go")...)
		source.happen(event.BlockStarted{Block: "b", Role: event.RoleText})
		text := answer(n)
		tick := time.NewTicker(time.Second / 500)
		defer tick.Stop()
		for at := 0; at < len(text); {
			<-tick.C
			size := min(5+at%2, len(text)-at)
			source.happen(event.BlockDelta{Block: "b", Offset: at, Text: text[at : at+size]})
			at += size
		}
		source.happen(event.BlockEnded{Block: "b", Role: event.RoleText})
		source.happen(finish()...)
	}()
	if err := Run(context.Background(), Options{Source: source, Terminal: terminal}); err != nil {
		return 1
	}
	return 0
}

// child runs the test binary as the program on a pseudo-terminal, until the
// screen is idle after what it was told.
func child(b *testing.B, variable string, n int) (bytes int, usage *syscall.Rusage) {
	b.Helper()
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	c := exec.Command(self)
	c.Env = append(os.Environ(), fmt.Sprintf("%s=%d", variable, n), "TERM=xterm-256color")
	master, err := pty.StartWithSize(c, &pty.Winsize{Cols: 120, Rows: 40})
	if err != nil {
		b.Fatal(err)
	}
	defer master.Close()
	buffer := make([]byte, 1<<16)
	end, began := "", false
	for {
		k, err := master.Read(buffer)
		if err != nil {
			break
		}
		bytes += k
		end += string(buffer[:k])
		if strings.Contains(end, "\x1b[c") {
			master.WriteString("\x1b[?62c")
		}
		if !began && strings.Contains(end, "esc interrupt") {
			began, end = true, ""
		}
		if began && strings.Contains(end, "ask for anything") {
			master.WriteString("\x04")
			began = false
		}
		if len(end) > 4096 {
			end = end[len(end)-2048:]
		}
	}
	if err := c.Wait(); err != nil {
		b.Fatal(err)
	}
	return bytes, c.ProcessState.SysUsage().(*syscall.Rusage)
}

// 5,000 deltas at 500 a second: at most 0.5 CPU-seconds and three times the text
// on the wire.
func BenchmarkStream(b *testing.B) {
	const deltas = 5000
	for b.Loop() {
		bytes, u := child(b, deltasVariable, deltas)
		cpu := time.Duration(u.Utime.Nano() + u.Stime.Nano())
		b.ReportMetric(cpu.Seconds(), "cpu-s")
		b.ReportMetric(float64(bytes)/float64(len(answer(deltas))), "x-text")
		b.ReportMetric(float64(u.Maxrss)/1024, "MB-rss")
	}
}

// The first frame, with the composer in it, once the program runs.
func BenchmarkReady(b *testing.B) {
	for b.Loop() {
		r := newRig(b, 120, 40)
		r.untilText("ask for anything")
		b.StopTimer()
		r.close()
		b.StartTimer()
	}
}

// An idle screen writes nothing.
func BenchmarkIdle(b *testing.B) {
	for b.Loop() {
		r := newRig(b, 120, 40)
		r.untilText("ask for anything")
		time.Sleep(200 * time.Millisecond) // the negotiation ends
		r.mu.Lock()
		before := r.bytes
		r.mu.Unlock()
		time.Sleep(10 * time.Second)
		r.mu.Lock()
		b.ReportMetric(float64(r.bytes-before), "bytes")
		r.mu.Unlock()
		r.close()
	}
}

// Keys echo while an answer streams at 500 deltas a second.
func BenchmarkEcho(b *testing.B) {
	r := newRig(b, 120, 40)
	r.untilText("ask for anything")
	r.source.happen(begin("go")...)
	r.source.happen(event.BlockStarted{Block: "b", Role: event.RoleText})
	stop := make(chan struct{})
	go func() {
		text := answer(500 * 60)
		tick := time.NewTicker(time.Second / 500)
		defer tick.Stop()
		for at := 0; at < len(text); at += 5 {
			select {
			case <-tick.C:
			case <-stop:
				return
			}
			r.source.happen(event.BlockDelta{Block: "b", Offset: at, Text: text[at:min(at+5, len(text))]})
		}
	}()
	var took []time.Duration
	typed := ""
	for b.Loop() {
		time.Sleep(37 * time.Millisecond)
		typed += string(rune('a' + len(typed)%26))
		if len(typed) > 60 {
			r.press("\x15")
			typed = "a"
			r.until("empty composer", func(s string) bool { return !strings.Contains(s, "› abcdefgh") })
		}
		start := time.Now()
		r.press(typed[len(typed)-1:])
		r.until("echo", func(s string) bool { return strings.Contains(s, "› "+typed) })
		took = append(took, time.Since(start))
	}
	close(stop)
	if os.Getenv("ECHO") != "" {
		fmt.Println(took, "frames", r.screen.frames)
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
}

// A frame of a session of 100,000 lines costs no more than one of an empty one.
func BenchmarkFrame(b *testing.B) {
	for _, lines := range []int{0, 100_000} {
		b.Run(fmt.Sprint(lines), func(b *testing.B) {
			s := newHarness(b, 120, 40, term.ReflowLogical)
			s.quick = true
			s.happen(begin("go")...)
			s.happen(event.BlockStarted{Block: "b", Role: event.RoleText})
			at := 0
			for i := range lines {
				text := fmt.Sprintf("line %d of the answer\n\n", i)
				s.happen(event.BlockDelta{Block: "b", Offset: at, Text: text})
				at += len(text)
				if i%1000 == 0 {
					s.draw()
					s.screen = newEmulator(120, 40, term.ReflowLogical)
					s.screen.shown = false
				}
			}
			s.draw()
			b.ReportAllocs()
			for b.Loop() {
				s.happen(event.BlockDelta{Block: "b", Offset: at, Text: "word "})
				at += 5
				p := s.lay()
				Draw(s.shown, p)
				s.shown = p
				s.reduce(Drawn{p})
				if at%4000 < 5 {
					s.happen(event.BlockDelta{Block: "b", Offset: at, Text: "\n\n"})
					at += 2
				}
			}
		})
	}
}
