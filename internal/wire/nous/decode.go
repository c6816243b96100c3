package nous

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/transcript"
	"parley/internal/wire"
)

// The types of commands.
const (
	ping            = "ping"
	prompt          = "prompt"
	steer           = "steer"
	followUp        = "follow_up"
	abort           = "abort"
	getState        = "get_state"
	getMessages     = "get_messages"
	newSession      = "new_session"
	switchSession   = "switch_session"
	branchSession   = "branch_session"
	setActiveTools  = "set_active_tools"
	setSteeringMode = "set_steering_mode"
	setFollowUpMode = "set_follow_up_mode"
	extension       = "extension_command"
	compactSession  = "compact_session"
	setLeaf         = "set_leaf"
	getTree         = "get_tree"
)

// readActive is what a switch reads: the session that it makes active.
const readActive = "active"

// request is a command as decode understands it.
type request struct {
	session event.SessionID
	body    command.Body
	await   bool
	reply   any // answered at once, without the daemon
}

var decoders = map[string]func(payload) (request, *problem){
	ping:            decodePing,
	prompt:          decodePrompt,
	steer:           decodeSteer,
	followUp:        decodeFollowUp,
	abort:           func(payload) (request, *problem) { return request{body: command.Abort{}}, nil },
	getState:        func(payload) (request, *problem) { return request{body: command.Read{What: command.ReadState}}, nil },
	getMessages:     decodeMessages,
	newSession:      func(payload) (request, *problem) { return request{body: command.Open{}}, nil },
	switchSession:   decodeSwitch,
	branchSession:   decodeBranch,
	setActiveTools:  decodeTools,
	setSteeringMode: decodeSteeringMode,
	setFollowUpMode: decodeFollowUpMode,
	extension:       decodeExtension,
	compactSession:  decodeCompact,
	setLeaf:         decodeLeaf,
	getTree: func(p payload) (request, *problem) {
		return request{session: p.session("session_id"), body: command.Read{What: command.ReadTree}}, nil
	},
}

// decode turns a line into a command, or answers what is wrong with it. Until
// the envelope is known to be right, the answer has no id.
func decode(p wire.Peer, _ *transcript.State, line wire.Frame) wire.Decoded {
	in := wire.Decoded{Peer: p}
	var e Envelope
	if err := json.Unmarshal(line, &e); err != nil {
		// The original's type was called so, and its clients show the text.
		text := strings.Replace(err.Error(), "nous.Envelope", "protocol.Envelope", 1)
		in.Replies = failure("", invalidCommand("invalid_json: "+text))
		return in
	}
	f := decoders[e.Type]
	switch {
	case e.V != "" && e.V != version:
		in.Replies = failure("", invalidCommand("invalid_version: expected 1, got "+e.V))
	case e.ID == "":
		in.Replies = failure("", invalidCommand("missing_id"))
	case e.Type == "":
		in.Replies = failure("", invalidCommand("missing_type"))
	case f == nil:
		in.Replies = failure("", invalidCommand("invalid_command: "+e.Type))
	}
	if in.Replies != nil {
		return in
	}
	r, bad := f(payload(e.Payload))
	switch {
	case bad != nil:
		in.Replies = failure(e.ID, bad)
	case r.reply != nil:
		in.Replies = succeeded(e.ID, "pong", r.reply)
	default:
		in.Commands = []command.Command{{ID: p.Cause(e.Type + "/" + e.ID), Session: r.session, Body: r.body}}
		in.Await = r.await
	}
	return in
}

func invalidCommand(text string) *problem { return &problem{Code: "invalid_command", Message: text} }
func invalidPayload(text string) *problem { return &problem{Code: "invalid_payload", Message: text} }
func rejected(text string) *problem       { return &problem{Code: "command_rejected", Message: text} }

type payload map[string]any

// text returns a string; empty for anything else.
func (p payload) text(key string) string {
	s, _ := p[key].(string)
	return s
}

func (p payload) session(key string) event.SessionID { return event.SessionID(p.text(key)) }

func decodePing(payload) (request, *problem) { return request{reply: pong{"pong"}}, nil }

// retries is how often a provider is asked again in a run of this dialect: its clients count them.
const retries = 3

func decodePrompt(p payload) (request, *problem) {
	text := p.text("text")
	if text == "" {
		return request{}, invalidPayload("text is required")
	}
	wait := true
	if v, there := p["wait"]; there {
		b, ok := v.(bool)
		if !ok {
			return request{}, invalidPayload("wait must be a boolean")
		}
		wait = b
	}
	c := command.Prompt{Text: text, Hold: !wait, Patience: &event.Patience{Retries: retries}}
	if v, there := p["leaf_id"]; there {
		s, ok := v.(string)
		if !ok {
			return request{}, invalidPayload("leaf_id must be a string")
		}
		if id := event.EntryID(strings.TrimSpace(s)); id != "" {
			c.Leaf = &id
		}
	}
	return request{body: c, await: wait}, nil
}

func decodeSteer(p payload) (request, *problem) {
	if p.text("text") == "" {
		return request{}, invalidPayload("text is required")
	}
	return request{body: command.Steer{Text: p.text("text"), When: event.WhenPause}}, nil
}

func decodeFollowUp(p payload) (request, *problem) {
	if p.text("text") == "" {
		return request{}, invalidPayload("text is required")
	}
	return request{body: command.FollowUp{Text: p.text("text")}}, nil
}

func decodeMessages(p payload) (request, *problem) {
	c := command.Read{What: command.ReadEntries}
	if id := event.EntryID(strings.TrimSpace(p.text("leaf_id"))); id != "" {
		c.Leaf = &id
	}
	return request{session: p.session("session_id"), body: c}, nil
}

func decodeSwitch(p payload) (request, *problem) {
	id := p.session("session_id")
	if id == "" {
		return request{}, invalidPayload("session_id is required")
	}
	return request{session: id, body: command.Read{What: readActive}}, nil
}

func decodeBranch(p payload) (request, *problem) {
	id := p.session("session_id")
	if id == "" {
		id = p.session("parent_id")
	}
	if id == "" {
		return request{}, invalidPayload("session_id is required")
	}
	return request{session: id, body: command.Branch{}}, nil
}

// decodeTools keeps the names as the client knows them: their number is part of
// the answer.
func decodeTools(p payload) (request, *problem) {
	list, ok := p["tools"].([]any)
	if !ok {
		return request{}, invalidPayload("tools must be an array")
	}
	names := make([]string, 0, len(list))
	for _, v := range list {
		name, _ := v.(string)
		if name == "" {
			return request{}, invalidPayload("tools must be string array")
		}
		names = append(names, name)
	}
	for _, name := range names {
		if !slices.Contains(builtins, name) {
			return request{}, rejected("tool_not_registered: " + name)
		}
	}
	return request{body: command.Set{SettingChanged: event.SettingChanged{Tools: &names}}}, nil
}

func decodeSteeringMode(p payload) (request, *problem) {
	mode, bad := p.mode()
	return request{body: command.Set{SettingChanged: event.SettingChanged{Steering: &mode}}}, bad
}

func decodeFollowUpMode(p payload) (request, *problem) {
	mode, bad := p.mode()
	return request{body: command.Set{SettingChanged: event.SettingChanged{FollowUp: &mode}}}, bad
}

func (p payload) mode() (event.Mode, *problem) {
	switch mode := event.Mode(p.text("mode")); mode {
	case event.ModeOne, event.ModeAll:
		return mode, nil
	case "":
		return "", invalidPayload("mode is required")
	}
	return "", invalidPayload("mode must be one-at-a-time or all")
}

func decodeExtension(p payload) (request, *problem) {
	name := p.text("name")
	if name == "" {
		return request{}, invalidPayload("name is required")
	}
	arguments, ok := p["payload"].(map[string]any)
	if !ok {
		arguments = map[string]any{}
	}
	b, err := json.Marshal(arguments)
	if err != nil {
		return request{}, invalidPayload(fmt.Sprintf("payload: %v", err))
	}
	return request{body: command.Do{Name: name, Arguments: b}}, nil
}

func decodeCompact(p payload) (request, *problem) {
	instruction := ""
	if v, there := p["instruction"]; there {
		s, ok := v.(string)
		if !ok {
			return request{}, invalidPayload("instruction must be a string")
		}
		instruction = strings.TrimSpace(s)
	}
	return request{session: p.session("session_id"), body: command.Compact{Instruction: instruction}}, nil
}

func decodeLeaf(p payload) (request, *problem) {
	id := event.EntryID(strings.TrimSpace(p.text("leaf_id")))
	if id == "" {
		return request{}, invalidPayload("leaf_id is required")
	}
	return request{session: p.session("session_id"), body: command.SetLeaf{Leaf: id}}, nil
}
