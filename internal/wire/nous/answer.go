package nous

import (
	"encoding/json"
	"strings"

	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/transcript"
	"parley/internal/wire"
)

// Commands is the dialect of the command socket.
var Commands = wire.Dialect{
	Name:    "nous",
	Serial:  true,
	Begin:   begin,
	Error:   refuse,
	Attach:  func(wire.Peer, *transcript.State) []wire.Frame { return nil },
	Encode:  encode,
	Answer:  answer,
	Collect: gather,
	Decode:  decode,
}

// Events is the dialect of the event socket: who connects, subscribes.
var Events = wire.Dialect{
	Name:      "nous-events",
	WriteOnly: true,
	Begin: func(p wire.Peer) wire.Decoded {
		in := begin(p)
		in.Follow = &wire.Follow{}
		return in
	},
	Attach: func(wire.Peer, *transcript.State) []wire.Frame { return nil },
	Encode: encode,
	Answer: func(wire.Peer, *transcript.State, command.Result) []wire.Frame { return nil },
	Decode: func(p wire.Peer, _ *transcript.State, _ wire.Frame) wire.Decoded { return wire.Decoded{Peer: p} },
}

func begin(p wire.Peer) wire.Decoded {
	p.Ready, p.Name = true, "nous"
	return wire.Decoded{Peer: p, Hello: &wire.Hello{Name: p.Name}}
}

// refuse answers a line over the limit, and whatever else concerns no command.
func refuse(_ wire.Peer, _ *transcript.State, f *command.Fault) []wire.Frame {
	if f.Code == command.Internal {
		return failure("", &problem{Code: "internal_error", Message: "internal panic", Cause: f.Message})
	}
	return failure("", invalidCommand("invalid_json: "+f.Message))
}

func succeeded(id, kind string, payload any) []wire.Frame {
	return []wire.Frame{line(response{V: version, ID: id, Type: kind, Payload: payload, OK: true})}
}

func failure(id string, p *problem) []wire.Frame {
	return []wire.Frame{line(response{V: version, ID: id, Type: "error", Payload: nothing{}, Error: p})}
}

// split takes a command's id apart: the type and the client's id.
func split(p wire.Peer, id string) (kind, theirs string) {
	id, _ = p.RequestOf(event.Cause(id))
	kind, theirs, _ = strings.Cut(id, "/")
	return kind, theirs
}

func answer(p wire.Peer, _ *transcript.State, r command.Result) []wire.Frame {
	kind, id := split(p, r.ID)
	if r.Fault != nil {
		return failure(id, problemOf(kind, r.Fault))
	}
	if kind, payload := success(kind, r.Data); payload != nil {
		return succeeded(id, kind, payload)
	}
	return failure(id, &problem{Code: "internal_error", Message: "internal panic", Cause: "no answer to " + kind})
}

// success is the response to a command of a kind; nothing where the data is not
// what that kind is answered with.
func success(kind string, data command.Data) (response string, payload any) {
	switch d := data.(type) {
	case command.Accepted:
		switch kind {
		case prompt:
			return "accepted", acceptedPrompt{kind, string(d.Leaf), runID(d.Number), string(d.Session)}
		case steer, followUp, abort:
			a := acceptedRun{Command: kind}
			if d.Number > 0 {
				a.RunID = runID(d.Number)
			}
			return "accepted", a
		}
	case command.Changed:
		return "accepted", changed(kind, d.Settings)
	case command.Opened:
		return "session", session{true, string(d.Parent), string(d.Session)}
	case command.Moved:
		return "leaf", leaf{string(d.Leaf), string(d.Session)}
	case command.Raw:
		var object map[string]json.RawMessage
		if b, err := d.MarshalJSON(); err == nil && json.Unmarshal(b, &object) == nil && object != nil && types[kind] != "" {
			return types[kind], json.RawMessage(b)
		}
	}
	return "", nil
}

// types are the responses whose payload the family makes, or an extension.
var types = map[string]string{
	getState: "state", getMessages: "messages", getTree: "tree", compactSession: "compaction", extension: "extension_result",
}

func changed(kind string, c event.SettingChanged) any {
	switch {
	case kind == setSteeringMode && c.Steering != nil:
		return acceptedMode{kind, string(*c.Steering)}
	case kind == setFollowUpMode && c.FollowUp != nil:
		return acceptedMode{kind, string(*c.FollowUp)}
	case kind == setActiveTools && c.Tools != nil:
		return acceptedTools{kind, len(*c.Tools)}
	}
	return nil
}

// problemOf maps our faults to the protocol's errors.
func problemOf(kind string, f *command.Fault) *problem {
	if f == wire.ErrTimeout {
		return &problem{Code: "timeout", Message: f.Message}
	}
	code := map[command.Code]string{
		command.Invalid: "invalid_payload", command.NotFound: "session_not_found", command.Provider: "provider_error",
		command.Internal: "session_error", command.Busy: "command_rejected", command.Denied: "command_rejected",
		command.Closed: "command_rejected", command.Canceled: "command_rejected", command.Limit: "command_rejected",
		command.Tool: "command_rejected",
	}[f.Code]
	switch {
	case code == "":
		code = "internal_error"
	case kind == extension && f.Code != command.Internal:
		code = "command_rejected" // not found, or what its handler says
	case kind == prompt && f.Code == command.Internal:
		return &problem{Code: code, Message: "session operation failed", Cause: f.Message}
	case kind == prompt && f.Code == command.Provider:
		return &problem{Code: code, Message: "provider request failed", Cause: f.Message}
	}
	return &problem{Code: code, Message: f.Message}
}

// collect answers a prompt that waits, with the events of its run.
func gather(p wire.Peer, s *transcript.State, r command.Result, frames []wire.Frame) []wire.Frame {
	_, id := split(p, r.ID)
	a, _ := r.Data.(command.Accepted)
	if cause, failed := failedWith(frames); failed {
		return failure(id, &problem{Code: "provider_error", Message: "provider request failed", Cause: cause})
	}
	out := result{Events: make([]json.RawMessage, len(frames)), LeafID: string(a.Leaf), SessionID: string(a.Session)}
	for i, f := range frames {
		out.Events[i] = json.RawMessage(f)
	}
	for i := len(s.Entries) - 1; i >= 0; i-- {
		if n := s.Entries[i]; n.Run == a.Run && n.Role == "assistant" && n.Content != nil {
			out.Output = answerText(n.Content)
			break
		}
	}
	return succeeded(id, "result", out)
}

// failedWith looks for an error in the run's last turn.
func failedWith(frames []wire.Frame) (cause string, failed bool) {
	for i := len(frames) - 1; i >= 0; i-- {
		var f flat
		if json.Unmarshal(frames[i], &f) != nil || f.Type == "turn_start" {
			return "", false
		}
		if f.Type == "error" {
			return f.Cause, true
		}
	}
	return "", false
}
