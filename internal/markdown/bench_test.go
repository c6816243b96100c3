package markdown

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"parley/internal/cell"
)

// corpus is about size bytes of what models write: prose, lists, tables and
// fences, whose first line names a language if lang is not empty.
func corpus(size int, lang string) string {
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, `## Step %d: the handler

The handler lives in `+"`auth/handler_%d.go`"+` and it is called by **two** places: the router and
the *test server*. See [the docs](https://docs.example/auth/%d) for what each of them expects, and
mind that neither may keep the request after it has answered.

- first, look for an existing logger in the package; there is one already
- then add the field, with a test:
  1. a table of requests
  2. the lines that they log
- last, run the tests

| file | lines | what changes |
|:-----|------:|--------------|
| handler.go | %d | logs the id of the user, not the name |
| handler_test.go | 12 | three new cases |

`+"```%s\nfunc (h *Handler) Login%d(w http.ResponseWriter, r *http.Request) {\n\tuser := r.FormValue(\"user\")\n\th.log.Info(\"login\", \"user\", user) // %d\n}\n```"+`

That is all; the rest stays as it is.

`, i, i, i, i, lang, i, i)
	}
	return b.String()
}

const delta = 24 // bytes, about what a model sends at once

func pieces(text string) []string {
	var out []string
	for len(text) > delta {
		out = append(out, text[:delta])
		text = text[delta:]
	}
	return append(out, text)
}

// BenchmarkStream is a megabyte of markdown written in deltas; compare
// goldmark, which has it whole and makes HTML of it.
func BenchmarkStream(b *testing.B) {
	text := corpus(1<<20, "")
	deltas := pieces(text)
	var buf []byte
	write := func(lines []cell.Line, p cell.Profile) {
		for _, l := range lines {
			buf = append(cell.Append(buf[:0], l, p), '\n')
			_, _ = io.Discard.Write(buf)
		}
	}
	run := func(name string, f func()) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				f()
			}
		})
	}
	run("goldmark", func() {
		if err := oracle.Convert([]byte(text), io.Discard); err != nil {
			b.Fatal(err)
		}
	})
	run("blocks80", func() {
		s := New(Options{})
		for _, d := range deltas {
			for _, blk := range s.Write(d) {
				write(blk.Lines(80), cell.Color16)
			}
		}
		for _, blk := range s.Close() {
			write(blk.Lines(80), cell.Color16)
		}
	})
}

// BenchmarkHighlight is what colours add: 64 KiB with a fence of Go in each
// part.
func BenchmarkHighlight(b *testing.B) {
	text := corpus(64<<10, "go")
	for _, on := range []bool{false, true} {
		b.Run(fmt.Sprint(on), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Render(text, 80, Options{Highlight: on})
			}
		})
	}
}

// BenchmarkTail is one frame of the open end, in the worst case.
func BenchmarkTail(b *testing.B) {
	for name, text := range map[string]string{
		"paragraph": "*" + strings.Repeat("some words of prose ", 40),
		"fence":     "```go\n" + strings.Repeat("\tx := f(y) // and so on\n", 2000),
		"item":      "- " + strings.Repeat("words and `code` and **more**\n  ", 900),
	} {
		b.Run(name, func(b *testing.B) {
			s := New(Options{})
			s.Write(text)
			b.ReportAllocs()
			for b.Loop() {
				s.fresh = false
				s.Tail().Lines(80)
			}
		})
	}
}
