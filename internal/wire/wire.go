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
	"fmt"
	"iter"
	"log/slog"
	"strings"

	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/transcript"
	"parley/internal/transport"
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

// RequestOf returns the request id inside cause if this peer sent it.
func (p Peer) RequestOf(cause event.Cause) (id string, ok bool) {
	return strings.CutPrefix(string(cause), string(p.ID)+"/")
}

// Cause returns the id of a command of this peer.
func (p Peer) Cause(id string) string { return string(p.ID) + "/" + id }

// Decoded is what a frame of a client means.
type Decoded struct {
	Peer     Peer              // as it is from now on
	Hello    *Hello            // the client says who it is; Welcome or Error answers
	Commands []command.Command // ids made with Peer.Cause
	Await    bool              // a prompt in Commands is answered by Collect, when its run has ended
	Replies  []Frame           // to send at once: handshakes, and what was wrong with the frame
	Follow   *Follow           // sessions to follow from now on
	Close    bool              // close the connection after the replies
}

// Hello is what a client says of itself when it joins.
type Hello struct {
	Client       event.ClientID // set by the pump
	Dialect      string         // set by the pump
	Name         string         // of the client's program, for people
	Version      string
	Build        string
	Cwd          string // absolute path: where the client was started
	Env          Env    // nil: the daemon's own
	Capabilities []string
	Session      string     // an id, "new" or "last"; empty: none yet
	Since        *event.Seq // as in Follow
	Peer         transport.Peer
}

// Env is a client's environment. It is kept in memory only and prints as a
// number of variables, so that it cannot reach a log or an error by accident.
type Env map[string]string

// Format writes the number of variables.
func (e Env) Format(w fmt.State, _ rune) { fmt.Fprintf(w, "env(%d)", len(e)) }

// LogValue gives the number of variables.
func (e Env) LogValue() slog.Value { return slog.StringValue(fmt.Sprint(e)) }

// Welcome is what the daemon says of itself.
type Welcome struct {
	Name    string
	Version string
	Build   string
	PID     int
	Session event.SessionID // the session that the hello named; the connection follows it from now on
	Head    event.Seq       // of that session
}

// Follow says which sessions a connection follows from now on.
type Follow struct {
	Session event.SessionID // empty: every session
	Since   *event.Seq      // every event after this one; nil: from the start of the open run
}

// A Dialect is a protocol as a value. State may be nil where a connection
// follows no session yet. The functions marked so may be nil.
//
// Commands begin in the order in which they came. Those that can take long
// (waits) do not hold back the ones behind them, unless Serial.
type Dialect struct {
	Name      string
	Serial    bool // each command is answered before the next frame is decoded
	WriteOnly bool // what the client sends means nothing, and neither does its half-close

	Begin   func(Peer) Decoded                                             // what a connection means before its first frame; nil: nothing
	Welcome func(Peer, Welcome) []Frame                                    // the answer to Decoded.Hello; nil: none
	Error   func(Peer, *transcript.State, *command.Fault) []Frame          // what is wrong outside any command: a frame over the limit, a hello refused, the log unreadable, a dialect that panicked; nil: none
	Attach  func(Peer, *transcript.State) []Frame                          // what a client gets on joining: only what is open
	Encode  func(Class, *transcript.State, event.Event) []Frame            // State already includes the event
	ForPeer func(Peer, *transcript.State, event.Event) []Frame             // further frames for the one peer, such as the answer that an event gives to its request; nil: none
	Answer  func(Peer, *transcript.State, command.Result) []Frame          // the outcome of a command
	Collect func(Peer, *transcript.State, command.Result, []Frame) []Frame // the outcome of an awaited prompt: State after its run, and what Encode made of the run for GatherClass; nil where no In has Await
	Decode  func(Peer, *transcript.State, Frame) Decoded
	Detach  func(Peer, *transcript.State) []Frame // the connection stops following a session; nil: none
}

// Collected is the capabilities of the class for which the events of an awaited
// run are encoded.
const Collected = "collected"

// A Host is the daemon as one connection sees it.
type Host interface {
	// Join says who the connection is, before its first command and once. It
	// opens or finds the session that the hello names.
	Join(ctx context.Context, h Hello) (Welcome, *command.Fault)

	// Do carries out a command. It returns when the command is answered, which
	// for a prompt is when it is durable. Cancelling ctx takes nothing back. The
	// pump calls Begin of the result exactly once, when the answer is written or
	// cannot be any more. Attach and Detach are the pump's own and never come.
	Do(ctx context.Context, c command.Command) command.Result

	// Follow returns a copy of the session's state and every event after that
	// state's Seq, without gap or repeat, until ctx ends. With since, the state is
	// that of transcript.State.Resume; without, that of Checkpoint: the one before
	// the open run, or the present one where no run is open. The sequence ends
	// without an error where the session is removed.
	Follow(ctx context.Context, id event.SessionID, since *event.Seq) (*transcript.State, iter.Seq2[event.Event, error], *command.Fault)

	// Catalog returns what is listed now and every event of the catalog after
	// it. A session.listed whose state is not idle carries the head before its
	// run.
	Catalog(ctx context.Context) ([]command.Listing, iter.Seq2[event.Event, error])
}
