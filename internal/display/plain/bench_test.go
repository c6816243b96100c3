package plain_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/yuin/goldmark"

	"parley/internal/cell"
	"parley/internal/display/plain"
	"parley/internal/event"
	"parley/internal/transcript"
)

// deltas is a run whose reply comes in pieces of the given size.
func deltas(text string, size int) []event.Event {
	at := event.Event{Session: "sess-1", Run: "r1", Turn: "r1.t1", Step: "r1.t1.s1", Response: "r1.t1.s1.m"}
	var log []event.Event
	add := func(b event.Body) {
		e := at
		e.Seq, e.Body = event.Seq(len(log)+1), b
		log = append(log, e)
	}
	add(event.RunStarted{Number: 1})
	add(event.BlockStarted{Block: "b1", Role: event.RoleText})
	for i := 0; i < len(text); i += size {
		add(event.BlockDelta{Block: "b1", Offset: i, Text: text[i:min(i+size, len(text))]})
	}
	add(event.BlockEnded{Block: "b1", Role: event.RoleText, Text: text})
	add(event.RunEnded{Reason: event.ReasonDone})
	return log
}

// document is markdown of every kind, n bytes or a little more.
func document(n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, "## Part %d\n\nSome **bold** words, `code` and [a link](https://example.org/%d).\nThe paragraph goes on for another line of prose.\n\n- one\n- two, *slanted*\n- three\n\n```go\nfunc main() {\n\tprintln(%d)\n}\n```\n\n| a | b |\n|---|---|\n| %d | y |\n\n", i, i, i, i)
	}
	return b.String()
}

func benchmarkLog(b *testing.B, log []event.Event, o plain.Options) {
	b.Helper()
	for b.Loop() {
		r, s := plain.New(io.Discard, o), transcript.New()
		for _, e := range log {
			if err := r.Apply(s, e); err != nil {
				b.Fatal(err)
			}
		}
		if err := r.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// 20,000 pieces of prose, the whole cost of showing them.
func BenchmarkDeltas(b *testing.B) {
	text := strings.Repeat("word after word, ", 20000/4)
	text = strings.ReplaceAll(text, "word, ", "word.\n")
	log := deltas(text[:80000], 4)
	b.ReportMetric(float64(len(log)), "events")
	benchmarkLog(b, log, plain.Options{})
}

// A document of 1 MB in pieces of 20 bytes; beside it what goldmark alone takes
// to read the same once.
func BenchmarkMarkdown(b *testing.B) {
	for _, size := range []int{1 << 18, 1 << 20} {
		text := document(size)
		b.Run(fmt.Sprintf("goldmark/%dk", size>>10), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if err := goldmark.Convert([]byte(text), io.Discard); err != nil {
					b.Fatal(err)
				}
			}
		})
		for _, o := range []struct {
			name    string
			options plain.Options
		}{{"pipe", plain.Options{}}, {"terminal", plain.Options{Profile: cell.Color16, Width: columns(80), Terminal: true}}} {
			log := deltas(text, 20)
			b.Run(fmt.Sprintf("%s/%dk", o.name, size>>10), func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				benchmarkLog(b, log, o.options)
			})
		}
	}
	oneLine := strings.Repeat("a very long line without an end ", 1<<20/32)
	log := deltas(oneLine, 3)
	b.Run("one line/1024k", func(b *testing.B) {
		b.SetBytes(int64(len(oneLine)))
		benchmarkLog(b, log, plain.Options{Width: columns(80)})
	})
}
