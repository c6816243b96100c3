package tui

import (
	"context"

	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/transcript"
)

// A Source is a session as the screen follows it: a client of a daemon, or a log
// that is replayed. It keeps the connection: when that is lost it says so, makes
// a new one, and goes on after the last event that it gave.
type Source interface {
	// Updates gives what happens, in order. The channel stays the same over lost
	// connections; it is closed when there is nothing more to follow.
	Updates() <-chan Update
	// Send sends a command about the session. It does not block; the result comes
	// as an update, with the id that was given. A command that cannot be sent has
	// a Fault for a result.
	Send(id string, b command.Body)
	// Past returns up to limit events with a smaller seq than before, oldest
	// first, and whether there are earlier ones.
	Past(ctx context.Context, before event.Seq, limit int) (events []event.Event, more bool, err error)
}

// An Update is one thing that a Source has to tell. The set is closed.
type Update interface{ update() }

type (
	// Attached says that the session is followed. It is the first update, and
	// comes again after each Down.
	Attached struct {
		// Client is the id of this connection, and Name how it is called there.
		Client event.ClientID
		Name   string
		// State is the session after Past, or nil where it is not known.
		State *transcript.State
		// Past is what is shown at once of what was: the last events before those
		// that follow, oldest first, without a gap. Empty when the source goes on
		// after a Down.
		Past []event.Event
		// More says that there is a past before Past.
		More bool
	}
	// News is events that happened, in order and without a gap.
	News struct{ Events []event.Event }
	// Reply is the result of a command; its id is the one given to Send.
	Reply struct{ Result command.Result }
	// Down says that the connection is lost. The source makes it again.
	Down struct{ Err error }
	// Inputs are what was said to earlier sessions, the oldest first: what the
	// composer goes back to. They come once, whenever they are known.
	Inputs struct{ Texts []string }
)

func (Attached) update() {}
func (News) update()     {}
func (Reply) update()    {}
func (Down) update()     {}
func (Inputs) update()   {}

// What the composer can go back to is no story: the model takes it as it comes.
func (Inputs) input() {}
