package tui

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/term"
)

const editDiff = "--- a.go\n+++ a.go\n@@ -1,2 +1,2 @@\n-old line\n+new line\n kept\n"

func startEdit() []event.Body {
	return append(begin("edit it"), event.ResponseEnded{Stop: event.StopCalls, Calls: []event.CallID{"c1"}},
		event.CallStarted{Call: "c1", Name: "edit", Arguments: []byte(`{"path":"a.go"}`), Origin: event.CallerModel})
}

func previewed() event.Body {
	return event.PermissionPreviewed{Call: "c1", Tool: "edit", Diff: editDiff, File: "a.go", Language: "go"}
}

// A preview event gives a status header and the lines of the diff.
func TestPreviewShowsHeaderAndDiff(t *testing.T) {
	s := newHarness(t, 60, 24, term.ReflowLogical)
	s.happen(startEdit()...)
	s.draw()
	s.commits = nil
	s.happen(previewed())
	s.draw()
	want := []string{"", "  edit a.go  +1 −1", "  1 − old line", "  1 + new line", "  2   kept"}
	if d := cmp.Diff(want, s.commits); d != "" {
		t.Error(d)
	}
}

// A ready event gives one status summary, without the indent of a
// detail.
func TestReadyShowsOneSummary(t *testing.T) {
	s := newHarness(t, 60, 24, term.ReflowLogical)
	s.happen(startEdit()...)
	s.happen(previewed())
	s.draw()
	s.commits = nil
	s.happen(event.PermissionReady{Call: "c1", Tool: "edit"})
	p := s.draw()
	var rows []string
	for _, l := range p.Live {
		if strings.Contains(l.Text(), "ready") {
			rows = append(rows, l.Text())
		}
	}
	if len(rows) != 1 || strings.HasPrefix(rows[0], "  ") || !strings.Contains(rows[0], "edit is ready to be decided") {
		t.Errorf("status rows %q", rows)
	}
	if len(s.commits) > 0 {
		t.Errorf("the log grew by %q", s.commits)
	}
}

// The invariants hold when a confirm is enqueued, activated and
// closed; the harness asserts them after every input.
func TestInvariantsOfConfirm(t *testing.T) {
	for _, rows := range []int{0, 3, 40} { // with no, some and many new lines in the log
		s := newHarness(t, 60, 14, term.ReflowLogical, "$ parley")
		s.draw()
		s.happen(startEdit()...)
		for i := range rows {
			s.happen(event.NoteAdded{Level: event.LevelInfo, Text: marker(i)})
		}
		s.happen(previewed(), asked("a1", "c1"))
		confirm(t, s, ConfirmPending)
		s.draw()
		confirm(t, s, ConfirmPending)
		s.pass(quiet)
		confirm(t, s, ConfirmActive)
		s.draw()
		s.happen(event.AskClosed{Ask: "a1", Outcome: event.OutcomeAllowed, Method: event.MethodPerson, Key: "y"}, event.PermissionDecided{Call: "c1", Granted: true, Method: event.MethodPerson})
		confirm(t, s, ConfirmNone)
		s.draw()
		s.happen(event.CallEnded{Call: "c1", Name: "edit", Status: event.StatusSuccess})
		s.happen(finish()...)
		s.draw()
		s.draw()
		s.leave()
		s.faithful("$ parley")
	}
}

func confirm(t *testing.T, s *harness, want ConfirmPhase) {
	t.Helper()
	if got := s.model.RenderState().Confirm; got != want {
		t.Fatalf("confirm phase %v, want %v", got, want)
	}
}

// fields is where the renderer stands, as the tests compare it.
type fields struct {
	InsertedUntil, VisibleStart, VisibleEnd int
	Sync                                    SyncPhase
	Confirm                                 ConfirmPhase
	Cursor                                  CursorPhase
}

func (s *harness) fields() fields {
	r := s.model.RenderState()
	return fields{r.InsertedUntil, r.VisibleStart, r.VisibleEnd, r.Sync, r.Confirm, r.Cursor}
}

// The scenarios of the state machine, in one session, with all six fields
// at each step.
func TestStateMachineScenarios(t *testing.T) {
	s := newHarness(t, 60, 24, term.ReflowLogical, "$ parley")
	step := func(name string, want fields) {
		t.Helper()
		if d := cmp.Diff(want, s.fields()); d != "" {
			t.Fatalf("%s (-want +got)\n%s", name, d)
		}
	}

	// 1. Startup: the first frame allocates its rows; the last is the last of the
	// screen.
	step("before the first frame", fields{})
	s.draw()
	step("first frame", fields{})
	if last := s.screen.screen()[23]; strings.TrimSpace(last) != "parley" {
		t.Errorf("the last row of the screen is %q, want the status", last)
	}
	if row, _ := s.shown.cursor(); !s.screen.shown || s.screen.y != 22 || row != 0 {
		t.Errorf("cursor shown %v in row %d", s.screen.shown, s.screen.y)
	}

	// 2. Send input, append to the log, insert into the scrollback.
	s.write("hello")
	s.press("enter")
	s.happen(begin("hello")...)
	s.happen(event.BlockStarted{Block: "b1", Role: event.RoleText}, event.BlockDelta{Block: "b1", Text: "one\n\ntwo\n\nthree"})
	step("appended", fields{VisibleStart: 5, VisibleEnd: 7}) // prompt, blank, one, blank, two; then blank and three
	p := s.lay()
	step("being written", fields{VisibleStart: 5, VisibleEnd: 7, Sync: NeedsInsert, Cursor: HiddenDuringScrollbackInsert})
	s.put(p)
	if s.screen.shown {
		t.Error("the cursor shows after the lines were written")
	}
	s.reduce(Committed{p.Upto})
	step("inserted", fields{InsertedUntil: 5, VisibleStart: 5, VisibleEnd: 7, Sync: InsertedNeedsRedraw, Cursor: HiddenDuringScrollbackInsert})
	s.put(p.WithCursor())
	s.reduce(Drawn{s.shown})
	step("redrawn once", fields{InsertedUntil: 5, VisibleStart: 5, VisibleEnd: 7})
	if ops := Draw(s.shown, Layout(s.model)); len(ops) > 0 {
		t.Errorf("a second frame follows: %d ops", len(ops))
	}

	// 3. A preview arrives, and an ask.
	s.happen(event.BlockEnded{Block: "b1", Role: event.RoleText, Text: "one\n\ntwo\n\nthree"},
		event.ResponseEnded{Stop: event.StopCalls, Calls: []event.CallID{"c1"}},
		event.CallStarted{Call: "c1", Name: "edit", Arguments: []byte(`{"path":"a.go"}`), Origin: event.CallerModel}, previewed())
	step("previewed", fields{InsertedUntil: 5, VisibleStart: 12, VisibleEnd: 12}) // blank, three, blank, header, three lines of diff
	s.happen(asked("a1", "c1"))
	step("asked", fields{InsertedUntil: 5, VisibleStart: 12, VisibleEnd: 12, Confirm: ConfirmPending})
	p = s.lay()
	step("asked, being written", fields{InsertedUntil: 5, VisibleStart: 12, VisibleEnd: 12, Sync: NeedsInsert, Confirm: ConfirmPending, Cursor: HiddenDuringScrollbackInsert})
	s.put(p)
	s.reduce(Committed{p.Upto})
	step("asked, inserted", fields{InsertedUntil: 12, VisibleStart: 12, VisibleEnd: 12, Sync: InsertedNeedsRedraw, Confirm: ConfirmPending, Cursor: HiddenDuringScrollbackInsert})
	s.put(p.WithCursor())
	s.reduce(Drawn{s.shown})
	step("asked, drawn", fields{InsertedUntil: 12, VisibleStart: 12, VisibleEnd: 12, Confirm: ConfirmPending})

	// 4. Pending, then active.
	s.pass(quiet)
	step("active", fields{InsertedUntil: 12, VisibleStart: 12, VisibleEnd: 12, Confirm: ConfirmActive})
	s.draw()
	s.intents = nil
	s.press("y")
	if d := cmp.Diff([]Intent{Send{ID: "2", Body: command.Answer{Ask: "a1", Keys: []string{"y"}}}}, s.intents); d != "" {
		t.Error(d)
	}

	// 5. The ask closes, the call runs, and the next input begins.
	s.happen(event.AskAnswered{Ask: "a1", Keys: []string{"y"}}, event.AskClosed{Ask: "a1", Outcome: event.OutcomeAllowed, Method: event.MethodPerson, Key: "y"},
		event.PermissionDecided{Call: "c1", Granted: true, Method: event.MethodPerson})
	step("closed", fields{InsertedUntil: 12, VisibleStart: 12, VisibleEnd: 13}) // the row of the running call
	s.draw()
	s.happen(event.CallEnded{Call: "c1", Name: "edit", Status: event.StatusSuccess, DurationMS: 5})
	s.happen(finish()...)
	s.draw()
	step("over", fields{InsertedUntil: 13, VisibleStart: 13, VisibleEnd: 13})
	s.write("next")
	s.draw()
	step("next input", fields{InsertedUntil: 13, VisibleStart: 13, VisibleEnd: 13})
	s.leave()
	s.faithful("$ parley")
}

// The chain of row numbers holds at every width, and the boundary stays where it
// was in the source.
func TestBoundaryInSourceUnits(t *testing.T) {
	s := newHarness(t, 80, 24, term.ReflowLogical)
	s.happen(begin("go")...)
	s.happen(event.BlockStarted{Block: "b1", Role: event.RoleText}, event.BlockDelta{Block: "b1", Text: strings.Repeat("word ", 40) + "\n\nmore"})
	s.draw()
	before := s.model.RenderState()
	for _, w := range []int{20, 200, 33, 80} {
		s.resize(w, 24)
		got := s.model.RenderState()
		if got.Upto != before.Upto {
			t.Errorf("at %d columns the boundary is %v, was %v", w, got.Upto, before.Upto)
		}
		s.draw()
	}
	if got := s.model.RenderState(); got != before {
		t.Errorf("back at 80 columns %+v, was %+v", got, before)
	}
}

// Ctrl+L begins the count of rows anew and takes nothing away.
func TestClearTakesNothingAway(t *testing.T) {
	s := newHarness(t, 60, 24, term.ReflowLogical)
	s.draw()
	s.happen(begin("go")...)
	s.happen(event.NoteAdded{Level: event.LevelInfo, Text: "a note"})
	s.draw()
	s.reduce(Cleared{})
	if got := s.model.RenderState(); got.InsertedUntil != 0 {
		t.Errorf("%+v", got)
	}
	s.happen(event.NoteAdded{Level: event.LevelInfo, Text: "another"})
	s.draw()
	s.leave()
	s.faithful()
}

// What is typed before an ask can be read, or while more is being typed, goes into
// the draft and answers nothing; while there is a draft no key answers, but after
// tab and a rest.
func TestTypeAheadAnswersNothing(t *testing.T) {
	s := newHarness(t, 60, 24, term.ReflowLogical)
	s.draw()
	s.happen(startEdit()...)
	s.write("yes ple")
	s.happen(asked("a1", "c1"))
	s.intents = nil
	s.write("ya1")
	s.draw()
	s.pass(quiet / 2)
	s.write("y")
	s.reduce(Typed{term.Paste{Text: "n"}})
	s.pass(4 * quiet)
	confirm(t, s, ConfirmPending)
	s.write("y")
	if s.model.composer.text != "yes pleya1yny" {
		t.Errorf("the draft is %q", s.model.composer.text)
	}
	s.press("tab", "n")
	if len(s.intents) > 0 {
		t.Fatalf("type-ahead answered: %+v", s.intents)
	}
	s.press("tab")
	s.pass(quiet)
	confirm(t, s, ConfirmActive)
	s.press("y")
	if len(s.intents) != 1 {
		t.Fatalf("intents %+v", s.intents)
	}
	s.press("n", "y")
	if len(s.intents) != 1 {
		t.Errorf("answered more than once: %+v", s.intents)
	}
	if s.model.composer.text != "yes pleya1ynyn" {
		t.Errorf("the draft is %q", s.model.composer.text)
	}
}

// An ask that has keys gives those that it has no use for to the draft.
func TestTypingOverAnArmedAsk(t *testing.T) {
	s := newHarness(t, 60, 24, term.ReflowLogical)
	s.draw()
	s.happen(startEdit()...)
	s.happen(asked("a1", "c1"))
	s.draw()
	s.pass(quiet)
	confirm(t, s, ConfirmActive)
	s.intents = nil
	s.write("just say yes, any")
	if len(s.intents) > 0 || s.model.composer.text != "just say yes, any" {
		t.Errorf("sent %+v, the draft is %q", s.intents, s.model.composer.text)
	}
}

// Whoever types at 40 to 120 words a minute, any text, answers no ask, whenever it
// comes, and loses no letter of the draft.
func TestTypistAnswersNoAsk(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		letters := []rune(rapid.StringOfN(rapid.RuneFrom([]rune("ynaprud beq?123 -")), 1, 40, -1).Draw(rt, "text"))
		comes := rapid.IntRange(0, len(letters)-1).Draw(rt, "ask before")
		s := newHarness(t, 60, rapid.SampledFrom([]int{10, 24, 50}).Draw(rt, "height"), term.ReflowLogical)
		s.draw()
		s.happen(startEdit()...)
		s.draw()
		s.intents = nil
		for i, r := range letters {
			gap := time.Duration(rapid.IntRange(100, 400).Draw(rt, "gap")) * time.Millisecond
			before := time.Duration(0)
			if i == comes {
				before = time.Duration(rapid.IntRange(0, int(gap)).Draw(rt, "before"))
				s.pass(gap - before)
				s.happen(asked("a1", "c1"))
				if rapid.Bool().Draw(rt, "drawn") {
					s.draw()
				}
				gap = before
			}
			s.pass(gap)
			if rapid.Bool().Draw(rt, "frame") {
				s.draw()
			}
			name := string(r)
			if r == ' ' {
				name = "space"
			}
			s.press(name)
		}
		if len(s.intents) > 0 {
			rt.Fatalf("%q answered: %+v", string(letters), s.intents)
		}
		if s.model.composer.text != string(letters) {
			rt.Fatalf("the draft is %q, typed was %q", s.model.composer.text, string(letters))
		}
	})
}

// A command that was not on the screen whole is allowed by no key, however it is
// pushed out of sight; a change once, but not for longer. All of it in the pager
// makes them count.
func TestUnreadCallIsNotAllowed(t *testing.T) {
	long := strings.Repeat("echo 1\n", 60) + "touch PWN"
	blank := "echo 1" + strings.Repeat("\n", 60) + "touch PWN"
	wide := strings.Repeat("echo 12345678 ", 300) + "; touch PWN"
	for _, c := range []struct {
		name, command string
		height        int
		sent          int
	}{
		{"short", "touch A", 24, 1}, {"many lines", long, 24, 0}, {"blank lines", blank, 24, 0}, {"one long line", wide, 24, 0},
		{"twelve lines on a low screen", strings.Repeat("ls\n", 12), 12, 0}, {"twelve lines", strings.Repeat("ls\n", 12), 30, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newHarness(t, 60, c.height, term.ReflowLogical)
			s.draw()
			s.happen(begin("go")...)
			arguments, err := json.Marshal(map[string]string{"command": c.command})
			if err != nil {
				t.Fatal(err)
			}
			s.happen(event.CallStarted{Call: "c1", Name: "bash", Arguments: arguments, Title: event.Title(c.command), Origin: event.CallerModel},
				event.PermissionReady{Call: "c1", Tool: "bash"}, asked("a1", "c1"))
			s.draw()
			s.pass(2 * quiet)
			s.draw()
			s.intents = nil
			s.press("y")
			if len(s.intents) != c.sent {
				t.Fatalf("sent %+v", s.intents)
			}
			if c.sent > 0 {
				return
			}
			s.press("enter", "a")
			s.draw()
			s.press("enter", "e")
			if len(s.intents) > 0 || s.model.asking.form.mode != formChoose {
				t.Fatalf("sent %+v, mode %v", s.intents, s.model.asking.form.mode)
			}
			pager, ok := s.model.sheetOf()
			if !ok || pager.Ask != "a1" {
				t.Fatalf("pager %+v, %v", pager, ok)
			}
			var all strings.Builder
			for _, l := range pager.Set(60) {
				all.WriteString(l.Text())
			}
			if !strings.Contains(all.String(), "touch PWN") && !strings.Contains(c.command, "ls") {
				t.Errorf("the pager has not all of it: %q", all.String())
			}
			s.reduce(Read{"a1"})
			s.press("y")
			if len(s.intents) != 1 {
				t.Errorf("after reading all of it: sent %+v", s.intents)
			}
		})
	}
}

// Two asks at once are both answered, one after the other, and each is armed on
// its own.
func TestTwoAsks(t *testing.T) {
	s := newHarness(t, 60, 24, term.ReflowLogical)
	s.draw()
	s.happen(startEdit()...)
	s.happen(event.CallStarted{Call: "c2", Name: "bash", Arguments: []byte(`{"command":"ls"}`), Origin: event.CallerModel}, asked("a1", "c1"), asked("a2", "c2"))
	var got []event.AskID
	for range 2 {
		s.draw()
		s.pass(quiet)
		s.draw()
		s.intents = nil
		s.press("y", "y")
		for _, i := range s.intents {
			got = append(got, i.(Send).Body.(command.Answer).Ask)
		}
		s.happen(event.AskClosed{Ask: got[len(got)-1], Outcome: event.OutcomeAllowed, Method: event.MethodPerson, Key: "y"})
	}
	if d := cmp.Diff([]event.AskID{"a1", "a2"}, got); d != "" {
		t.Error(d)
	}
	confirm(t, s, ConfirmNone)
}

// An ask that another client answered leaves by itself and says who did; a key
// that was on its way to it does nothing.
func TestAnsweredElsewhere(t *testing.T) {
	s := newHarness(t, 60, 24, term.ReflowLogical)
	s.draw()
	s.happen(startEdit()...)
	s.happen(asked("a1", "c1"))
	s.draw()
	s.pass(quiet)
	s.draw()
	s.happen(event.AskClosed{Ask: "a1", Outcome: event.OutcomeAllowed, Method: event.MethodPerson, Key: "y", Who: "web"})
	s.intents = nil
	s.press("y")
	s.pass(2 * time.Second)
	p := s.draw()
	if len(s.intents) > 0 {
		t.Errorf("sent %+v", s.intents)
	}
	if last := p.Live[len(p.Live)-1].Text(); last != "  allowed on web, 2 s ago" {
		t.Errorf("the last row says %q", last)
	}
}

// An ask meant for another client cannot be answered here.
func TestAskForAnother(t *testing.T) {
	s := newHarness(t, 60, 24, term.ReflowLogical)
	s.reduce(Opened{Client: "me"})
	s.happen(startEdit()...)
	a := asked("a1", "c1").(event.AskOpened)
	a.To = "web"
	s.happen(a)
	s.draw()
	s.pass(time.Second)
	p := s.draw()
	confirm(t, s, ConfirmNone)
	var text string
	for _, l := range p.Live {
		text += l.Text() + "\n"
	}
	if !strings.Contains(text, "waiting for an answer on another client") {
		t.Error(text)
	}
}

// What the session has cost and what came from a cache is in the last row, as far as it is known.
func TestStatusShowsWhatWasSpent(t *testing.T) {
	for _, c := range []struct {
		usage event.Usage
		want  string
	}{
		{event.Usage{Input: 1000, Output: 50}, "parley"},
		{event.Usage{Input: 1000, Output: 50, Cost: 4_000}, "parley · under $0.01"},
		{event.Usage{Input: 1000, CachedRead: 873, Cost: 1_237_000}, "parley · $1.24 · 87 % cached"},
		{event.Usage{Input: 1000, Cost: 20_000, Unpriced: 70}, "parley · $0.02+"},
		{event.Usage{Input: 1000, CachedRead: 1000, Unpriced: 70}, "parley · 100 % cached"},
	} {
		s := newHarness(t, 80, 24, term.ReflowLogical)
		s.happen(event.UsageChanged{Session: c.usage})
		if got := strings.TrimSpace(s.model.statusRow(80).Text()); got != c.want {
			t.Errorf("%+v: %q", c.usage, got)
		}
	}
}
