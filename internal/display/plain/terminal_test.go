package plain_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/display"
	"parley/internal/display/plain"
	"parley/internal/event"
	"parley/internal/transcript"
)

// screen is what is left on the lines of a terminal: it knows CR, LF and the
// erasing of a line's end.
func screen(out string) string {
	var lines []string
	line, at := []rune(nil), 0
	for out != "" {
		switch {
		case strings.HasPrefix(out, "\x1b[K"):
			line = line[:at]
			out = out[3:]
			continue
		case out[0] == '\r':
			at = 0
		case out[0] == '\n':
			lines = append(lines, string(line))
			line, at = nil, 0
		default:
			r := []rune(out)[0]
			line = append(line[:at], append([]rune{r}, line[min(at+1, len(line)):]...)...)
			at++
			out = out[len(string(r)):]
			continue
		}
		out = out[1:]
	}
	return strings.Join(append(lines, string(line)), "\n")
}

// The spinner says what is waited for and for how long, and leaves no trace: not
// on a terminal once it is gone, and in a pipe not at all.
func TestSpinner(t *testing.T) {
	for name, log := range load(t) {
		for _, terminal := range []bool{true, false} {
			o := plain.Options{Terminal: terminal, Width: columns(40)}
			_, want := show(t, log, o, false, 1)
			var out bytes.Buffer
			r, s := plain.New(&out, o), transcript.New()
			now := time.Unix(100, 0)
			drawn := false
			for _, e := range log {
				if err := errors.Join(r.Apply(s, e), r.Flush()); err != nil {
					t.Fatal(err)
				}
				for range 3 {
					now = now.Add(700 * time.Millisecond)
					if err := r.Tick(now); err != nil {
						t.Fatal(err)
					}
				}
				_, last, _ := strings.Cut(out.String()[strings.LastIndexByte(out.String(), '\n')+1:], "\r")
				drawn = drawn || strings.Contains(last, " (1s)")
			}
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
			if drawn != terminal {
				t.Errorf("%s: terminal %v, spinner %v", name, terminal, drawn)
			}
			got := out.String()
			if terminal {
				got = screen(got)
			}
			if got != want {
				t.Errorf("%s, terminal %v: %s", name, terminal, cmp.Diff(want, got))
			}
		}
	}
}

// A person is asked one thing at a time; a wrong answer is remarked on and the
// question stands again; what was typed is not overwritten.
func TestOneAskAtATime(t *testing.T) {
	var out bytes.Buffer
	r := plain.New(&out, plain.Options{Terminal: true})
	ask := func(id event.AskID, title string) display.OpenAsk {
		return display.OpenAsk{At: display.At{Session: "s"}, Ask: event.AskOpened{Ask: id, Title: title, Options: []event.Option{{Key: "y", Label: "yes"}, {Key: "n", Label: "no"}}}}
	}
	render := func(c display.RenderCommand) {
		t.Helper()
		if err := r.Render(c); err != nil {
			t.Fatal(err)
		}
	}
	render(ask("a1", "First?"))
	render(ask("a2", "Second?"))
	if _, a, _, ok := r.Asked(); !ok || a.Ask != "a1" {
		t.Errorf("%v is asked", a)
	}
	r.Typed()
	r.Remark("Type one of y, n and Enter.")
	render(display.CloseAsk{At: display.At{Session: "s"}, Closed: event.AskClosed{Ask: "a1", Outcome: event.OutcomeAllowed, Who: "web"}, Label: "yes"})
	if _, a, _, ok := r.Asked(); !ok || a.Ask != "a2" {
		t.Errorf("%v is asked", a)
	}
	r.Typed()
	render(display.CloseAsk{At: display.At{Session: "s"}, Closed: event.AskClosed{Ask: "a2", Outcome: event.OutcomeDenied, Who: "parley"}, Label: "no"})
	if _, _, _, ok := r.Asked(); ok {
		t.Error("something is asked")
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	want := `▲ First?
  y  yes
  n  no
  y/n?   Type one of y, n and Enter.
  y/n? allowed: yes (web)
▲ Second?
  y  yes
  n  no
  y/n?   denied: no (parley)
`
	if d := cmp.Diff(want, out.String()); d != "" {
		t.Error(d)
	}
}

// What a person is asked is written out, never cleaned: a hidden part of a call, of a reason or of a rule is there to be
// read, and two questions that differ do not look alike.
func TestHiddenPartsOfAnAskAreShown(t *testing.T) {
	const hidden = "echo hello \x1b]0;$(P)\x07 world"
	const shown = `echo hello \u001b]0;$(P)\u0007 world`
	var out bytes.Buffer
	r := plain.New(&out, plain.Options{Terminal: true, Width: columns(200)})
	ask := display.OpenAsk{At: display.At{Session: "s"}, Tool: "bash", Title: hidden, Ask: event.AskOpened{
		Ask: "a1", Call: "c1", Title: "title " + hidden, Text: "text " + hidden,
		Options:  []event.Option{{Key: "y", Label: "label " + hidden, Detail: "detail " + hidden, Rules: []string{"rule " + hidden}}},
		Warnings: []event.Warning{{Text: "warning " + hidden}},
	}}
	if err := errors.Join(r.Render(ask), r.Flush()); err != nil {
		t.Fatal(err)
	}
	for _, what := range []string{"title ", "text ", "label ", "detail ", "rule ", "warning ", `bash("`} {
		if !strings.Contains(out.String(), what+shown) {
			t.Errorf("%sis not written out in:\n%s", what, visible(out.String()))
		}
	}
	if strings.Contains(out.String(), "hello  world") {
		t.Errorf("something is left out of:\n%s", visible(out.String()))
	}
}
