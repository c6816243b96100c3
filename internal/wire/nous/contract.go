package nous

import (
	"encoding/json"
	"reflect"
	"strings"
)

// shape is the keys of an object, each with the JSON type of its value.
type shape struct {
	Required map[string]string `json:"required"`
	Optional map[string]string `json:"optional"`
}

type commandShape struct {
	shape
	Response string `json:"response"`
}

// contract is docs/nous-protocol-v1.json.
type contract struct {
	Protocol  string                  `json:"protocol"`
	Version   string                  `json:"version"`
	Note      string                  `json:"note"`
	Envelopes map[string]shape        `json:"envelopes"`
	Commands  map[string]commandShape `json:"commands"`
	Responses map[string]shape        `json:"responses"`
	Events    map[string]shape        `json:"events"`
	Errors    map[string]string       `json:"errors"`
}

// Contract is the protocol as JSON: the keys of each envelope, of each command's,
// response's and event's payload, and the error codes. It is made of the types
// that this package writes and reads.
func Contract() []byte {
	c := contract{
		Protocol:  "nous NDJSON",
		Version:   version,
		Note:      "Keys that are not listed are accepted and ignored. A response accepted is listed with its command.",
		Envelopes: map[string]shape{"command": commandEnvelope(), "response": responseEnvelope(true), "error": responseEnvelope(false), "event": shapeOf(happening{}), "result event": shapeOf(flat{})},
		Commands:  make(map[string]commandShape),
		Responses: make(map[string]shape),
		Events:    make(map[string]shape),
		Errors:    codes,
	}
	for name, payload := range asks {
		c.Commands[name] = commandShape{shapeOf(payload), replies[name]}
	}
	for name, payload := range payloads {
		c.Responses[name] = shapeOf(payload)
	}
	for name, payload := range happenings {
		c.Events[name] = shapeOf(payload)
	}
	b, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		panic(err) // maps of strings
	}
	return append(b, '\n')
}

func commandEnvelope() shape {
	s := shapeOf(Envelope{})
	for _, key := range []string{"v", "payload"} {
		s.Optional[key] = s.Required[key]
		delete(s.Required, key)
	}
	return s
}

func responseEnvelope(ok bool) shape {
	s := shapeOf(response{})
	delete(s.Optional, "error")
	if !ok {
		s.Required["error"] = "object"
	}
	return s
}

// shapeOf reads the keys of a struct: those with omitempty may be missing.
func shapeOf(v any) shape {
	s := shape{map[string]string{}, map[string]string{}}
	t := reflect.TypeOf(v)
	for i := range t.NumField() {
		key, option, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if option == "omitempty" {
			s.Optional[key] = jsonType(t.Field(i).Type)
		} else {
			s.Required[key] = jsonType(t.Field(i).Type)
		}
	}
	return s
}

func jsonType(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "boolean"
	case reflect.Int:
		return "number"
	case reflect.Slice:
		return "array"
	}
	return "object"
}

var asks = map[string]any{
	ping: nothing{}, prompt: promptAsk{}, steer: textAsk{}, followUp: textAsk{}, abort: nothing{}, getState: nothing{},
	getMessages: messagesAsk{}, newSession: nothing{}, switchSession: sessionAsk{}, branchSession: sessionAsk{},
	setActiveTools: toolsAsk{}, setSteeringMode: modeAsk{}, setFollowUpMode: modeAsk{}, extension: extensionAsk{},
	compactSession: compactAsk{}, setLeaf: leafAsk{}, getTree: treeAsk{},
}

// replies are the responses of commands; a prompt that waits gets result.
var replies = map[string]string{
	ping: "pong", prompt: "accepted:prompt", steer: "accepted:steer", followUp: "accepted:follow_up", abort: "accepted:abort",
	getState: "state", getMessages: "messages", newSession: "session", switchSession: "session", branchSession: "session",
	setActiveTools: "accepted:set_active_tools", setSteeringMode: "accepted:set_steering_mode",
	setFollowUpMode: "accepted:set_follow_up_mode", extension: "extension_result", compactSession: "compaction", setLeaf: "leaf", getTree: "tree",
}

var payloads = map[string]any{
	"pong": pong{}, "accepted:prompt": acceptedPrompt{}, "accepted:steer": acceptedRun{}, "accepted:follow_up": acceptedRun{},
	"accepted:abort": acceptedRun{}, "accepted:set_active_tools": acceptedTools{}, "accepted:set_steering_mode": acceptedMode{},
	"accepted:set_follow_up_mode": acceptedMode{}, "result": result{}, "state": state{}, "messages": messages{}, "session": session{},
	"leaf": leaf{}, "tree": tree{}, "compaction": compaction{}, "extension_result": nothing{}, "error": nothing{},
}

var happenings = map[string]any{
	"agent_start": runEvent{}, "agent_end": runEvent{}, "turn_start": turnEvent{}, "turn_end": turnEvent{},
	"message_start": messageStart{}, "message_update": messageUpdate{}, "message_end": messageEnd{},
	"tool_execution_start": toolEvent{}, "tool_execution_update": toolUpdate{}, "tool_execution_end": toolEvent{},
	"status": statusEvent{}, "warning": warningEvent{}, "error": errorEvent{},
}

// codes are the error codes, each with what causes it.
var codes = map[string]string{
	"invalid_command":   "the line is not a command; its id is empty",
	"invalid_payload":   "a key of the payload is missing, empty or of the wrong type",
	"command_rejected":  "the state forbids it",
	"session_not_found": "there is no such session",
	"session_error":     "the session could not be read or written",
	"provider_error":    "the model failed in a prompt that waits",
	"timeout":           "the answer took longer than the listener allows; the command goes on",
	"internal_error":    "a defect",
}
