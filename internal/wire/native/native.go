// Package native is Parley's own dialect: the log's JSON and the commands' JSON,
// one object a line, behind a handshake.
//
//	> {"type":"hello","protocol":1,"client":{"name":"parley","version":"…","build":"…"},
//	   "session":ID|"new"|"last"|null,"since":SEQ|null,"cwd":"…","env":{…},"capabilities":["ask",…]}
//	< {"type":"welcome","protocol":1,"server":{"name":"parley","version":"…","build":"…","pid":1},
//	   "client":"…","session":ID|null,"head":SEQ}
//	> {"type":"prompt","id":"7","session":ID,"data":{"text":"…"}}
//	< {"type":"result","id":"7","ok":true,"data":{…}}
//
// A session that is followed is a line of type state, where the stream does not
// begin at the session's start, and then events as they are in the log: the
// lines with a seq, which always rises. A command without a session is about
// that of the hello. What is wrong outside any command is a line of type fault.
// A command's id comes back in its result as it was; the cause of an event is
// "CLIENT/ID" with the client of the welcome.
//
// The package holds both ends: [Dialect] for the daemon, [Hello] and [Parse] for
// a client. The codecs of events and commands are those of their packages.
//
// It does not look into environment or capabilities: the daemon does.
package native

import (
	"bytes"
	"cmp"
	"encoding/json"

	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/transcript"
	"parley/internal/wire"
)

// Protocol is the version of the dialect.
const Protocol = 1

// Dialect is the daemon's end.
var Dialect = wire.Dialect{
	Name:    "native",
	Welcome: welcome,
	Error:   refuse,
	Attach:  attach,
	Encode:  encode,
	Answer:  answer,
	Decode:  decode,
}

type program struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Build   string `json:"build"`
	PID     int    `json:"pid,omitempty"`
}

type hello struct {
	Type         string     `json:"type"`
	Protocol     int        `json:"protocol"`
	Client       program    `json:"client"`
	Session      *string    `json:"session"`
	Since        *event.Seq `json:"since"`
	Cwd          string     `json:"cwd"`
	Env          wire.Env   `json:"env,omitempty"`
	Capabilities []string   `json:"capabilities"`
}

type welcomeLine struct {
	Type     string           `json:"type"`
	Protocol int              `json:"protocol"`
	Server   program          `json:"server"`
	Client   event.ClientID   `json:"client"`
	Session  *event.SessionID `json:"session"`
	Head     event.Seq        `json:"head"`
}

type stateLine struct {
	Type    string            `json:"type"`
	Session event.SessionID   `json:"session"`
	Data    *transcript.State `json:"data"`
}

type faultLine struct {
	Type  string         `json:"type"`
	Error *command.Fault `json:"error"`
}

func welcome(p wire.Peer, w wire.Welcome) []wire.Frame {
	l := welcomeLine{Type: "welcome", Protocol: Protocol, Server: program{w.Name, w.Version, w.Build, w.PID}, Client: p.ID, Head: w.Head}
	if w.Session != "" {
		l.Session = &w.Session
	}
	return frame(l)
}

func refuse(_ wire.Peer, _ *transcript.State, f *command.Fault) []wire.Frame {
	return frame(faultLine{"fault", f})
}

// Content is the capability of a client that wants the content of all entries
// with the state. Other clients get the last Entries of them, without content,
// however long the session is; they read the rest by commands.
const (
	Content = "content"
	Entries = 20
)

// attach sends the state, unless there is none yet: nothing has happened, and
// nothing is inherited.
func attach(p wire.Peer, s *transcript.State) []wire.Frame {
	if s.Seq == 0 && len(s.Entries) == 0 {
		return nil
	}
	if p.Class.Capabilities != Content {
		s = s.Tail(Entries)
	}
	return frame(stateLine{"state", cmp.Or(s.Session, p.Session), s})
}

// encode leaves out what the pump adds for dialects that show only deltas:
// block.ended repeats it.
func encode(_ wire.Class, _ *transcript.State, e event.Event) []wire.Frame {
	if e.Seq == 0 {
		return nil
	}
	b, err := e.AppendJSON(nil)
	if err != nil {
		// A log holds nothing that its own codec did not write.
		return nil
	}
	return []wire.Frame{b}
}

func answer(p wire.Peer, _ *transcript.State, r command.Result) []wire.Frame {
	if id, ok := p.RequestOf(event.Cause(r.ID)); ok {
		r.ID = id
	}
	return frame(r)
}

// frame encodes one line. It panics for what cannot be encoded, which no value
// of this package's types is.
func frame(v any) []wire.Frame {
	var w bytes.Buffer
	enc := json.NewEncoder(&w)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err)
	}
	return []wire.Frame{bytes.TrimSuffix(w.Bytes(), []byte("\n"))}
}
