// Package transcript folds a session's log into what a reader needs to know.
//
// There is one fold, [State.Apply], and everybody uses it, at both ends of a
// connection: the journal to refuse what is not legal, the agent to make the
// model's request, every connection to encode for its client, every client to
// show what it is sent, replay to do the same for the past.
//
//	for e := range transcript.Advance(s, e) {
//		… // a function of (s, e), with s as it was before e
//		s.Apply(e)
//		… // a function of (s, e), with s as it is after e
//	}
//
// Its functions are [New], [State.Apply], [Check], [Closing], [Opening] and
// [Advance]; the rest reads a State or copies it. It guarantees:
//
//   - Apply is total: any sequence of events folds without a panic; what makes
//     no sense moves Seq and nothing else.
//   - Check says, before an event is applied, which laws it breaks; see [Laws].
//   - Closing yields, from any state, legal events that close all that is open.
//   - Opening is its mirror: the events that would have opened all that is open.
//     Folded onto New, they give what is open.
//   - Advance yields what of an event is new to a state, so that folding an event
//     a second time changes nothing.
//   - A State is bounded by what is open, the settings, the queue, the plan, an
//     index of the entries and the content of those since the last compaction;
//     the rest of the log leaves no trace in it. That of a client, [State.Tail],
//     is bounded in the number of its entries, too.
//   - Clone is cheap: entries and text, which are only ever appended to, are shared.
//   - Whoever begins from a [State.Checkpoint] and folds the events after it ends
//     with the State of one that was there all along.
//
// It does no I/O and reads no clock. It imports the standard library only.
package transcript

import (
	"encoding/json"
	"time"

	"parley/internal/event"
)

// State is a session after some of its events. The zero value is a session that
// nothing is known of. A State is not safe for use by several goroutines; give
// each its own Clone.
type State struct {
	Session     event.SessionID `json:"session"`
	Seq         event.Seq       `json:"seq"`
	Time        time.Time       `json:"time"`
	Origin      event.Origin    `json:"origin,omitempty"`
	Parent      event.SessionID `json:"parent,omitempty"`
	From        event.EntryID   `json:"from,omitempty"`
	Call        event.CallID    `json:"call,omitempty"`
	Profile     string          `json:"profile,omitempty"`
	Description string          `json:"description,omitempty"`
	Prompt      string          `json:"prompt,omitempty"`
	Workspace   string          `json:"workspace,omitempty"`
	Title       string          `json:"title,omitempty"`
	Opened      time.Time       `json:"opened"`
	Closed      bool            `json:"closed,omitempty"`
	Partial     bool            `json:"partial,omitempty"` // entries or events before it are missing: the fold did not begin at session.opened, or keeps a window
	Window      int             `json:"window,omitempty"`  // how many entries are kept, without their content; 0: all, with it

	Settings Settings                   `json:"settings"`
	Agent    event.AgentState           `json:"agent,omitempty"`
	Clients  []event.ClientJoined       `json:"clients,omitempty"`
	Rules    []Rule                     `json:"rules,omitempty"` // that answers stored for the session or the run
	Tools    []event.JoinedTool         `json:"tools,omitempty"` // beyond the built-in ones, in the order of requests
	Counts   Counts                     `json:"counts"`
	Answered string                     `json:"answered,omitempty"` // provider/model of the last response
	Last     *LastRun                   `json:"last,omitempty"`     // the run that ended last
	Run      *Run                       `json:"run,omitempty"`
	Turn     *Turn                      `json:"turn,omitempty"`
	Step     *Step                      `json:"step,omitempty"`
	Waiting  time.Time                  `json:"waiting,omitzero"` // since when the model's next word is waited for: its run or turn began, its text or its last call ended
	Failed   bool                       `json:"failed,omitempty"` // the run or turn that was last failed, and nothing goes on since
	Cut      bool                       `json:"cut,omitempty"`    // the provider cut the model in the middle of its text: the next text goes on with it
	Loose    []*Call                    `json:"loose,omitempty"`  // a person's calls outside a run that are open
	Asks     []event.AskOpened          `json:"asks,omitempty"`
	Queue    []Input                    `json:"queue,omitempty"`
	Plan     []event.PlanStep           `json:"plan,omitempty"`
	Usage    event.UsageChanged         `json:"usage"`
	Budget   []event.BudgetSource       `json:"budget,omitempty"`
	Leaf     event.EntryID              `json:"leaf,omitempty"`
	Entries  []*Entry                   `json:"entries,omitempty"`
	Summary  *Summary                   `json:"summary,omitempty"` // of the last compaction on the active branch
	Elided   []event.CallID             `json:"elided,omitempty"`
	Files    []event.ResultFile         `json:"files,omitempty"`    // of elided results, where no call.ended names one
	Refused  []string                   `json:"refused,omitempty"`  // pictures that are no longer sent
	Children map[event.SessionID]*State `json:"children,omitempty"` // sub-agents that are open
}

// Settings are what a client may set.
type Settings struct {
	Model      string       `json:"model,omitempty"`
	Tools      []string     `json:"tools,omitempty"`
	AllTools   bool         `json:"all_tools"`
	Steering   event.Mode   `json:"steering"`
	FollowUp   event.Mode   `json:"follow_up"`
	Calls      event.Order  `json:"calls"`
	Permission event.Effect `json:"permission,omitempty"`
	Reasoning  string       `json:"reasoning,omitempty"`

	Mode event.PermissionMode `json:"mode,omitempty"`
}

// Rule is a permission rule that an answer stored.
type Rule struct {
	Rule   string       `json:"rule"`
	Effect event.Effect `json:"effect"` // allow or deny
	Scope  event.Scope  `json:"scope"`  // run or session
}

// Counts are how many of each there were; the next id is one more.
type Counts struct {
	Runs    int `json:"runs"` // reserved or started
	Entries int `json:"entries"`
	Inputs  int `json:"inputs"`
	Asks    int `json:"asks"`
	Calls   int `json:"calls"` // started
	Events  int `json:"events"`
}

// Run is the open run.
type Run struct {
	ID       event.RunID          `json:"id"`
	Number   int                  `json:"number"`
	First    event.Seq            `json:"first"` // of run.started
	Started  time.Time            `json:"started"`
	Cause    event.Cause          `json:"cause,omitempty"`
	Aborting bool                 `json:"aborting,omitempty"`
	Stopping time.Time            `json:"stopping,omitzero"` // since when it is aborting
	Turns    int                  `json:"turns"`
	Usage    event.Usage          `json:"usage"`
	Written  int                  `json:"written,omitempty"` // bytes of text and thinking that the model wrote
	Fault    *event.FaultRaised   `json:"fault,omitempty"`   // the last one
	Resumed  bool                 `json:"resumed,omitempty"` // its first turn goes on with what was there
	Unasked  bool                 `json:"unasked,omitempty"` // a call was denied because nobody could be asked
	Model    string               `json:"model,omitempty"`
	Allow    []string             `json:"allow,omitempty"`
	Deny     []string             `json:"deny,omitempty"`
	Mode     event.PermissionMode `json:"mode,omitempty"` // that it began with; none once a person has set one

	// Before is the state that the run began from, without its entries; see
	// [State.Checkpoint]. It is nil in a state that was written down and read back.
	Before *State `json:"-"`
}

// LastRun is the run that ended last.
type LastRun struct {
	Run     event.RunID  `json:"run"`
	Number  int          `json:"number,omitempty"`
	Reason  event.Reason `json:"reason"`
	Fault   string       `json:"fault,omitempty"`   // the message of its last one
	Unasked bool         `json:"unasked,omitempty"` // as in Run
}

// Turn is the open turn.
type Turn struct {
	ID     event.TurnID    `json:"id"`
	Number int             `json:"number"`
	Lane   event.Lane      `json:"lane"`
	Inputs []event.InputID `json:"inputs,omitempty"`
	Entry  event.EntryID   `json:"entry,omitempty"` // of user.said
	From   event.EntryID   `json:"from,omitempty"`  // that it goes on from without one
	Steps  int             `json:"steps"`
	Parts  []Part          `json:"parts,omitempty"`  // of the answer so far, the open step not included
	Hidden int             `json:"hidden,omitempty"` // parts at the beginning that a summary replaces
}

// Step is the open step.
type Step struct {
	ID       event.StepID `json:"id"`
	Number   int          `json:"number"`
	Response *Response    `json:"response,omitempty"`
	Calls    []*Call      `json:"calls,omitempty"`
	Said     []string     `json:"said,omitempty"`
	Retry    *Retry       `json:"retry,omitempty"` // the model is asked again and has not answered yet
}

// Retry is a model request that is made again.
type Retry struct {
	event.RetryScheduled
	At time.Time `json:"at"` // when it was scheduled
}

// Phase says how far a response has come.
type Phase string

// The phases of a response.
const (
	Open        Phase = "open"
	Ended       Phase = "ended"
	Interrupted Phase = "interrupted"
)

// Response is the response of the open step.
type Response struct {
	ID        event.ResponseID      `json:"id"`
	Provider  string                `json:"provider,omitempty"`
	Model     string                `json:"model,omitempty"`
	Phase     Phase                 `json:"phase"`
	Stop      event.Stop            `json:"stop,omitempty"`
	Blocks    []Block               `json:"blocks,omitempty"` // that ended
	Block     *OpenBlock            `json:"block,omitempty"`
	Announced []event.CallAnnounced `json:"announced,omitempty"`
	Calls     []event.CallID        `json:"calls,omitempty"` // named by response.ended
	Opaque    []event.Opaque        `json:"opaque,omitempty"`
	Usage     event.Usage           `json:"usage"`
	Counted   bool                  `json:"counted,omitempty"` // usage.changed came
	Cut       bool                  `json:"cut,omitempty"`     // interrupted, with State.Cut set
}

// Block is a block that ended.
type Block struct {
	ID        event.BlockID `json:"id"`
	Role      event.Role    `json:"role"`
	Text      string        `json:"text"`
	Path      string        `json:"path,omitempty"`
	MediaType string        `json:"media_type,omitempty"`
	Continues bool          `json:"continues,omitempty"` // it goes on with the text before it, which was cut
}

// OpenBlock is the block that grows.
type OpenBlock struct {
	ID      event.BlockID `json:"id"`
	Role    event.Role    `json:"role"`
	Started time.Time     `json:"started"`
	Text    Buffer        `json:"text"`

	Continues bool `json:"continues,omitempty"` // as in Block
}

// Call is a tool call.
type Call struct {
	ID        event.CallID               `json:"id"`
	Name      string                     `json:"name"`
	Title     string                     `json:"title,omitempty"` // for people: what it does in a few words
	Arguments json.RawMessage            `json:"arguments,omitempty"`
	Origin    event.Caller               `json:"origin,omitempty"`
	Started   time.Time                  `json:"started"`
	Shown     bool                       `json:"shown"` // call.started came
	Ready     bool                       `json:"ready,omitempty"`
	Preview   *event.PermissionPreviewed `json:"preview,omitempty"`
	Decided   *event.PermissionDecided   `json:"decided,omitempty"`
	Output    Buffer                     `json:"output"`
	Ended     *event.CallEnded           `json:"ended,omitempty"`
}

// Input is a queued input.
type Input struct {
	event.InputQueued
	Cause event.Cause `json:"cause,omitempty"`
	Taken bool        `json:"taken,omitempty"` // its turn is about to start
}

// Entry is a node of the tree: what a person said, or what was answered. Its
// content is nil once a compaction has replaced it, and in a copy without it.
type Entry struct {
	ID      event.EntryID `json:"id"`
	Parent  event.EntryID `json:"parent,omitempty"`
	Role    string        `json:"role"`  // user, assistant or summary
	Seq     event.Seq     `json:"seq"`   // of the event that made it
	First   event.Seq     `json:"first"` // of the first event of its turn
	Time    time.Time     `json:"time"`
	Run     event.RunID   `json:"run,omitempty"`
	Number  int           `json:"number,omitempty"`
	Lane    event.Lane    `json:"lane,omitempty"`
	Snippet string        `json:"snippet,omitempty"` // the first 80 bytes or less
	Answers int           `json:"answers,omitempty"` // messages that the model gave in it
	Reason  event.Reason  `json:"reason,omitempty"`
	Content *Content      `json:"content,omitempty"`
}

// Content is what an entry holds.
type Content struct {
	Text        string             `json:"text,omitempty"` // user and summary
	Attachments []event.Attachment `json:"attachments,omitempty"`
	Parts       []Part             `json:"parts,omitempty"`  // assistant
	Hidden      int                `json:"hidden,omitempty"` // parts at the beginning that a summary replaces
}

// Part is one step of an answer, or what was said to the model between two.
type Part struct {
	Step        event.StepID     `json:"step,omitempty"` // empty: developer.said between two steps
	Response    event.ResponseID `json:"response,omitempty"`
	Provider    string           `json:"provider,omitempty"`
	Model       string           `json:"model,omitempty"`
	Blocks      []Block          `json:"blocks,omitempty"`
	Opaque      []event.Opaque   `json:"opaque,omitempty"`
	Calls       []*Call          `json:"calls,omitempty"`
	Said        []string         `json:"said,omitempty"` // developer.said after the calls
	Interrupted bool             `json:"interrupted,omitempty"`
	Cut         bool             `json:"cut,omitempty"` // as in Response
	Stop        event.Stop       `json:"stop,omitempty"`
}

// Summary is what a compaction left.
type Summary struct {
	Entry     event.EntryID `json:"entry"`
	Text      string        `json:"text"`
	FirstKept event.EntryID `json:"first_kept,omitempty"`
	File      string        `json:"file,omitempty"` // what it replaced, word for word
	// Plan is the session's as it was then: what is sent before the conversation stays the same until the next summary.
	Plan []event.PlanStep `json:"plan,omitempty"`
}

// New returns the state of a session that nothing has happened in.
func New() *State {
	return &State{Settings: Settings{AllTools: true, Steering: event.ModeOne, FollowUp: event.ModeOne, Calls: event.OrderParallel}}
}
