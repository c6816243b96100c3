package main

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/alecthomas/chroma/v2"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"

	"parley/internal/cell"
	"parley/internal/display/plain"
	"parley/internal/event"
	"parley/internal/transcript"
)

// document is markdown as models write it, n bytes or a little more: prose most
// of all, with lists, a table and a fence in each part.
func document(n int, language string) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, "## Part %d: the handler\n\nThe handler is in `auth/handler_%d.go`, and **two** places call it: the router and\nthe *test server*. See [the docs](https://docs.example/auth/%d).\n\n", i, i, i)
		fmt.Fprintf(&b, "%s\n\n- look for a logger in the package\n- add the field, *with* a test:\n  1. a table of requests\n  2. the lines that they log\n\n", fill(400, false))
		fmt.Fprintf(&b, "| file | lines |\n|:-----|------:|\n| handler.go | %d |\n| handler_test.go | 12 |\n\n", i)
		fmt.Fprintf(&b, "```%s\n%s```\n\n", language, code(i))
	}
	return b.String()
}

func code(i int) string {
	return fmt.Sprintf("func (h *Handler) Login%d(w http.ResponseWriter, r *http.Request) {\n\tuser := r.FormValue(\"user\")\n\th.log.Info(\"login\", \"user\", user)\n}\n", i)
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
		add(event.BlockDelta{Block: "b1", Offset: i, Text: text[i:min(i+piece, len(text))]})
	}
	add(event.BlockEnded{Block: "b1", Role: event.RoleText, Text: text})
	add(event.RunEnded{Reason: event.ReasonDone})
	return log
}

// reference knows what line mode knows: tables too.
var reference = goldmark.New(goldmark.WithExtensions(extension.GFM))

// markdowns show a long answer in line mode. Processor time counts, the
// collector's included: the renderer is one of several things that a machine does.
func markdowns(b *bench) error {
	type way struct {
		name    string
		options plain.Options
		text    func(n int) string
	}
	coded := func(n int) string { return document(n, "go") }
	plainly := func(n int) string { return document(n, "") }
	endless := func(n int) string { return strings.ReplaceAll(fill(n, false), "\n", " ") }
	width := func() int { return 80 }
	ways := []way{
		{"a pipe", plain.Options{}, coded},
		{"a terminal, plain code", plain.Options{Profile: cell.Color16, Width: width, Terminal: true}, plainly},
		{"a terminal, code in colours", plain.Options{Profile: cell.Color16, Width: width, Terminal: true}, coded},
		{"a terminal, one endless line", plain.Options{Profile: cell.Color16, Width: width, Terminal: true}, endless},
	}
	lexer, err := chroma.NewXMLLexer(os.DirFS("internal/markdown/lexer"), "go.xml")
	if err != nil {
		return err
	}
	const whole, part = 1 << 20, 1 << 18
	var got, less [4]sample
	var once, onceLess, coloured sample
	for range 9 {
		for i, w := range ways {
			for _, c := range []struct {
				n int
				s *sample
			}{{whole, &got[i]}, {part, &less[i]}} {
				log := written(w.text(c.n))
				if err := c.s.processor(func() error { return show(log, w.options) }); err != nil {
					return err
				}
			}
		}
		for n, s := range map[int]*sample{whole: &once, part: &onceLess} {
			text := []byte(document(n, "go"))
			if err := s.processor(func() error { return reference.Convert(text, io.Discard) }); err != nil {
				return err
			}
		}
		text := document(whole, "go")
		err := coloured.processor(func() error {
			for i := range strings.Count(text, "```go\n") {
				if _, err := chroma.Tokenise(lexer, nil, code(i)); err != nil {
					return err
				}
			}
			return reference.Convert([]byte(text), io.Discard)
		})
		if err != nil {
			return err
		}
	}
	for i, w := range ways {
		f := figure{what: "1 MB to " + w.name, got: got[i], ref: "1 MB through goldmark (GFM) once", was: once}
		if i == 2 {
			f.ref, f.was = "goldmark, and its code through chroma once", coloured
		}
		f.bound = within(f.got.times(f.was), 3)
		b.table.row(f)
	}
	for i, w := range ways {
		grows := got[i].times(less[i])
		b.table.row(figure{what: "  four times as long, to " + w.name, got: one(number, grows), ref: "goldmark", was: one(number, once.times(onceLess)), bound: bound{"linear: 4, ≤ 6", grows <= 6}})
	}
	return nil
}

func show(log []event.Event, o plain.Options) error {
	r, s := plain.New(io.Discard, o), transcript.New()
	for _, e := range log {
		if err := r.Apply(s, e); err != nil {
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
