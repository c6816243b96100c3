// Package event is the vocabulary of Parley: what can happen in a session.
//
// A session is an append-only log of events. An [Event] is an envelope (where
// and when) around a [Body] (what). The set of bodies is closed: each kind is
// one struct in this package, listed once in bodies, and every consumer names
// the kinds that it leaves out. Nesting is
//
//	session › run › turn › step › response › block | call | ask
//
// The JSON form of an event is one object:
//
//	{"seq":7,"time":"…","session":"sess-…","run":"r1","turn":"r1.t1","step":"r1.t1.s1",
//	 "response":"r1.t1.s1.m","cause":"c4/7","type":"block.grew","data":{…}}
//
// It guarantees that any bytes decode to an event or to an error, that an
// unknown type is carried as [Unknown] and written back as it came, and that
// unknown fields are ignored. Keys are snake_case, durations are integers in
// milliseconds with the suffix _ms, times are RFC 3339 in UTC with nanoseconds.
//
// It does not say which order of events is legal: that is transcript.Check.
package event

import "time"

// A Seq is the position of an event in its log. It rises strictly; holes are
// legal; a value is never used twice, also after a crash.
type Seq uint64

// The names of things. Session ids are global; the others are unique within
// their session and are built from the one that holds them: r1, r1.t2, r1.t2.s3.
type (
	SessionID  string // "sess-" and a lower-case ULID
	RunID      string // r1, r2, … in the order in which runs were reserved
	TurnID     string // r1.t1
	StepID     string // r1.t1.s1
	ResponseID string // r1.t1.s1.m
	BlockID    string // r1.t1.s1.b1
	CallID     string // the model's own id where it is unique
	AskID      string // a1, a2, …
	EntryID    string // e1, e2, …
	InputID    string // i1, i2, …
	ClientID   string // of a connection: random and never reused
)

// A Cause is the command that led to an event, "CONNECTION/ID". It is copied to
// every event of the run that the command began.
type Cause string

// An Event is one line of a session's log.
type Event struct {
	Seq      Seq       // set by the journal
	Time     time.Time // set by the journal
	Session  SessionID // the session or sub-agent that it happened in
	Run      RunID     // empty outside a run
	Turn     TurnID
	Step     StepID
	Response ResponseID
	Cause    Cause
	Body     Body
}

// A Body says what happened. The set is closed: only this package adds to it.
type Body interface{ kind() string }

// Kind returns the name of what happened, such as "block.grew".
func (e Event) Kind() string {
	if e.Body == nil {
		return ""
	}
	return e.Body.kind()
}

// Durable reports whether the event must be on the disk before anyone sees it.
// That is so for every event but the deltas, block.grew and call.grew: the
// ended event of their block or call repeats what they carry.
func (e Event) Durable() bool {
	switch e.Body.(type) {
	case BlockDelta, CallDelta:
		return false
	}
	return true
}

// KindOf returns the name of a body's kind.
func KindOf(b Body) string { return b.kind() }

// Unknown carries an event of a type that this build does not know.
type Unknown struct {
	Type string // as it came
	Data []byte // the JSON of data, as it came
}

func (u Unknown) kind() string { return u.Type }
