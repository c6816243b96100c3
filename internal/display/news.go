package display

import (
	"time"

	"parley/internal/event"
	"parley/internal/transcript"
)

// news is one event of a session and the state of that session before it, on its
// way to commands.
type news struct {
	s    *transcript.State // before the event
	root *transcript.State
	e    event.Event
	at   At
	out  []RenderCommand

	began bool // a text, by the end of its block
}

func (n *news) show(c RenderCommand) { n.out = append(n.out, c) }

// main reports whether the session is the one that owns the live text area.
func (n *news) main() bool { return n.root.Session == "" || n.e.Session == n.root.Session }

// A sight is what of a state the next one is compared with.
type sight struct {
	phase    Phase
	what     string
	replying bool
	cut      bool
	thought  event.BlockID // the open one
	since    time.Time     // when it began
	retrying bool
}

func look(s *transcript.State) sight {
	p, what := PhaseOf(s)
	v := sight{phase: p, what: what, replying: s.Replying(), cut: s.Cut, retrying: s.Step != nil && s.Step.Retry != nil}
	if b := s.Block(); b != nil && b.Role == event.RoleThinking {
		v.thought, v.since = b.ID, b.Started
	}
	return v
}

// lookAfter is look at the state after the event; of a session that closed
// nothing is left.
func (n *news) lookAfter() sight {
	if s := n.root.In(n.e.Session); s != nil {
		return look(s)
	}
	b, _ := n.e.Body.(event.SessionClosed)
	return sight{phase: phaseAfter(event.Reason(b.Reason))}
}

// endings are the ends of what is over with the event: a thought, the text of the
// reply, a retry. A text has ended when it is plain that it was not cut there.
func (n *news) endings(before, after sight) []RenderCommand {
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
func (n *news) took(since time.Time) time.Duration {
	if b, ok := n.e.Body.(event.BlockEnded); ok && b.DurationMS > 0 || since.IsZero() {
		return millis(b.DurationMS)
	}
	return max(0, n.at.Time.Sub(since))
}

func millis(n int64) time.Duration { return time.Duration(n) * time.Millisecond }

func (n *news) take() {
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
	case event.NoteAdded, event.InitProgressed, event.RetryScheduled, event.FilesChanged, event.FaultRaised, event.ContextCompacted:
		n.takeNews()
	case event.SessionTitled, event.SettingChanged, event.ToolsChanged, event.LeafChanged, event.ClientJoined, event.ClientLeft, event.BudgetChanged,
		event.InputQueued, event.InputChanged, event.InputTaken, event.InputDropped, event.PlanChanged, event.PlanCleared,
		event.UsageChanged, event.RunAborting, event.TurnStarted, event.TurnEnded, event.StepStarted, event.StepEnded,
		event.ResponseStarted, event.CallAnnounced, event.ResponseEnded, event.ResponseInterrupted, event.PermissionReady:
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

func (n *news) takeRun() {
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

func (n *news) number() int {
	if n.s.Run == nil {
		return 0
	}
	return n.s.Run.Number
}

func (n *news) takeNews() {
	switch b := n.e.Body.(type) {
	case event.NoteAdded:
		n.show(ShowNote{n.at, b.Level, b.Text, b.Source})
	case event.InitProgressed:
		if b.Status == event.ProgressError {
			n.show(ShowNote{n.at, event.LevelError, b.Text, b.Step})
		}
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
