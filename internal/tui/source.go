package tui

import (
	"context"

	"parley/internal/client"
	"parley/internal/command"
)

// A Source is a session as the screen follows it: a client.Session, or a log that
// is replayed. It keeps the connection: when that is lost it says so, makes a new
// one, and goes on after the last event that it gave.
type Source interface {
	// Updates gives what happens, in order. The channel stays the same over lost
	// connections; it is closed when there is nothing more to follow.
	Updates() <-chan client.Update
	// Send sends a command about the session. It does not block; the result comes
	// as an update, with the id that was given. A command that cannot be sent has
	// a Fault for a result.
	Send(id string, b command.Body)
	// Past returns up to limit events before a cursor.
	Past(ctx context.Context, before client.Cursor, limit int) (client.Page, error)
}
