// Package display turns the events of a session into what is to be shown of
// them, one way for every renderer.
//
//	event ──► Controller ──► Machine of its session ──► []RenderCommand ──► CommandRenderer
//
// A [Controller] routes each event to the [Machine] of its session. A machine
// is a value and its Next is pure. What it yields are [RenderCommand]s, each
// with the session that it is about; a [CommandRenderer] carries them out: line
// mode (package plain) and the [Log] that the inline terminal lays out.
//
// Laws, each held by a test:
//   - Late = live: a machine never asks whether an event is old or new, so a log
//     that is replayed gives the commands that it gave when it happened.
//   - Boundaries: StartThought, AppendThought, EndThought and StartText,
//     AppendText, EndText come in this order, never nested, also when the log
//     breaks off; an append never repeats and never skips a byte.
//   - Ownership: only the main session yields StartText, AppendText and EndText.
//     The text of a sub-agent comes once, whole, in CloseAgent; of its thinking
//     only a header is shown; what it does never ends the main session's text.
//   - Totality: any sequence of events gives commands and never a panic.
//
// A machine is in one of five states. An event that is not in this table leaves
// the state as it is.
//
//	event                                   next state
//	run.started, turn.started,
//	step.started, response.started,
//	retry.scheduled                         thinking
//	block.started thinking                  thinking
//	block.started text                      streaming text
//	block.ended, call.announced,
//	response.ended, response.interrupted    thinking
//	step.ended while text streams           thinking (only a damaged log has this)
//	call.started                            tool executing
//	call.ended                              tool executing while another call is open,
//	                                        else thinking in a run, idle outside
//	turn.ended, run.ended, session.closed   error for the reasons error and limit, else idle
//	fault.raised                            error
//
// Thinking is the model's time, seen or unseen: from the moment a request can be
// made to the first word of the answer. A run that failed stays in error until
// the next one begins. The whole table, state by state and kind by kind, is
// testdata/transitions.txt.
//
// The package writes nothing, measures no width and reads no clock: the times in
// its commands are those of the log.
package display
