package main

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"time"

	"github.com/yuin/goldmark"

	"parley/internal/cell"
	"parley/internal/display/plain"
	"parley/internal/event"
)

// document is markdown as models write it, n bytes or a little more: prose most
// of all, with lists, a table and a fence in each part.
func document(n int, language string) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, "## Part %d: the handler\n\nThe handler is in `auth/handler_%d.go`, and **two** places call it: the router and\nthe *test server*. See [the docs](https://docs.example/auth/%d).\n\n", i, i, i)
		fmt.Fprintf(&b, "%s\n\n- look for a logger in the package\n- add the field, *with* a test:\n  1. a table of requests\n  2. the lines that they log\n\n", fill(400, false))
		fmt.Fprintf(&b, "| file | lines |\n|:-----|------:|\n| handler.go | %d |\n| handler_test.go | 12 |\n\n", i)
		fmt.Fprintf(&b, "```%s\nfunc (h *Handler) Login%d(w http.ResponseWriter, r *http.Request) {\n\tuser := r.FormValue(\"user\")\n\th.log.Info(\"login\", \"user\", user)\n}\n```\n\n", language, i)
	}
	return b.String()
}

// piece is about what a model sends at once, in bytes.
const piece = 20

// written is the log of a run that answers with a text in pieces.
func written(text string) []event.Event {
	at := event.Event{Session: smallSession, Run: "r1", Turn: "r1.t1", Step: "r1.t1.s1", Response: "r1.t1.s1.m"}
	var log []event.Event
	add := func(body event.Body) {
		e := at
		e.Seq, e.Body = event.Seq(len(log)+1), body
		log = append(log, e)
	}
	add(event.RunStarted{Number: 1})
	add(event.BlockStarted{Block: "b1", Role: event.RoleText})
	for i := 0; i < len(text); i += piece {
		add(event.BlockGrew{Block: "b1", Offset: i, Text: text[i:min(i+piece, len(text))]})
	}
	add(event.BlockEnded{Block: "b1", Role: event.RoleText, Text: text})
	add(event.RunEnded{Reason: event.ReasonDone})
	return log
}

// markdowns show a long answer in line mode. Processor time counts, the
// collector's included: the renderer is one of several things that a machine does.
func markdowns(b *bench) error {
	type way struct {
		name     string
		options  plain.Options
		language string
	}
	width := func() int { return 80 }
	ways := []way{
		{"a pipe", plain.Options{}, "go"},
		{"a terminal, code without a language", plain.Options{Profile: cell.Color16, Width: width, Terminal: true}, ""},
		{"a terminal, code in colours", plain.Options{Profile: cell.Color16, Width: width, Terminal: true}, "go"},
	}
	const whole, part = 1 << 20, 1 << 18
	var got, less [3]sample
	var once, onceLess sample
	for range 9 {
		for i, w := range ways {
			for _, c := range []struct {
				n int
				s *sample
			}{{whole, &got[i]}, {part, &less[i]}} {
				log := written(document(c.n, w.language))
				if err := c.s.processor(func() error { return show(log, w.options) }); err != nil {
					return err
				}
			}
		}
		for n, s := range map[int]*sample{whole: &once, part: &onceLess} {
			text := []byte(document(n, "go"))
			if err := s.processor(func() error { return goldmark.Convert(text, io.Discard) }); err != nil {
				return err
			}
		}
	}
	for i, w := range ways {
		b.table.row(figure{what: "1 MB to " + w.name, got: got[i], ref: "1 MB through goldmark once", was: once, bound: within(got[i].times(once), 3)})
	}
	for i, w := range ways {
		grows := got[i].times(less[i])
		b.table.row(figure{what: "  four times the length, to " + w.name, got: one(plainly, grows), ref: "goldmark", was: one(plainly, once.times(onceLess)), bound: bound{"linear: 4, ≤ 5", grows <= 5}})
	}
	return nil
}

func show(log []event.Event, o plain.Options) error {
	r := plain.New(io.Discard, o)
	for _, e := range log {
		if err := r.Apply(e); err != nil {
			return err
		}
	}
	return r.Close()
}

// processor adds the processor time of this process that f takes.
func (s *sample) processor(f func() error) error {
	runtime.GC()
	before := ownTime()
	err := f()
	s.took(max(ownTime()-before, time.Nanosecond))
	return err
}
