package plain

import "strings"

// A Phase is the protocol's: where in a run the output stands.
type Phase uint8

// The phases, in the order in which a simple run goes through them.
const (
	Idle Phase = iota
	User
	Think
	Call
	Result
	Respond
)

var phaseNames = [...]string{"idle", "user", "think", "call", "result", "respond"}

// String returns the name of the phase.
func (p Phase) String() string { return phaseNames[p] }

// A Part is what stands together in the output.
type Part uint8

// The parts. Start is the one before the first.
const (
	Start Part = iota
	Query
	Thought
	CallLine
	Outcome
	Reply
	Metrics
	Notice
	Aside
)

var partNames = [...]string{"start", "query", "thought", "call", "outcome", "reply", "metrics", "notice", "aside"}

// String returns the name of the part.
func (p Part) String() string { return partNames[p] }

// A Gap is what is put between two parts. The line before is ended in any case.
type Gap uint8

// The gaps.
const (
	None      Gap = iota // nothing
	Line                 // a line feed: a blank line, as the last line is ended
	Blank                // a blank line
	Rule                 // a rule
	RuleBlank            // a rule and a blank line
)

// gaps holds the table of the package's documentation, a row for each part
// before, a column for each part from Query on.
var gaps = [...][Aside]Gap{
	//         query      thought call   outcome reply  metrics notice aside
	Start:    {None, None, None, None, None, Rule, Line, None},
	Query:    {RuleBlank, None, Blank, Blank, Blank, Rule, Line, Blank},
	Thought:  {RuleBlank, None, Blank, Blank, Blank, Rule, None, Blank},
	CallLine: {RuleBlank, Blank, Blank, None, Blank, Rule, Line, Blank},
	Outcome:  {RuleBlank, Blank, Blank, None, Blank, Rule, Line, Blank},
	Reply:    {RuleBlank, Blank, Blank, Blank, Blank, Rule, None, Blank},
	Metrics:  {Blank, Blank, Blank, Blank, Blank, Rule, Line, Blank},
	Notice:   {RuleBlank, Blank, Blank, Blank, Blank, Rule, None, Blank},
	Aside:    {RuleBlank, Blank, Blank, Blank, Blank, Rule, Line, None},
}

// phases holds the phase that each part leads to. An aside leads nowhere.
var phases = [...]Phase{Start: Idle, Query: User, Thought: Think, CallLine: Call, Outcome: Result, Reply: Respond, Metrics: Idle, Notice: Idle}

// A State is what line mode remembers of what it has written: phase, newline
// flag and buffer. It is immutable: every change is another State. The zero
// State is the start.
type State struct {
	Phase   Phase
	Part    Part   // the last one
	Midline bool   // the last byte written is not a newline
	Call    string // the call that the last part is about, so that its outcome needs no second line
	Buffer  Buffer // reply or thought that waits for a newline
}

// Next returns the state after a part has begun and the gap to put before it.
func (s State) Next(p Part) (State, Gap) {
	g := gaps[s.Part][p-Query]
	s.Part = p
	if p != Aside {
		s.Phase = phases[p]
	}
	s.Call = ""
	return s, g
}

// About returns the state with its last part being about a call.
func (s State) About(call string) State {
	s.Call = call
	return s
}

// Buffered returns the state with more text in the buffer.
func (s State) Buffered(text string) State {
	s.Buffer = s.Buffer.Append(text)
	return s
}

// bufferMax is how much text waits for a newline at the most, in bytes. What
// comes after it is split where it happens to be.
const bufferMax = 4 << 10

// Cut returns the text that need not wait any longer, all up to the last
// newline, and the state without it.
func (s State) Cut() (State, string) {
	if !s.Buffer.newline && s.Buffer.size < bufferMax {
		return s, ""
	}
	text := s.Buffer.String()
	s.Buffer = Buffer{}
	if i := strings.LastIndexByte(text, '\n') + 1; i > 0 {
		s.Buffer = s.Buffer.Append(text[i:])
		text = text[:i]
	}
	return s, text
}

// Drain returns all the text of the buffer, and the state without it.
func (s State) Drain() (State, string) {
	text := s.Buffer.String()
	s.Buffer = Buffer{}
	return s, text
}

// A Buffer is text that grows by pieces, as an immutable value: appending costs
// nothing but the piece, whatever the length.
type Buffer struct {
	last    *piece
	size    int
	newline bool // there is one
}

type piece struct {
	before *piece
	text   string
}

// Len returns the length in bytes.
func (b Buffer) Len() int { return b.size }

// Append returns the buffer with more text.
func (b Buffer) Append(text string) Buffer {
	if text == "" {
		return b
	}
	return Buffer{&piece{b.last, text}, b.size + len(text), b.newline || strings.IndexByte(text, '\n') >= 0}
}

// String returns the text.
func (b Buffer) String() string {
	if b.last == nil {
		return ""
	}
	if b.last.before == nil {
		return b.last.text
	}
	out := make([]byte, b.size)
	at := b.size
	for p := b.last; p != nil; p = p.before {
		at -= len(p.text)
		copy(out[at:], p.text)
	}
	return string(out)
}
