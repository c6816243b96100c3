package display_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/display"
	"parley/internal/event"
	"parley/internal/transcript"
)

// cut ends the open block and the response as a provider's failure does.
func (s *script) cut(block event.BlockID, text string) *script {
	s.add(main, event.BlockEnded{Block: block, Role: event.RoleText, Text: text},
		event.ResponseInterrupted{Reason: event.InterruptedByProvider, Message: "unexpected EOF"},
		event.NoteAdded{Level: event.LevelWarn, Text: "The answer was cut; going on from there."},
		event.DeveloperSaid{Text: "Your answer was cut off by the connection.", Origin: event.ReminderContinue})
	return s.stepEnd(main)
}

// A reply that was cut and goes on is one item, however often, so that a fence cut
// in its middle stays one. What else the model does ends it, and so does the end
// of the run; a reply that was cut by a person or that had ended does not go on.
func TestCutReply(t *testing.T) {
	for name, c := range map[string]struct {
		write func(*script)
		want  []string // the texts of replies and thoughts
	}{
		"a fence": {func(s *script) {
			s.cut(s.begin(main, event.RoleText, "```go\nx :"), "```go\nx :").step(main)
			s.cut(s.begin(main, event.RoleText, "= 1\n"), "= 1\n").step(main)
			s.say(main, event.RoleText, "y := 2\n```\n").answered(main).finish(main, event.ReasonDone)
		}, []string{"```go\nx := 1\ny := 2\n```\n"}},
		"a cut without a word between": {func(s *script) {
			s.cut(s.begin(main, event.RoleText, "One, "), "One, ").step(main)
			s.add(main, event.ResponseInterrupted{Reason: event.InterruptedByProvider}).stepEnd(main).step(main)
			s.say(main, event.RoleText, "two").answered(main).finish(main, event.ReasonDone)
		}, []string{"One, two"}},
		"a thought": {func(s *script) {
			s.cut(s.begin(main, event.RoleText, "One, "), "One, ").step(main)
			s.say(main, event.RoleThinking, "Two is next.")
			s.say(main, event.RoleText, "two").answered(main).finish(main, event.ReasonDone)
		}, []string{"One, ", "Two is next.", "two"}},
		"the end of the run": {func(s *script) {
			s.cut(s.begin(main, event.RoleText, "One, "), "One, ")
			s.close(transcript.Why{Reason: event.ReasonError}).prompt("Again").step(main)
			s.say(main, event.RoleText, "one").answered(main).finish(main, event.ReasonDone)
		}, []string{"One, ", "one"}},
		"a steer": {func(s *script) {
			s.begin(main, event.RoleText, "One, ")
			s.add(main, event.BlockEnded{Block: "r1.t1.s1.b1", Role: event.RoleText, Text: "One, "}, event.ResponseInterrupted{Reason: event.InterruptedBySteer})
			s.stepEnd(main).step(main).say(main, event.RoleText, "two").answered(main).finish(main, event.ReasonDone)
		}, []string{"One, ", "two"}},
		"two replies": {func(s *script) {
			s.say(main, event.RoleText, "One.").say(main, event.RoleText, "Two.").answered(main).finish(main, event.ReasonDone)
		}, []string{"One.", "Two."}},
	} {
		t.Run(name, func(t *testing.T) {
			s := (&script{}).open()
			s.prompt("Count").step(main)
			c.write(s)
			var got []string
			l := build(s.log)
			for _, i := range l.Items() {
				if i.Open {
					t.Errorf("item %d (%v) is open at the end", i.ID, i.Kind)
				}
				if slices.Contains([]display.Kind{display.KindReply, display.KindThought}, i.Kind) {
					got = append(got, i.Text())
				}
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("(-want +got):\n%s\n%s", d, describe(l, s.state))
			}
		})
	}
}

// A reply whose end is plain is finished with the next event, so that a screen can
// let go of it.
func TestEndedReplyIsFinishedAtOnce(t *testing.T) {
	s := (&script{}).open()
	s.prompt("Count").step(main).say(main, event.RoleText, "One.").answered(main)
	for _, i := range build(s.log).Items() {
		if i.Open {
			t.Errorf("item %d (%v) is open: %q", i.ID, i.Kind, i.Text())
		}
	}
}
