// Package wire says what a protocol dialect is: a value made of pure functions
// of a peer, a state and an event or a frame; and it holds the one pump that
// runs a dialect over a connection.
//
// What a dialect needs to remember lives in the folded transcript.State, so a
// client that joins late is encoded for from the same memory as one that was
// there all along. A dialect keeps no maps of pending requests, starts no
// goroutine and reads no clock. What pure functions cannot hold belongs to the
// pump: serial replies, the reply deadline, a run that begins only after its
// reply is written, a cause that has been answered.
//
// Framing belongs to package transport.
package wire

import (
	"context"
	"iter"
	"strings"

	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/transcript"
)

// A Frame is one message of a dialect without its framing.
type Frame = []byte

// A Class is what a peer's frames depend on: peers of equal class get the same
// bytes for the same event, made once and shared.
type Class struct {
	Dialect      string
	Capabilities string // sorted, comma-separated
}

// Peer is what the handshake settled. A dialect keeps nothing else.
type Peer struct {
	ID      event.ClientID // of the connection; every command id begins with it
	Name    string         // of the client, for people
	Class   Class
	Ready   bool            // the handshake is done
	Past    bool            // frames are made from a page of the past
	Session event.SessionID // the session that commands without one are about
}

// Mine returns the request id inside cause if this peer sent it.
func (p Peer) Mine(cause event.Cause) (id string, ok bool) {
	return strings.CutPrefix(string(cause), string(p.ID)+"/")
}

// Cause returns the id of a command of this peer.
func (p Peer) Cause(id string) string { return string(p.ID) + "/" + id }

// In is what a frame of a client means.
type In struct {
	Peer     Peer              // as it is from now on
	Commands []command.Command // ids made with Peer.Cause
	Replies  []Frame           // to send at once: handshakes, and what was wrong with the frame
	Follow   *Follow           // sessions to follow from now on
	Close    bool              // close the connection after the replies
}

// Follow says which sessions a connection follows from now on.
type Follow struct {
	Session event.SessionID // empty: every session
	Since   *event.Seq      // every event after this one; nil: from the start of the open run
}

// A Dialect is a protocol as a value. State may be nil where a connection
// follows no session yet.
type Dialect struct {
	Name   string
	Serial bool // each command is answered before the next is begun

	Attach func(Peer, *transcript.State) []Frame                 // what a client gets on joining: only what is open
	Encode func(Class, *transcript.State, event.Event) []Frame   // State already includes the event
	Own    func(Peer, *transcript.State, event.Event) []Frame    // further frames for the one peer, such as the answer that an event gives to its request; nil: none
	Answer func(Peer, *transcript.State, command.Result) []Frame // the outcome of a command
	Decode func(Peer, *transcript.State, Frame) In
	Detach func(Peer, *transcript.State) []Frame
}

// A Host is what a pump needs of the daemon.
type Host interface {
	// Do carries out a command. It returns when the command is answered, which
	// for a prompt is when it is durable. Cancelling ctx takes nothing back.
	Do(ctx context.Context, c command.Command) command.Result

	// Follow returns a copy of the session's state and every event after that
	// state's Seq, without gap or repeat, until ctx ends. With since, the state
	// is the one after that event, as far as a client needs it.
	Follow(ctx context.Context, id event.SessionID, since *event.Seq) (*transcript.State, iter.Seq2[event.Event, error], *command.Fault)

	// Catalog returns what is listed now and every event of the catalog after
	// it. A session.listed with state running carries the head before its run.
	Catalog(ctx context.Context) ([]command.Listing, iter.Seq2[event.Event, error])
}
