package display

import (
	"slices"
	"time"

	"parley/internal/event"
)

// A Phase is the state of a machine.
type Phase uint8

// The phases.
const (
	Idle          Phase = iota // nothing is going on
	Thinking                   // the model's time before a word of the answer
	StreamingText              // the answer is being written
	ToolExecuting              // a call waits for its decision or runs
	Error                      // the last run failed
)

var phaseNames = [...]string{"idle", "thinking", "streaming text", "tool executing", "error"}

// String returns the name of the phase in words.
func (p Phase) String() string { return phaseNames[p] }

// A Machine is what the display knows of one session. It is a value: Next
// changes nothing and returns the machine as it is from then on.
type Machine struct {
	at    At // session and voice
	phase Phase
	run   bool // a run is open
	block block
	named int // calls of the step, as its response named them
	calls []call
	asks  []event.AskOpened
	agent *agent // nil: the main session
}

// block is the open block; its zero value is none.
type block struct {
	id      event.BlockID
	role    event.Role
	len     int // bytes that were shown
	started time.Time
}

type call struct {
	id        event.CallID
	name      string
	arguments []byte
	user      bool // a person's, not the model's
	preview   *event.PermissionPreviewed
	decided   *event.PermissionDecided
	output    int // bytes that were shown
}

// agent is what only the machine of a sub-agent keeps. It is replaced, never
// changed.
type agent struct {
	parent event.SessionID
	call   event.CallID
	opened time.Time
	calls  int
	answer string // the text of its last response that had some
	fresh  bool   // answer belongs to the open response
	failed bool   // its last run
}

// NewMachine returns the machine of a session that nothing is known of. A
// session with a named voice is a sub-agent.
func NewMachine(id event.SessionID, v Voice) Machine {
	m := Machine{at: At{Session: id, Voice: v}}
	if v.Name != "" {
		m.agent = &agent{}
	}
	return m
}

// Phase returns the state of the machine.
func (m Machine) Phase() Phase { return m.phase }

// Next returns the machine after an event of its session, and what is to be
// shown of it. The last command is EnterPhase where the phase has changed.
func (m Machine) Next(e event.Event) (Machine, []RenderCommand) {
	s := step{m: m, at: m.at}
	s.at.Seq, s.at.Time = e.Seq, e.Time
	s.take(e)
	if s.m.phase != m.phase {
		s.show(EnterPhase{At: s.at, Phase: s.m.phase, What: s.what})
	}
	return s.m, s.out
}

// step is one Next: the machine as it becomes and the commands so far.
type step struct {
	m    Machine
	at   At
	what string // for EnterPhase
	out  []RenderCommand
}

func (s *step) show(c RenderCommand) { s.out = append(s.out, c) }

// main reports whether this is the session that owns the live text area.
func (s *step) main() bool { return s.m.agent == nil }

func (s *step) take(e event.Event) {
	switch b := e.Body.(type) {
	case event.RunStarted, event.RunAborting, event.RunEnded, event.TurnStarted, event.TurnEnded,
		event.StepStarted, event.StepEnded, event.TurnRecovered:
		s.takeRun(e)
	case event.SessionOpened, event.SessionTitled, event.SessionClosed, event.AgentChanged:
		s.takeSession(e)
	case event.UserSaid, event.DeveloperSaid:
		s.takeInput(e)
	case event.ResponseStarted, event.BlockStarted, event.BlockGrew, event.BlockEnded, event.CallAnnounced,
		event.ResponseEnded, event.ResponseInterrupted:
		s.takeResponse(e)
	case event.CallStarted, event.CallGrew, event.CallEnded, event.PermissionPreviewed, event.PermissionDecided:
		s.takeCall(e)
	case event.AskOpened, event.AskAnswered, event.AskClosed:
		s.takeAsk(e)
	case event.NoteAdded, event.InitProgressed, event.RetryScheduled, event.FilesChanged, event.FaultRaised,
		event.PlanChanged, event.PlanCleared, event.UsageChanged, event.ContextCompacted:
		s.takeNews(e)
	case event.SettingChanged, event.LeafChanged, event.ClientJoined, event.ClientLeft, event.BudgetChanged,
		event.InputQueued, event.InputChanged, event.InputTaken, event.InputDropped:
		// State, not story: a status line or a list of what is queued reads
		// these from the transcript.
	case event.PermissionReady:
		// Says that nothing more is shown before the decision; there is nothing
		// to show of it.
	case event.SessionListed, event.SessionUnlisted, event.ActiveChanged:
		// The catalog's, not a session's.
	case event.Unknown:
		_ = b // of a later build: there is no telling what it means
	}
}

func (s *step) takeRun(e event.Event) {
	switch b := e.Body.(type) {
	case event.RunStarted:
		s.endBlock(0)
		s.m.run = true
		s.m.phase = Thinking
		if s.main() {
			s.show(StartRun{s.at, e.Run, b.Number})
		} else {
			s.child(func(a *agent) { a.failed = false })
		}
	case event.RunAborting:
		if s.main() {
			s.show(AbortRun{s.at, b.Who})
		}
	case event.RunEnded:
		s.endBlock(0)
		s.m.run, s.m.named = false, 0
		// What a person runs beside the model goes on.
		s.m.calls = slices.DeleteFunc(slices.Clone(s.m.calls), func(c call) bool { return !c.user })
		s.m.phase = phaseAfter(b.Reason)
		if s.main() {
			s.show(EndRun{s.at, e.Run, b.Reason, b.Usage, millis(b.DurationMS)})
		} else {
			s.child(func(a *agent) { a.failed = s.m.phase == Error })
		}
	case event.TurnStarted:
		s.endBlock(0)
		s.m.phase = Thinking
	case event.TurnEnded:
		s.endBlock(0)
		s.m.phase = phaseAfter(b.Reason)
	case event.StepStarted:
		s.endBlock(0)
		s.m.phase = Thinking
		s.m.named = 0
	case event.StepEnded:
		s.endBlock(0)
	case event.TurnRecovered:
		s.show(ShowNote{At: s.at, Level: "warn", Text: b.Text})
	}
}

// phaseAfter is the phase that a run with this end leaves.
func phaseAfter(r event.Reason) Phase {
	if r == event.ReasonError || r == event.ReasonLimit {
		return Error
	}
	return Idle
}

func (s *step) takeInput(e event.Event) {
	switch b := e.Body.(type) {
	case event.UserSaid:
		if s.main() {
			s.show(ShowUser{s.at, b.Entry, b.Text, b.Attachments, b.Origin})
		}
		// The prompt of a sub-agent was shown when it opened.
	case event.DeveloperSaid:
		if s.main() {
			s.show(ShowDeveloper{s.at, b.Text, b.Origin})
		}
	}
}

func (s *step) takeNews(e event.Event) {
	switch b := e.Body.(type) {
	case event.NoteAdded:
		s.show(ShowNote{s.at, b.Level, b.Text, b.Source})
	case event.InitProgressed:
		if b.Status == "error" {
			s.show(ShowNote{s.at, "error", b.Text, b.Step})
		}
	case event.RetryScheduled:
		s.m.phase, s.what = Thinking, b.Reason
		s.show(ShowRetry{s.at, b})
	case event.FaultRaised:
		s.m.phase = Error
		s.show(ShowFault{s.at, b.Code, b.Message})
	case event.FilesChanged:
		s.show(ShowFiles{s.at, b.Files})
	case event.PlanChanged:
		if s.main() {
			s.show(ShowPlan{s.at, b.Steps})
		}
	case event.PlanCleared:
		if s.main() {
			s.show(ShowPlan{At: s.at})
		}
	case event.UsageChanged:
		if s.main() {
			s.show(ShowUsage{s.at, b})
		}
	case event.ContextCompacted:
		if s.main() {
			s.show(ShowCompaction{s.at, b})
		}
	}
}

func millis(n int64) time.Duration { return time.Duration(n) * time.Millisecond }
