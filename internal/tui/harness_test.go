package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"parley/internal/cell"
	"parley/internal/event"
	"parley/internal/term"
)

// A harness is a model and an emulator behind it, driven step by step: what Run
// does, without its goroutines and its clock.
type harness struct {
	t       testing.TB
	model   Model
	screen  *emulator
	shown   Page
	before  RenderState
	seq     event.Seq
	now     time.Time
	intents []Intent
	commits []string // all lines committed, as text
	quick   bool     // no check of the invariants
}

const sessionID = event.SessionID("sess-01")

var noon = time.Date(2025, 6, 1, 12, 0, 0, 0, time.UTC)

func newHarness(t testing.TB, w, h int, reflow term.Reflow, shell ...string) *harness {
	s := &harness{t: t, screen: newEmulator(w, h, reflow), now: noon}
	for _, l := range shell {
		s.screen.Write([]byte(l + "\r\n"))
	}
	s.model = New(term.Size{Width: w, Height: h}, s.now)
	s.reduce(Typed{term.Capable{Abilities: term.Abilities{Reflow: reflow}}})
	s.before = s.model.RenderState()
	return s
}

// reduce takes an input and checks the invariants after it.
func (s *harness) reduce(in Input) {
	s.t.Helper()
	var intents []Intent
	s.model, intents = Reduce(s.model, in)
	s.intents = append(s.intents, intents...)
	s.check(in)
}

func (s *harness) check(in Input) {
	s.t.Helper()
	if s.quick {
		return
	}
	state := s.model.RenderState()
	if err := state.check(s.before); err != nil {
		s.t.Fatalf("after %T %+v: %v", in, in, err)
	}
	s.before = state
}

// happen lets an event of the main session happen.
func (s *harness) happen(bodies ...event.Body) {
	s.t.Helper()
	for _, b := range bodies {
		s.seq++
		e := s.model.state.Now(b)
		e.Seq, e.Time, e.Session = s.seq, s.now, sessionID
		s.reduce(Happened{e})
	}
}

// pass lets time pass.
func (s *harness) pass(d time.Duration) {
	s.t.Helper()
	s.now = s.now.Add(d)
	s.reduce(Ticked{s.now})
}

func (s *harness) press(names ...string) {
	s.t.Helper()
	for _, n := range names {
		k := term.Key{Name: n}
		if len([]rune(n)) == 1 {
			k.Text = n
		} else if n == "space" {
			k.Text = " "
		}
		s.reduce(Typed{k})
	}
}

func (s *harness) write(text string) {
	s.t.Helper()
	for _, r := range text {
		s.press(string(r))
	}
}

// lay lays a page out and says so to the model, before it is written.
func (s *harness) lay() Page {
	s.t.Helper()
	p := Layout(s.model)
	s.reduce(Laid{p})
	if n := len(p.Live); n > liveLimit(p.Height) {
		s.t.Fatalf("%d live rows on a screen of %d", n, p.Height)
	}
	for _, l := range p.Live {
		if w := l.Width(); w >= p.Width && p.Width > 1 {
			s.t.Fatalf("live row of %d columns on a screen of %d: %q", w, p.Width, l.Text())
		}
	}
	return p
}

// put writes the frame of a page.
func (s *harness) put(p Page) {
	s.t.Helper()
	ops := Draw(s.shown, p)
	s.screen.Write(term.Encode(nil, ops, cell.Color16|cell.Links))
	if len(s.screen.moved) > 0 {
		b := term.Encode(nil, ops, 0)
		s.t.Fatalf("frame %q: %v", b[:min(len(b), 400)], few(s.screen.moved))
	}
	for _, l := range p.Commit {
		s.commits = append(s.commits, l.Text())
	}
	s.shown = p
}

// took tells the model that a page was written, and writes the frame that
// follows a commit.
func (s *harness) took(p Page) {
	s.t.Helper()
	if len(p.Commit) > 0 {
		s.reduce(Committed{p.Upto})
		s.put(p.WithCursor())
	}
	s.reduce(Drawn{s.shown})
}

// draw is a whole frame.
func (s *harness) draw() Page {
	s.t.Helper()
	p := s.lay()
	s.put(p)
	s.took(p)
	if s.model.size == (term.Size{Width: s.screen.w, Height: s.screen.h}) {
		s.seen()
	}
	return p
}

// seen fails unless the screen shows the live rows of the last page.
func (s *harness) seen() {
	s.t.Helper()
	top := s.screen.y
	if s.shown.Caret.Visible {
		top -= s.shown.Caret.Row
	}
	rows := s.screen.screen()
	for i, l := range s.shown.Live {
		got, want := "(beyond the screen)", strings.TrimRight(l.Text(), " ")
		if at := top + i; at >= 0 && at < len(rows) {
			got = rows[at]
		}
		if got != want {
			s.t.Fatalf("live row %d of %d is %q, want %q", i, len(s.shown.Live), got, want)
		}
	}
}

// resize changes the terminal and tells the model.
func (s *harness) resize(w, h int) {
	s.t.Helper()
	s.screen.resize(w, h)
	s.reduce(Typed{term.Size{Width: w, Height: h}})
}

// leave takes the live rows away.
func (s *harness) leave() {
	s.screen.Write(term.Encode(nil, Erase(s.shown, s.model.size), 0))
	s.shown = Page{}
}

// faithful fails unless the terminal holds what the shell wrote and what was
// committed, line by line, and nothing else.
func (s *harness) faithful(shell ...string) {
	s.t.Helper()
	var got []string
	for _, l := range s.screen.logical() {
		if l = strings.TrimRight(l, " "); l != "" {
			got = append(got, l)
		}
	}
	var want []string
	for _, l := range append(append([]string(nil), shell...), s.commits...) {
		if l = strings.TrimRight(l, " "); l != "" {
			want = append(want, l)
		}
	}
	for i := range max(len(got), len(want)) {
		var g, w string
		if i < len(got) {
			g = got[i]
		}
		if i < len(want) {
			w = want[i]
		}
		if g != w {
			s.t.Fatalf("line %d of the terminal (%d lines, want %d)\n got  %q\n want %q\nscreen:\n%s", i, len(got), len(want), g, w, strings.Join(s.screen.screen(), "\n"))
		}
	}
}

// Bodies for scripts.
func said(text string) event.Body {
	return event.UserSaid{Entry: "e1", Text: text, Origin: event.LanePrompt}
}

func begin(prompt string) []event.Body {
	return []event.Body{event.RunStarted{Number: 1}, event.TurnStarted{Number: 1, Lane: event.LanePrompt}, said(prompt), event.StepStarted{Number: 1}, event.ResponseStarted{Provider: "script", Model: "m"}}
}

func finish() []event.Body {
	return []event.Body{event.ResponseEnded{Stop: event.StopDone}, event.StepEnded{Number: 1}, event.TurnEnded{Number: 1, Reason: event.ReasonDone}, event.RunEnded{Reason: event.ReasonDone}}
}

func asked(id event.AskID, call event.CallID) event.Body {
	return event.AskOpened{Ask: id, Kind: event.AskPermission, Call: call, Title: "Allow bash?", Text: "no rule covers it",
		Options: []event.Option{
			{Key: "y", Label: "allow once", Effect: event.EffectAllow, Scope: event.ScopeOnce},
			{Key: "a", Label: "allow for this session: bash(go test)", Effect: event.EffectAllow, Scope: event.ScopeSession, Rules: []string{"bash(go test)"}},
			{Key: "n", Label: "deny once", Effect: event.EffectDeny, Scope: event.ScopeOnce, Stop: true},
		}}
}

func marker(n int) string { return fmt.Sprintf("#%05d#", n) }

// few are the first of many, for an error.
func few(l []string) []string { return l[:min(len(l), 6)] }
