package tui

import (
	"os"
	"time"

	"parley/internal/command"
	"parley/internal/display"
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

	// Opened begins the story of a session, or begins it anew after the
	// connection was lost: what is known of it before the first event.
	Opened struct {
		State  *transcript.State
		Client event.ClientID // of this connection: whom an ask may be meant for
	}

	// Shown is one command of the display, Old when it comes from a page of the
	// past that was read at the start.
	Shown struct {
		Command display.RenderCommand
		Old     bool
	}

	// Recalled ends the page of the past that is shown at the start. More says that
	// there is a past before it.
	Recalled struct{ More bool }

	// Happened is an event that is state rather than story: the queue, the
	// settings, who else is there.
	Happened struct{ Event event.Event }

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

	// Drawn says that a page without lines to commit was written.
	Drawn struct{ Page Page }

	// Cleared forgets the log, as Ctrl+L asks. The scrollback keeps it.
	Cleared struct{}
)

func (Ticked) input()    {}
func (Typed) input()     {}
func (Opened) input()    {}
func (Shown) input()     {}
func (Recalled) input()  {}
func (Happened) input()  {}
func (Answered) input()  {}
func (Lost) input()      {}
func (Laid) input()      {}
func (Committed) input() {}
func (Drawn) input()     {}
func (Cleared) input()   {}

// An Intent is what the model wants of the world. The set is closed.
type Intent interface{ intent() }

type (
	// Send sends a command to the session. Its result comes back with the id.
	Send struct {
		ID   string
		Body command.Body
	}
	// Quit leaves the program; the session goes on. Signal is the one that asked
	// for it, and Err why the terminal is no more, where that is so.
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
