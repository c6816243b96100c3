// Package tui is the inline terminal: the transcript goes into the terminal's own
// scrollback, and a small live region stays at the bottom.
//
//	         Input                     Page                []term.Op
//	events ────────► Reduce ──► Model ──► Layout ──► Draw ────────► effects
//	keys, time          ▲                                              │
//	                    └── Laid, Committed, Drawn ◄───────────────────┘
//
// A Model holds the session as a transcript.State, the same that the daemon has,
// and folds each event into it once. The status row, the queue, the plan, the
// ready line and the phase are read from it; what the event adds to the
// transcript is the commands of package display, which its Log keeps as items.
// The Model remembers nothing else of a session: a terminal that joins late shows
// what one shows that was there.
//
// Four stages, of which only the last touches the world. [Reduce] reads no clock
// and no terminal: time comes as an input. [Layout] measures and changes nothing.
// [Draw] knows rows, and not what a session is. [Run] carries out what Reduce
// wants and what Draw says, and decides nothing.
//
// What is finished is committed: written once, as logical lines that the terminal
// wraps and reflows itself. What is alive is drawn below it and replaced. The
// boundary between the two is a [Mark] in source units, and only [Committed], fed
// back once the terminal took the bytes, moves it. All row numbers, those of
// [RenderState] too, are derived from it at the width of the screen.
//
// It guarantees:
//
//   - No line is lost, doubled or reordered and no live row is left behind, for
//     any stream and any resize; survives says which resizes are considered,
//     cursorRow what a terminal does with the live rows then.
//   - Nothing clears the screen or the scrollback, scrolls a region, moves to an
//     absolute row, or enters the alternate screen but a pager.
//   - Each frame is one write, as a synchronized update. A frame that commits
//     leaves the cursor hidden; exactly one frame follows it, which differs in
//     nothing but showing the cursor.
//   - Late = live: at the same time, size and draft the live region and the
//     status row are the same in every terminal that follows a session.
//   - An ask is answered by no key of a typist: while there is a draft, or a key came
//     in the last second, keys go into the draft, and none is lost. What is allowed
//     was on the screen whole, byte for byte; what an answer stores takes two keys.
//   - An idle screen writes nothing and wakes nobody. The cost of a frame does not
//     depend on the length of the session.
//   - The terminal is given back as it was, also after a panic or a signal.
//
// The first frame moves to the bottom row, below whatever the shell wrote, and
// makes room for the live rows with line feeds, so the last of them is the last row
// of the screen. The cursor's position is never asked for: every move is relative
// to where the last frame left the cursor.
//
// The cursor is in the composer while nothing moves. While a run is open, frames
// come without a key press, and the terminal may have changed its size before we
// hear of it. Then the cursor is hidden at the top of the live rows, where erasing
// below it is right in any case, and the composer shows a painted one.
// docs/adr/0004 tells what terminals do to live rows, and what is done about it.
//
// It does not find or start a daemon, nor keep a connection: that is the
// [Source]'s, a client.Session.
package tui
