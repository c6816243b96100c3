package tui

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/creack/pty"

	"parley/internal/client"
	"parley/internal/event"
	"parley/internal/term"
	"parley/internal/transcript"
)

// past is a session of n turns.
func past(n int) []event.Event {
	var out []event.Event
	for i := range n {
		for _, b := range []event.Body{
			event.RunStarted{Number: i + 1}, event.TurnStarted{Number: 1, Lane: event.LanePrompt},
			event.UserSaid{Entry: event.EntryID(fmt.Sprint("e", i)), Text: fmt.Sprintf("question %03d", i), Origin: event.LanePrompt},
			event.BlockStarted{Block: "b", Role: event.RoleText}, event.BlockEnded{Block: "b", Role: event.RoleText, Text: fmt.Sprintf("answer %03d\n\nand more of it", i)},
			event.TurnEnded{Number: 1, Reason: event.ReasonDone}, event.RunEnded{Reason: event.ReasonDone},
		} {
			out = append(out, event.Event{Seq: event.Seq(len(out) + 1), Time: noon, Session: sessionID, Run: "r1", Body: b})
		}
	}
	return out
}

func (r *rig) lines() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Join(r.screen.logical(), "\n")
}

// A session that is opened again shows its last screenfuls at once and says that
// there is more; PgUp brings the rest on demand, and leaving the pager brings the
// composer back with nothing lost or doubled.
func TestReopenedSessionShowsItsEnd(t *testing.T) {
	all := past(400)
	r := newRigWith(t, 80, 24, func(s *fakeSource) {
		<-s.updates
		s.past, s.seq = all, event.Seq(len(all))
		state := transcript.New()
		state.Session, state.Seq = sessionID, s.seq
		s.updates <- client.Joined{Client: "me", State: state, Past: client.Page{Events: all[len(all)-280:], More: true}}
	})
	screen := r.untilText("ask for anything")
	if !strings.Contains(screen, "answer 399") {
		t.Errorf("the last answer is not there:\n%s", screen)
	}
	text := r.lines()
	if n := strings.Count(text, "… earlier: pgup"); n != 1 {
		t.Errorf("it says %d times that there is more", n)
	}
	if n := strings.Count(text, "\n"); n > 24+recallScreens*24+24 {
		t.Errorf("%d lines were written", n)
	}
	r.press("\x1b[5~")
	r.until("the end of the past", func(s string) bool { return strings.Contains(s, "answer 399") && strings.Contains(s, "q back") })
	r.press("g")
	r.until("a page before it", func(s string) bool { return strings.Contains(s, "question 3") || strings.Contains(s, "question 2") })
	r.press("G")
	for {
		screen := r.until("a page", func(s string) bool { return !strings.Contains(s, "reading …") })
		if strings.Contains(screen, "question 000") {
			break
		}
		r.press("g")
		r.until("another row", func(s string) bool { return s != screen })
	}
	r.press("q")
	r.untilText("ask for anything")
	if again := r.lines(); again != text {
		t.Errorf("after the pager\n%s\nbefore\n%s", again, text)
	}
	r.press("still here")
	r.untilText("› still here")
}

// A connection that is lost in the middle of an answer comes back by itself:
// events that were told already are not told again.
func TestReconnectRepeatsNothing(t *testing.T) {
	r := newRig(t, 80, 24)
	r.untilText("ask for anything")
	r.source.happen(begin("go")...)
	r.source.happen(event.BlockStarted{Block: "b", Role: event.RoleText}, event.BlockDelta{Block: "b", Text: "first line\n\nsecond "})
	r.untilText("second")
	r.source.updates <- client.Lost{Err: errors.New("the daemon is gone")}
	r.untilText("reconnecting")
	r.source.updates <- client.Joined{Client: "me again"}
	r.wrote("connected again")
	r.source.seq -= 2
	r.source.happen(event.BlockDelta{Block: "b", Text: "first line\n\nsecond "}, event.BlockDelta{Block: "b", Text: "first line\n\nsecond "})
	r.source.happen(event.BlockDelta{Block: "b", Offset: len("first line\n\nsecond "), Text: "line"}, event.BlockEnded{Block: "b", Role: event.RoleText, Text: "first line\n\nsecond line"})
	r.source.happen(finish()...)
	r.untilText("ask for anything")
	if got := strings.TrimSpace(r.lines()); !strings.HasPrefix(got, "$ go\n\nfirst line\n\nsecond line\n\n›") {
		t.Errorf("%q", got)
	}
}

// A stuck terminal takes no frame until it is released.
type stuck struct {
	events  chan term.Event
	frames  chan struct{} // a frame is to be written
	release chan struct{}
	text    strings.Builder // all that was written
	can     term.Abilities
}

func (s *stuck) Events() <-chan term.Event { return s.events }
func (s *stuck) Size() term.Size           { return term.Size{Width: 80, Height: 24} }
func (s *stuck) Abilities() term.Abilities { return s.can }
func (s *stuck) Suspend() error            { return nil }
func (s *stuck) Close() error              { return nil }
func (s *stuck) Do(ops []term.Op) (int, error) {
	select {
	case s.frames <- struct{}{}:
	default:
	}
	<-s.release
	for _, o := range ops {
		if o, ok := o.(term.Text); ok {
			s.text.WriteString(o.Line.Text())
		}
	}
	return 0, nil
}

// Who leaves leaves nothing unwritten that was finished, also where it leaves in
// pieces.
func TestLeavingWritesWhatIsFinal(t *testing.T) {
	for _, reflow := range []term.Reflow{term.ReflowLogical, term.ReflowShifting} {
		source := newSource()
		terminal := &stuck{events: make(chan term.Event), frames: make(chan struct{}, 1), release: make(chan struct{}), can: term.Abilities{Reflow: reflow}}
		close(terminal.release)
		var text strings.Builder
		for i := range 200 {
			fmt.Fprintf(&text, "paragraph %s of many\n\n", marker(i))
		}
		source.happen(begin("go")...)
		source.happen(event.BlockStarted{Block: "b", Role: event.RoleText}, event.BlockEnded{Block: "b", Role: event.RoleText, Text: text.String()})
		source.happen(finish()...)
		close(source.updates)
		if err := Run(t.Context(), Options{Source: source, Terminal: terminal, Debug: true}); err != nil {
			t.Fatal(err)
		}
		for i := range 200 {
			if n := strings.Count(terminal.text.String(), marker(i)); n != 1 {
				t.Fatalf("%v: %s is written %d times", reflow, marker(i), n)
			}
		}
	}
}

// A pager that is opened, and a program that is stopped, while a frame is on its
// way take note of what the frame commits: it is not written again.
func TestClearWhileWriting(t *testing.T) {
	for _, key := range []string{"pgup", "ctrl+z"} {
		source := newSource()
		terminal := &stuck{events: make(chan term.Event), frames: make(chan struct{}, 1), release: make(chan struct{}, 100)}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		terminal.release <- struct{}{}
		go func() {
			ended <- Run(ctx, Options{Source: source, Terminal: terminal, Debug: true})
		}()
		<-terminal.frames
		source.happen(begin("go")...)
		<-terminal.frames
		terminal.events <- term.Key{Name: key}
		close(terminal.release)
		terminal.events <- term.Key{Name: "q", Text: "q"}
		terminal.events <- term.Resumed{}
		source.happen(finish()...)
		terminal.events <- term.Key{Name: "x", Text: "x"}
		for len(source.updates) > 0 {
			<-terminal.frames
		}
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("%s: ended with %v", key, err)
		}
		if n := strings.Count(terminal.text.String(), "$ go"); n != 1 {
			t.Errorf("%s: what was said is written %d times: %q", key, n, terminal.text.String())
		}
	}
}

// What streams while the terminal takes nothing waits where it comes from; keys
// are heard all the same, and all of it is shown in the end.
func TestStalledTerminalCatchesUp(t *testing.T) {
	const pieces, size = 300, 4 << 10
	source := newSourceOf(pieces + 10)
	terminal := &stuck{events: make(chan term.Event), frames: make(chan struct{}, 1), release: make(chan struct{})}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- Run(ctx, Options{Source: source, Terminal: terminal}) }()
	<-terminal.frames
	source.happen(append(begin("go"), event.BlockStarted{Block: "b", Role: event.RoleText})...)
	text := strings.Repeat("x", size-2) + "\n\n"
	for i := range pieces {
		source.happen(event.BlockDelta{Block: "b", Offset: i * size, Text: text})
	}
	for range 100 {
		terminal.events <- term.Key{Name: "a", Text: "a"}
	}
	if taken := pieces - len(source.updates); taken > maxFrameBytes/size+3 {
		t.Errorf("%d of %d pieces were taken", taken, pieces)
	}
	close(terminal.release)
	for len(source.updates) > 0 {
		<-terminal.frames
	}
	cancel()
	<-ended
}

var forbidden = regexp.MustCompile(`\x1b\[(2J|3J|1J|\?1049[hl]|\?47h|\d*S|\d*T|[\d;]*[Hfr]|\d*[M@P])`)

// Of all that is written, with streams, asks, resizes and the end, nothing clears
// the screen or the scrollback, scrolls a region, moves to an absolute row or
// enters the alternate screen, and the cursor is never seen moving in a frame.
func TestForbiddenSequences(t *testing.T) {
	r := newRig(t, 80, 24)
	r.untilText("ask for anything")
	r.press("hello\r")
	r.command()
	r.source.happen(startEdit()...)
	r.source.happen(previewed(), asked("a1", "c1"))
	r.untilText("enter  y")
	pty.Setsize(r.master, &pty.Winsize{Rows: 12, Cols: 100})
	r.mu.Lock()
	r.screen.resize(100, 12)
	r.mu.Unlock()
	r.untilText("waiting for you")
	r.press("y")
	r.command()
	r.source.happen(event.AskClosed{Ask: "a1", Outcome: event.OutcomeAllowed, Method: event.MethodPerson, Key: "y"}, event.PermissionDecided{Call: "c1", Granted: true},
		event.CallEnded{Call: "c1", Name: "edit", Status: event.StatusError, Result: "\x1b[2J\x1b[3J\x1b[H\x1b[?1049hbad\x07"}, event.BlockStarted{Block: "b", Role: event.RoleText})
	at := 0
	for i := range 200 {
		text := fmt.Sprintf("- item %d \x1b[2J\n", i)
		r.source.happen(event.BlockDelta{Block: "b", Offset: at, Text: text})
		at += len(text)
	}
	r.source.happen(event.BlockEnded{Block: "b", Role: event.RoleText})
	r.source.happen(finish()...)
	r.untilText("ask for anything")
	r.press("\x04")
	r.left()
	r.mu.Lock()
	defer r.mu.Unlock()
	if m := forbidden.FindAll(r.raw, -1); len(m) > 0 {
		t.Errorf("forbidden: %q", m)
	}
	if len(r.screen.moved) > 0 {
		t.Error(few(r.screen.moved))
	}
	for _, f := range strings.SplitAfter(string(r.raw), "\x1b[?2026l") {
		if strings.Count(f, "\x1b[?25h") > 1 {
			t.Errorf("a frame shows the cursor twice: %q", f)
		}
	}
}
