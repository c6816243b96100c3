package tui

import (
	"os"
	"time"

	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/term"
	"parley/internal/transcript"
)

// An Input is anything that can change the model. The set is closed.
type Input interface{ input() }

type (
	// Ticked tells the time. It comes before other inputs, never more often than
	// they do, and by itself when something on the screen counts seconds.
	Ticked struct{ Now time.Time }

	// Typed is what the terminal reports: keys, pastes, focus, size, abilities.
	Typed struct{ Event term.Event }

	// Opened begins with a session: its State, which belongs to the model from now on,
	// and the last events before it in Past. More says that there are still earlier
	// ones. Without a State it says that a lost connection is back; the events that
	// happened meanwhile follow.
	Opened struct {
		Client event.ClientID // of this connection: whom an ask may be meant for
		State  *transcript.State
		Past   []event.Event
		More   bool
	}

	// Happened is an event of the session.
	Happened struct{ Event event.Event }

	// Warned says what is wrong outside any command.
	Warned struct{ Fault *command.Fault }

	// Inputs are the inputs of earlier sessions, the oldest first, for the composer's
	// history.
	Inputs struct{ Texts []string }

	// Answered is the result of a command that was sent.
	Answered struct{ Result command.Result }

	// Lost says that the connection is gone and is being made again.
	Lost struct{ Err error }

	// Laid says that a page was laid out and is being written: the phases follow
	// what it does.
	Laid struct{ Page Page }

	// Committed says that the terminal took the lines of a page. It alone moves
	// the boundary.
	Committed struct{ To Mark }

	// Read says that all of what an ask is about was on the screen.
	Read struct{ Ask event.AskID }

	// Drawn says that a page without lines to commit was written.
	Drawn struct{ Page Page }

	// Cleared forgets the log, as Ctrl+L asks. The scrollback keeps it.
	Cleared struct{}
)

func (Ticked) input()    {}
func (Typed) input()     {}
func (Opened) input()    {}
func (Happened) input()  {}
func (Warned) input()    {}
func (Inputs) input()    {}
func (Answered) input()  {}
func (Lost) input()      {}
func (Laid) input()      {}
func (Committed) input() {}
func (Drawn) input()     {}
func (Read) input()      {}
func (Cleared) input()   {}

// An Intent is what the model wants of the world. The set is closed.
type Intent interface{ intent() }

type (
	// Send sends a command to the session. Its result comes back with the id.
	Send struct {
		ID   string
		Body command.Body
	}
	// Quit leaves the program; the session goes on. Signal is the signal that asked
	// for it, and Err why the terminal is gone; nil where it was neither.
	Quit struct {
		Signal os.Signal
		Err    error
	}
	// Suspend stops the program as Ctrl+Z does.
	Suspend struct{}
	// Browse shows a pager: the one given, or the past of the session.
	Browse struct{ Pager Pager }
)

func (Send) intent()    {}
func (Quit) intent()    {}
func (Suspend) intent() {}
func (Browse) intent()  {}
