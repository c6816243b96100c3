package display

import (
	"cmp"
	"fmt"
	"time"

	"parley/internal/event"
	"parley/internal/transcript"
)

// A translator makes the commands of one event, from the state of its session
// before it.
type translator struct {
	s    *transcript.State // before the event
	root *transcript.State
	e    event.Event
	at   At
	out  []RenderCommand

	began bool // it began a text, which ended in the same event
}

func (n *translator) show(c RenderCommand) { n.out = append(n.out, c) }

// main reports whether the session is the one that owns the live text area.
func (n *translator) main() bool { return n.root.Session == "" || n.e.Session == n.root.Session }

// A view is the part of a state that is compared with the next one.
type view struct {
	phase    Phase
	what     string
	replying bool
	cut      bool
	thought  event.BlockID // the open one
	since    time.Time     // when it began
	retrying bool
}

func viewOf(s *transcript.State) view {
	p, what := PhaseOf(s)
	v := view{phase: p, what: what, replying: s.Replying(), cut: s.Cut, retrying: s.Step != nil && s.Step.Retry != nil}
	if b := s.Block(); b != nil && b.Role == event.RoleThinking {
		v.thought, v.since = b.ID, b.Started
	}
	return v
}

// viewAfter is the view of the state after the event; a session that closed is no
// longer in it.
func (n *translator) viewAfter() view {
	if s := n.root.In(n.e.Session); s != nil {
		return viewOf(s)
	}
	b, _ := n.e.Body.(event.SessionClosed)
	return view{phase: phaseAfter(event.Reason(b.Reason))}
}

// endings returns the commands that end what the event ended: a thought, the text
// of the reply, a retry. A text has ended once it is known that it was not cut.
func (n *translator) endings(before, after view) []RenderCommand {
	if !n.main() {
		return nil
	}
	var out []RenderCommand
	if before.thought != "" && after.thought != before.thought {
		out = append(out, EndThought{n.at, n.took(before.since)})
	}
	_, begins := n.e.Body.(event.BlockStarted)
	if before.replying && (!after.replying || begins && !before.cut) {
		out = append(out, EndText{n.at})
	}
	if before.retrying && !after.retrying {
		out = append(out, EndRetry{n.at})
	}
	return out
}

// took is how long a thought took: as the log says, or else from when it began.
func (n *translator) took(since time.Time) time.Duration {
	if b, ok := n.e.Body.(event.BlockEnded); ok && b.DurationMS > 0 || since.IsZero() {
		return millis(b.DurationMS)
	}
	return max(0, n.at.Time.Sub(since))
}

func millis(n int64) time.Duration { return time.Duration(n) * time.Millisecond }

func (n *translator) take() {
	switch n.e.Body.(type) {
	case event.RunStarted, event.RunEnded, event.TurnRecovered, event.UserSaid, event.DeveloperSaid:
		n.takeRun()
	case event.SessionOpened, event.SessionClosed, event.AgentChanged:
		n.takeSession()
	case event.BlockStarted, event.BlockEnded:
		n.takeBlock()
	case event.CallStarted, event.CallEnded, event.PermissionPreviewed, event.PermissionDecided:
		n.takeCall()
	case event.AskOpened, event.AskAnswered, event.AskClosed:
		n.takeAsk()
	case event.NoteAdded, event.InitProgressed, event.RetryScheduled, event.FilesChanged, event.FaultRaised, event.ContextCompacted, event.ImagesRefused,
		event.SettingChanged:
		n.takeNews()
	case event.SessionTitled, event.ToolsChanged, event.LeafChanged, event.ClientJoined, event.ClientLeft, event.BudgetChanged,
		event.InputQueued, event.InputChanged, event.InputTaken, event.InputDropped, event.PlanChanged, event.PlanCleared,
		event.UsageChanged, event.RunAborting, event.TurnStarted, event.TurnEnded, event.StepStarted, event.StepEnded,
		event.ResponseStarted, event.CallAnnounced, event.ResponseEnded, event.ResponseInterrupted, event.PermissionReady, event.HostDecided:
		// State, not story: a status line, a plan or a list of what is queued reads
		// these from the transcript. What they end, endings tells.
	case event.BlockDelta, event.CallDelta:
		// See grew.
	case event.SessionListed, event.SessionUnlisted, event.ActiveChanged:
		// The catalog's, not a session's.
	case event.Unknown:
		// Of a later build: there is no telling what it means.
	}
}

func (n *translator) takeRun() {
	switch b := n.e.Body.(type) {
	case event.TurnRecovered:
		n.show(ShowNote{At: n.at, Level: event.LevelWarn, Text: b.Text})
	case event.RunStarted:
		if n.main() {
			n.show(StartRun{n.at, n.e.Run, b.Number})
		}
	case event.RunEnded:
		if n.main() {
			n.show(EndRun{n.at, n.e.Run, n.number(), b.Reason, b.Usage, millis(b.DurationMS)})
		}
	case event.UserSaid:
		// The prompt of a sub-agent was shown when it opened.
		if n.main() {
			n.show(ShowUser{n.at, b.Entry, b.Text, b.Attachments, b.Origin})
		}
	case event.DeveloperSaid:
		// That a text which was cut goes on shows.
		if n.main() && !(n.s.Cut && b.Origin == event.ReminderContinue) {
			n.show(ShowDeveloper{n.at, b.Text, b.Origin})
		}
	}
}

func (n *translator) number() int {
	if n.s.Run == nil {
		return 0
	}
	return n.s.Run.Number
}

func (n *translator) takeNews() {
	switch b := n.e.Body.(type) {
	case event.NoteAdded:
		n.show(ShowNote{n.at, b.Level, b.Text, b.Source})
	case event.SettingChanged:
		// Of the settings only this one says what happens without a question. One that a snapshot repeats is
		// nobody's doing now.
		if b.Mode != nil && b.Who != "" {
			n.show(ShowNote{n.at, event.LevelInfo, "permission mode " + cmp.Or(string(*b.Mode), "as configured") + ", set by " + b.Who, ""})
		}
	case event.InitProgressed:
		if b.Status == event.ProgressError {
			n.show(ShowNote{n.at, event.LevelError, b.Text, b.Step})
		}
	case event.ImagesRefused:
		what := "a picture is"
		if len(b.Images) > 1 {
			what = fmt.Sprintf("%d pictures are", len(b.Images))
		}
		n.show(ShowNote{n.at, event.LevelWarn, what + " left out from now on: " + b.Reason, ""})
	case event.RetryScheduled:
		n.show(ShowRetry{n.at, b})
	case event.FaultRaised:
		n.show(ShowFault{n.at, b.Code, b.Message})
	case event.FilesChanged:
		n.show(ShowFiles{n.at, b.Files})
	case event.ContextCompacted:
		if n.main() {
			n.show(ShowCompaction{n.at, b})
		}
	}
}
