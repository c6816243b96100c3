// Package plain is line mode: a session as lines of text, for a pipe, a file, a
// dumb terminal, or a person who likes it quiet.
//
//	$ What's in main.py?
//	~ I should read the file
//
//	read("main.py")
//	✓ Read 50 lines
//	def main(): ...
//
//	The file contains a main function.
//	───
//	Input: 120  Output: 80
//
// The format is the terminal rendering protocol's. Where that document
// contradicts itself its two examples decide; what they leave open is decided
// here, as one table. A part is set off from the part before it by nothing more
// than the end of a line, by a blank line, or by a rule and a blank line:
//
//	before ↓  next →   query  thought call   outcome reply  metrics notice aside
//	start              –      –       –      –       –      rule    line   –
//	query              rule   –       blank  blank   blank  rule    line   blank
//	thought            rule   –       blank  blank   blank  rule    –      blank
//	call               rule   blank   blank  –       blank  rule    line   blank
//	outcome            rule   blank   blank  –       blank  rule    line   blank
//	reply              rule   blank   blank  blank   blank  rule    –      blank
//	metrics            blank  blank   blank  blank   blank  rule    line   blank
//	notice             rule   blank   blank  blank   blank  rule    –      blank
//	aside              rule   blank   blank  blank   blank  rule    line   –
//
// A notice is the red or yellow end of a run that failed or was stopped; the
// line feed that the protocol puts before it ends the open line of a thought or
// a reply, and makes a blank line after anything else. An aside is what the
// protocol has no word for: a sub-agent, a question, a note. The parts lead
// through the protocol's phases (idle, user, think, call, result, respond); see
// [State].
//
// Laws, each held by a test:
//   - What was replayed looks like what was live: the bytes depend on the events
//     and the options, not on time or on when Flush was called. (A spinner writes
//     over itself and is gone.)
//   - No text of the main session is cut, moved or mixed with another's: what a
//     sub-agent does while a thought or a reply is open is shown after it.
//   - A reply that the connection cut and a later step goes on with is one reply.
//   - There is never more than one blank line between parts, no white space at
//     the end of a line of prose, one newline at the end. Fences and results
//     keep theirs.
//   - Without a color profile there is not one escape sequence in the output,
//     whatever the input holds.
//   - Work is linear in the text.
//
// Calls of one step overlap, so they are shown as pairs of call and outcome when
// each ends; a call that is alone shows its line when it starts. The package
// starts no goroutine and reads no clock: the caller gives the ticks that move
// the spinner, and reads the keys that answer an ask.
package plain
