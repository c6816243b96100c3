package native

import (
	"bytes"
	"encoding/json"
	"slices"

	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/transcript"
	"parley/internal/wire"
)

func decode(p wire.Peer, s *transcript.State, line wire.Frame) wire.Decoded {
	var l struct {
		Type string `json:"type"`
	}
	// What is wrong with the line is said by the decoder of its type.
	_ = json.Unmarshal(line, &l)
	if l.Type == "hello" {
		return decodeHello(p, s, line)
	}
	in := wire.Decoded{Peer: p}
	if len(bytes.TrimSpace(line)) == 0 {
		return in
	}
	c, fault := command.Decode(line)
	if fault == nil && !p.Ready {
		fault = command.Faultf(command.Invalid, "the first line is a hello")
	}
	if fault != nil {
		in.Replies = answer(p, s, command.Result{ID: p.Cause(c.ID), Fault: fault})
		return in
	}
	c.ID = p.Cause(c.ID)
	if c.Session == "" {
		c.Session = p.Session
	}
	in.Commands = []command.Command{c}
	return in
}

func decodeHello(p wire.Peer, s *transcript.State, line wire.Frame) wire.Decoded {
	var h hello
	in := wire.Decoded{Peer: p, Close: true}
	if err := json.Unmarshal(line, &h); err != nil {
		in.Replies = refuse(p, s, command.Faultf(command.Invalid, "not a hello: %v", err))
		return in
	}
	if p.Ready {
		in.Replies = refuse(p, s, command.Faultf(command.Invalid, "a second hello"))
		return in
	}
	if h.Protocol != Protocol {
		in.Replies = refuse(p, s, command.Faultf(command.Invalid, "protocol %d is asked for, this is %d", h.Protocol, Protocol))
		return in
	}
	in.Close = false
	in.Peer.Ready, in.Peer.Name = true, h.Client.Name
	if slices.Contains(h.Capabilities, Content) {
		in.Peer.Class.Capabilities = Content
	}
	in.Hello = &wire.Hello{Name: h.Client.Name, Version: h.Client.Version, Build: h.Client.Build, Cwd: h.Cwd, Env: h.Env, Capabilities: h.Capabilities, Since: h.Since}
	if h.Session != nil {
		in.Hello.Session = *h.Session
	}
	return in
}

// Hello returns the first line of a client.
func Hello(h wire.Hello) wire.Frame {
	l := hello{Type: "hello", Protocol: Protocol, Client: program{Name: h.Name, Version: h.Version, Build: h.Build}, Since: h.Since, Cwd: h.Cwd, Env: h.Env, Capabilities: h.Capabilities}
	if l.Capabilities == nil {
		l.Capabilities = []string{}
	}
	if h.Session != "" {
		l.Session = &h.Session
	}
	return frame(l)[0]
}

// Command returns the line of a command; its id goes over as it is.
func Command(c command.Command) wire.Frame { return frame(c)[0] }

// A Line is one line of the daemon. Exactly one of its fields is set.
type Line struct {
	Event   *event.Event
	State   *transcript.State
	Reply   *command.Reply
	Welcome *Welcome
	Fault   *command.Fault
}

// Welcome is the daemon's answer to a hello.
type Welcome struct {
	wire.Welcome
	Client event.ClientID // of this connection: what its causes begin with
}

// Parse reads a line of the daemon. A line of a type that this build does not
// know is a Line with nothing set.
func Parse(line []byte) (Line, error) {
	var l struct {
		Type string     `json:"type"`
		Seq  *event.Seq `json:"seq"`
	}
	if len(line) > len(eventStart) && string(line[:len(eventStart)]) == eventStart {
		return parseEvent(line)
	}
	if err := json.Unmarshal(line, &l); err != nil {
		return Line{}, err
	}
	switch {
	case l.Seq != nil:
		return parseEvent(line)
	case l.Type == "result":
		r, err := command.DecodeReply(line)
		return Line{Reply: &r}, err
	case l.Type == "state":
		st := stateLine{Data: transcript.New()}
		err := json.Unmarshal(line, &st)
		return Line{State: st.Data}, err
	case l.Type == "welcome":
		return parseWelcome(line)
	case l.Type == "fault":
		var f faultLine
		err := json.Unmarshal(line, &f)
		return Line{Fault: f.Error}, err
	}
	return Line{}, nil
}

// eventStart is how the codec of package event begins a line.
const eventStart = `{"seq":`

func parseEvent(line []byte) (Line, error) {
	if e, ok := parseGrew(line); ok {
		return Line{Event: &e}, nil
	}
	e, err := event.Decode(line)
	return Line{Event: &e}, err
}

func parseWelcome(line []byte) (Line, error) {
	var l welcomeLine
	if err := json.Unmarshal(line, &l); err != nil {
		return Line{}, err
	}
	w := &Welcome{wire.Welcome{Name: l.Server.Name, Version: l.Server.Version, Build: l.Server.Build, PID: l.Server.PID, Head: l.Head}, l.Client}
	if l.Session != nil {
		w.Session = *l.Session
	}
	return Line{Welcome: w}, nil
}
