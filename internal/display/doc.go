// Package display turns the events of a session into what is to be shown of
// them, one way for every renderer.
//
//	(State, Event) ──► Controller ──► []RenderCommand ──► CommandRenderer
//
// What is to be shown of an event is a function of the transcript.State before
// it and of the event; the phase, of the State after it ([PhaseOf]). A
// [Controller] folds each event into the State that it is given, and gives the
// commands to a [CommandRenderer]: line mode (package plain) and the [Log] that
// the inline terminal lays out. What only a status line, a plan or a queue shows
// is no command: they read the State.
//
// Laws, each held by a test:
//   - Late = live: it never matters whether an event is old or new, so a log that
//     is replayed gives the commands that it gave when it happened, and what is
//     open is shown to a client that joins by the events that opened it.
//   - Boundaries: StartThought, AppendThought, EndThought and StartText,
//     AppendText, EndText come in this order, never nested, also when the log
//     breaks off; an append never repeats and never skips a byte. A text that the
//     provider cut and that goes on is one text.
//   - Ownership: only the main session yields StartText, AppendText and EndText.
//     The text of a sub-agent comes once, whole, in CloseAgent; of its thinking
//     only a header is shown; what it does never ends the main session's text.
//   - Totality: any sequence of events gives commands and never a panic.
//
// A session is in one of five phases, each a function of its State. An event that
// is not in this table leaves the phase as it is.
//
//	event                                   next phase
//	run.started, turn.started,
//	step.started, response.started,
//	retry.scheduled                         thinking
//	block.started thinking                  thinking
//	block.started text                      streaming text
//	block.ended, call.announced,
//	response.ended, response.interrupted    thinking
//	call.started                            tool executing
//	call.ended                              tool executing while another call is open,
//	                                        else thinking in a run, idle outside
//	turn.ended, run.ended                   error for the reasons error and limit, else tool
//	                                        executing while a person's call is open, else idle
//	session.closed                          error for the reasons error and limit, else idle
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
