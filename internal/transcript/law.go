package transcript

// A Law is an invariant of every log. Check names the law that an event violates.
type Law string

// The laws of the log. Their texts are in Laws.
const (
	LawStart      Law = "stream.start"
	LawSeq        Law = "seq.rises"
	LawSession    Law = "session.once"
	LawRun        Law = "run.nesting"
	LawTurn       Law = "turn.nesting"
	LawStep       Law = "step.nesting"
	LawResponse   Law = "response.nesting"
	LawBlock      Law = "block.nesting"
	LawOffset     Law = "grew.offset"
	LawRepeats    Law = "ended.repeats"
	LawAnnounced  Law = "call.announced"
	LawSnapshot   Law = "response.names"
	LawUsage      Law = "usage.after"
	LawCall       Law = "call.once"
	LawCallOrder  Law = "call.after_response"
	LawDecided    Law = "permission.once"
	LawEffect     Law = "effect.after_record"
	LawStatus     Law = "call.status"
	LawAsk        Law = "ask.once"
	LawInput      Law = "input.once"
	LawEntry      Law = "entry.tree"
	LawTools      Law = "tools.once"
	LawNumber     Law = "number.dense"
	LawOpenChild  Law = "parent.closes_last"
	LawEnvelope   Law = "envelope.names"
	LawClosed     Law = "session.closed"
	LawCompaction Law = "compaction.between"
)

// A LawText is a law in words.
type LawText struct {
	Law  Law
	Text string
}

// Laws returns every law in words, in the order of the documents.
func Laws() []LawText {
	return []LawText{
		{LawStart, "a stream begins at session.opened, at a state line, or where no run is open"},
		{LawSeq, "seq rises strictly within a log"},
		{LawSession, "a session is opened once, by its first event"},
		{LawClosed, "nothing happens in a session after session.closed"},
		{LawEnvelope, "an event names the run, turn, step and response that it happens in, and only those that are open"},
		{LawOpenChild, "no parent ends while a child is open: run › turn › step › response › block, call, ask; a sub-agent before its session closes"},
		{LawRun, "run.started from idle only; run.aborting and run.ended only in their run"},
		{LawTurn, "a turn begins in a run in which none is open, and ends once"},
		{LawStep, "a step begins in a turn in which none is open, and ends once"},
		{LawNumber, "turns count from 1 in their run, steps from 1 in their turn"},
		{LawResponse, "a step has one response, and it either ends or is interrupted, once"},
		{LawBlock, "a block begins in an open response in which no block is open, and ends once; it is never nested"},
		{LawOffset, "a delta begins at or before the end of the text so far: an overlap is legal, a gap is not"},
		{LawRepeats, "block.ended repeats the text of all deltas of its block"},
		{LawAnnounced, "call.announced comes in an open response, with no block open, once for each call"},
		{LawSnapshot, "response.ended names the blocks that ended and the calls that were announced, all and in order"},
		{LawUsage, "in a step usage.changed comes after response.ended"},
		{LawCallOrder, "call.started comes after the response.ended that names the call"},
		{LawCall, "a call is started once and ended once; a step ends after each of its calls"},
		{LawDecided, "each call has at most one permission.decided, after call.started and with none of its asks open; preview and ready come before it"},
		{LawEffect, "output, host.decided and success come only after permission.decided has granted the call"},
		{LawStatus, "success, error and lost follow a decision; denied follows a refusal; a call that was not started can only be skipped or aborted"},
		{LawAsk, "an ask is opened once, answered while open, and closed exactly once"},
		{LawInput, "an input is queued once, and taken by a turn or dropped once"},
		{LawEntry, "an entry is made once, and its parent is an entry"},
		{LawTools, "a tool joins where it is not there, and leaves where it is"},
		{LawCompaction, "context.compacted comes between steps"},
	}
}

// A Violation is a law that an event would break.
type Violation struct {
	Law  Law
	Text string
}

// Error makes a violation an error.
func (b Violation) Error() string { return string(b.Law) + ": " + b.Text }
