package display

import (
	"encoding/json"
	"time"

	"parley/internal/cell"
	"parley/internal/event"
)

// A Voice is how a session speaks on a screen that it shares with others. The
// main session has the zero Voice.
type Voice struct {
	Name  string     // of a sub-agent, unique in its tree; "" is the main session
	Style cell.Style // the colour of the name and of what belongs to it
}

// At says where and when a command came from.
type At struct {
	Session event.SessionID
	Voice   Voice
	Seq     event.Seq // of the event; zero for what was open when the display began
	Time    time.Time // of the event
}

// Where returns the place that a command is about.
func (a At) Where() At { return a }

// A RenderCommand says one thing that is to be shown. The set is closed.
type RenderCommand interface {
	Where() At
	command()
}

// A CommandRenderer carries commands out, in order. An error says that nothing
// more can be shown.
type CommandRenderer interface {
	Render(RenderCommand) error
}

// A run.
type (
	// StartRun begins a run.
	StartRun struct {
		At
		Run    event.RunID
		Number int
	}

	// EndRun ends a run.
	EndRun struct {
		At
		Run      event.RunID
		Number   int // zero: unknown
		Reason   event.Reason
		Usage    event.Usage   // zero: unknown
		Duration time.Duration // zero: unknown
	}

	// EnterPhase says that the session has another phase from now on.
	EnterPhase struct {
		At
		Phase Phase
		What  string // tool executing: the tool; a retry: its reason
	}
)

// What is said.
type (
	// ShowUser shows what a person said.
	ShowUser struct {
		At
		Entry       event.EntryID
		Text        string
		Attachments []event.Attachment
		Lane        event.Lane
	}

	// ShowDeveloper shows what Parley itself told the model.
	ShowDeveloper struct {
		At
		Text   string
		Origin event.Reminder
	}

	// StartThought begins a thought of the main session.
	StartThought struct{ At }

	// AppendThought adds to the open thought.
	AppendThought struct {
		At
		Text string
	}

	// EndThought ends the open thought.
	EndThought struct {
		At
		Duration time.Duration // zero: unknown
	}

	// StartText begins a piece of the reply in the live text area.
	StartText struct{ At }

	// AppendText adds to the open piece of the reply: markdown source.
	AppendText struct {
		At
		Text string
	}

	// EndText ends the open piece of the reply. One that the provider cut ends
	// when what follows has gone on with it, or does not.
	EndText struct{ At }

	// ShowImage shows an image that the model made.
	ShowImage struct {
		At
		Path      string
		MediaType string
	}
)

// What is done.
type (
	// StartCall shows a call; it has not run yet.
	StartCall struct {
		At
		Call      event.CallID
		Name      string
		Title     string // for people: what it does
		Arguments json.RawMessage
		Origin    event.Caller
		Alone     bool // no other call of its step: its end follows its start
	}

	// PreviewCall shows what a call would do.
	PreviewCall struct {
		At
		Preview event.PermissionPreviewed
	}

	// DecideCall says that a call may run, or may not.
	DecideCall struct {
		At
		Decided event.PermissionDecided
	}

	// AppendCall adds to the live output of a call of the main session.
	AppendCall struct {
		At
		Call   event.CallID
		Stream event.Stream
		Text   string
	}

	// EndCall ends a call. It repeats what its start said, so that a renderer
	// which shows calls when they end needs no memory.
	EndCall struct {
		At
		Ended     event.CallEnded
		Title     string
		Arguments json.RawMessage          // nil where the call was never started
		Origin    event.Caller             // empty where the call was never started
		Decided   *event.PermissionDecided // nil where nothing was decided
	}

	// OpenAsk asks something.
	OpenAsk struct {
		At
		Ask       event.AskOpened
		Tool      string                     // of the call that it is about
		Title     string                     // of the call
		Arguments json.RawMessage            // permission: those of the call
		Preview   *event.PermissionPreviewed // permission: what the call would do, where that is known
	}

	// AnswerAsk is the answer to one question of an ask.
	AnswerAsk struct {
		At
		Answer event.AskAnswered
	}

	// CloseAsk says that an ask needs no answer any more.
	CloseAsk struct {
		At
		Closed event.AskClosed
		Label  string // of the option chosen, where there was one
	}
)

// Sub-agents. Their sessions are in At; Parent is the session that called them.
type (
	// OpenAgent begins a sub-agent.
	OpenAgent struct {
		At
		Parent      event.SessionID
		Call        event.CallID // of the parent
		Profile     string
		Description string
		Prompt      string
	}

	// UpdateAgent says what a sub-agent is about: the header of what it thought,
	// or what it said of its state.
	UpdateAgent struct {
		At
		Header string // of its last thought
		State  event.AgentState
		Text   string
	}

	// CloseAgent ends a sub-agent with all that it said: the text of its last
	// answer.
	CloseAgent struct {
		At
		Parent   event.SessionID
		Call     event.CallID
		Reason   event.Reason
		Result   string
		Calls    int
		Duration time.Duration
	}
)

// What is to be known in passing.
type (
	// ShowNote tells something.
	ShowNote struct {
		At
		Level  event.Level
		Text   string
		Source string
	}

	// ShowRetry says that the model is asked again, and when.
	ShowRetry struct {
		At
		Retry event.RetryScheduled
	}

	// EndRetry says that the model answers again, or is not asked any more.
	EndRetry struct{ At }

	// ShowFiles names the files that calls have changed.
	ShowFiles struct {
		At
		Files []event.FileChange
	}

	// ShowCompaction says that older entries are replaced by a summary.
	ShowCompaction struct {
		At
		Compaction event.ContextCompacted
	}

	// ShowFault says what went wrong.
	ShowFault struct {
		At
		Code    event.Code
		Message string
	}
)

func (StartRun) command()       {}
func (EndRun) command()         {}
func (EnterPhase) command()     {}
func (ShowUser) command()       {}
func (ShowDeveloper) command()  {}
func (StartThought) command()   {}
func (AppendThought) command()  {}
func (EndThought) command()     {}
func (StartText) command()      {}
func (AppendText) command()     {}
func (EndText) command()        {}
func (ShowImage) command()      {}
func (StartCall) command()      {}
func (PreviewCall) command()    {}
func (DecideCall) command()     {}
func (AppendCall) command()     {}
func (EndCall) command()        {}
func (OpenAsk) command()        {}
func (AnswerAsk) command()      {}
func (CloseAsk) command()       {}
func (OpenAgent) command()      {}
func (UpdateAgent) command()    {}
func (CloseAgent) command()     {}
func (ShowNote) command()       {}
func (ShowRetry) command()      {}
func (EndRetry) command()       {}
func (ShowFiles) command()      {}
func (ShowCompaction) command() {}
func (ShowFault) command()      {}
