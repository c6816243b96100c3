package client

import (
	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/transcript"
)

// An Update is one thing that a [Session] has to tell. The set is closed.
type Update interface{ update() }

type (
	// Joined says that the session is followed. It is the first update, and comes
	// again after each Lost.
	Joined struct {
		// Client is the id of this connection. The causes of its commands begin with
		// it, and an ask may be meant for it alone.
		Client event.ClientID
		// State is the session at the point from which News goes on: before the open
		// run, or as it is where none is open. It belongs to whoever takes the
		// update, who folds the News into it. It is nil after Lost: then News goes on
		// after the last one.
		State *transcript.State
		// Line is the line that State came in, without its end; nil where it began
		// with nothing.
		Line []byte
		// Past is what was before State, as far as [Joining.Past] asks for it.
		Past Page
	}
	// News is events that happened, in order and without a gap. An event may repeat
	// text that is known already: see transcript.Advance.
	News struct {
		Events []event.Event
		Lines  [][]byte // the same as they came, without their ends
	}
	// Reply is the outcome of what was sent; its id is the one given to Send.
	Reply struct{ Result command.Result }
	// Refused is what is wrong outside any command, such as that the disk refuses
	// what has to be written.
	Refused struct{ Fault *command.Fault }
	// Lost says that the connection is lost. It is being made again.
	Lost struct{ Err error }
	// Over is the last update: the connection has ended and is not made again, or
	// the session is gone. Err is nil where the daemon ended it in good order.
	Over struct{ Err error }
)

func (Joined) update()  {}
func (News) update()    {}
func (Reply) update()   {}
func (Refused) update() {}
func (Lost) update()    {}
func (Over) update()    {}
