package display

import (
	"encoding/json"
	"strings"
	"time"

	"parley/internal/event"
)

// A Kind is the component that an item is laid out by.
type Kind uint8

// The kinds of item, and which detail of an [Item] each has.
const (
	KindUser       Kind = iota // Text; User
	KindDeveloper              // Text; Label is its origin
	KindThought                // Text
	KindReply                  // Text: markdown source
	KindImage                  // Label is its path
	KindCall                   // Text: live output while it is open, then the result; Call
	KindAsk                    // Ask; while open the question, then the decision
	KindAgent                  // Text: the result, once it is finished; Agent
	KindNote                   // Text; Label is info, warn or error
	KindRetry                  // Text; open until the model answers again; Retry
	KindFault                  // Text; Label is the code
	KindFiles                  // Files
	KindCompaction             // Text: the summary; Compaction
	KindRun                    // the end of a run and its metrics; Run
)

var kindNames = [...]string{"user", "developer", "thought", "reply", "image", "call", "ask", "agent", "note", "retry", "fault", "files", "compaction", "run"}

// String returns the name of the kind.
func (k Kind) String() string { return kindNames[k] }

// An ItemID names an item of a log. Ids rise in the order of the items and are
// never used twice; the first is 1.
type ItemID int

// An Item is one component of the log: what a renderer lays out as a whole.
//
// Its text is source: markdown for a reply, a tool's own bytes for a call;
// untrusted, never wrapped. While an item is open its text only grows, so a byte
// offset into it stays true. Exactly one of the details is set, by kind.
type Item struct {
	ID      ItemID
	Kind    Kind
	Session event.SessionID
	Voice   Voice // zero: the main session
	Open    bool  // it may still change; a finished item never does
	Version int   // rises with every change: a key for what was laid out
	Began   time.Time
	Ended   time.Time // zero while open
	Label   string

	User       *User
	Call       *Call
	Ask        *Ask
	Agent      *Agent
	Retry      *event.RetryScheduled
	Files      []event.FileChange
	Compaction *event.ContextCompacted
	Run        *Run

	key  string
	text strings.Builder
}

// Text returns the source text so far, without copying it.
func (i *Item) Text() string { return i.text.String() }

// Duration returns how long the item took, or has taken at now while it is open.
func (i *Item) Duration(now time.Time) time.Duration {
	if !i.Open {
		now = i.Ended
	}
	if i.Began.IsZero() || now.Before(i.Began) {
		return 0
	}
	return now.Sub(i.Began)
}

// User is what an item of a person has beside its text.
type User struct {
	Entry       event.EntryID
	Attachments []event.Attachment
	Lane        event.Lane
}

// A Call is a tool call in the log or in a sub-agent.
type Call struct {
	ID        event.CallID
	Name      string
	Title     string // for people: what it does
	Arguments json.RawMessage
	Origin    event.Caller               // empty: it was never started
	Preview   *event.PermissionPreviewed // what it would do
	Decided   *event.PermissionDecided
	Asked     *Call            // as it was when somebody was asked about it; nil: nobody was
	Ended     *event.CallEnded // nil while it is open
	Agent     event.SessionID  // the sub-agent that it opened
}

// Unseen reports whether the item of the sub-agent that a call opened is enough: nothing of the call itself was shown.
func (c *Call) Unseen() bool { return c.Agent != "" && c.Asked == nil && c.Preview == nil }

// An Ask is a question to the person.
type Ask struct {
	Opened  event.AskOpened
	Tool    string // permission: the tool of the call
	Answers []event.AskAnswered
	Closed  *event.AskClosed // nil while it is open
	Label   string           // of the option chosen
}

// An Agent is a sub-agent. Of its calls it holds those that are open, those that
// somebody was asked about and the last that failed, so it stays small.
type Agent struct {
	Session     event.SessionID
	Parent      event.SessionID
	Call        event.CallID // of the parent
	Profile     string
	Description string
	Prompt      string
	Header      string           // of its last thought
	State       event.AgentState // as it said itself
	Message     string
	Done        int     // calls that ended well
	Failed      int     // calls that ended otherwise
	Calls       []*Call // open
	Asked       []*Call // as they were when somebody was asked about them
	LastFailed  *Call
	Reason      event.Reason // once closed
}

// Run is the end of a run.
type Run struct {
	ID       event.RunID
	Number   int
	Reason   event.Reason
	Usage    event.Usage
	Duration time.Duration
}
