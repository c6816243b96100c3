package nous

import "encoding/json"

// version is the v of every envelope.
const version = "1"

// Envelope is a line of a client. Its name is in the texts of decoding errors.
type Envelope struct {
	V       string         `json:"v"`
	ID      string         `json:"id"`
	Type    string         `json:"type"`
	Payload map[string]any `json:"payload"`
	TS      string         `json:"ts,omitempty"`
	Meta    map[string]any `json:"meta,omitempty"`
}

type response struct {
	V       string   `json:"v"`
	ID      string   `json:"id"`
	Type    string   `json:"type"`
	Payload any      `json:"payload"`
	OK      bool     `json:"ok"`
	Error   *problem `json:"error,omitempty"`
}

type problem struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Cause   string `json:"cause,omitempty"`
}

type happening struct {
	V       string `json:"v"`
	ID      string `json:"id"`
	Type    string `json:"type"`
	Payload any    `json:"payload"`
	TS      string `json:"ts"`
}

// flat is an event inside a result: no envelope, and the turn as a number.
type flat struct {
	Type       string `json:"type"`
	RunID      string `json:"run_id,omitempty"`
	Turn       int    `json:"turn,omitempty"`
	MessageID  string `json:"message_id,omitempty"`
	Role       string `json:"role,omitempty"`
	Delta      string `json:"delta,omitempty"`
	ToolCallID string `json:"tool_call_id,omitempty"`
	ToolName   string `json:"tool_name,omitempty"`
	Message    string `json:"message,omitempty"`
	Code       string `json:"code,omitempty"`
	Cause      string `json:"cause,omitempty"`
	TS         string `json:"ts"`
}

// The payloads of commands, for the contract; decode reads them by hand because
// the original forgives some wrong types and not others.
type (
	nothing   struct{}
	promptAsk struct {
		LeafID string `json:"leaf_id,omitempty"`
		Text   string `json:"text"`
		Wait   bool   `json:"wait,omitempty"`
	}
	textAsk struct {
		Text string `json:"text"`
	}
	modeAsk struct {
		Mode string `json:"mode"`
	}
	toolsAsk struct {
		Tools []string `json:"tools"`
	}
	messagesAsk struct {
		LeafID    string `json:"leaf_id,omitempty"`
		SessionID string `json:"session_id,omitempty"`
	}
	sessionAsk struct {
		SessionID string `json:"session_id"`
	}
	treeAsk struct {
		SessionID string `json:"session_id,omitempty"`
	}
	leafAsk struct {
		LeafID    string `json:"leaf_id"`
		SessionID string `json:"session_id,omitempty"`
	}
	compactAsk struct {
		Instruction string `json:"instruction,omitempty"`
		SessionID   string `json:"session_id,omitempty"`
	}
	extensionAsk struct {
		Name    string         `json:"name"`
		Payload map[string]any `json:"payload,omitempty"`
	}
)

// The payloads of responses, their keys in alphabetical order.
type (
	pong struct {
		Message string `json:"message"`
	}
	acceptedPrompt struct {
		Command   string `json:"command"`
		LeafID    string `json:"leaf_id,omitempty"`
		RunID     string `json:"run_id"`
		SessionID string `json:"session_id"`
	}
	acceptedRun struct {
		Command string `json:"command"`
		RunID   string `json:"run_id,omitempty"`
	}
	acceptedMode struct {
		Command string `json:"command"`
		Mode    string `json:"mode"`
	}
	acceptedTools struct {
		Command string `json:"command"`
		Count   int    `json:"count"`
	}
	result struct {
		Events    []json.RawMessage `json:"events"`
		LeafID    string            `json:"leaf_id,omitempty"`
		Output    string            `json:"output"`
		SessionID string            `json:"session_id"`
	}
	pending struct {
		FollowUp int `json:"follow_up"`
		Steer    int `json:"steer"`
	}
	state struct {
		FollowUpMode  string  `json:"follow_up_mode"`
		PendingCounts pending `json:"pending_counts"`
		RunID         string  `json:"run_id"`
		RunState      string  `json:"run_state"`
		SessionID     string  `json:"session_id"`
		SteeringMode  string  `json:"steering_mode"`
	}
	messages struct {
		LeafID    string    `json:"leaf_id,omitempty"`
		Messages  []message `json:"messages"`
		SessionID string    `json:"session_id"`
	}
	message struct {
		Type      string `json:"type"`
		ID        string `json:"id"`
		ParentID  string `json:"parent_id,omitempty"`
		Role      string `json:"role"`
		Text      string `json:"text"`
		RunID     string `json:"run_id,omitempty"`
		TurnKind  string `json:"turn_kind,omitempty"`
		CreatedAt string `json:"created_at"`
	}
	session struct {
		Active    bool   `json:"active"`
		ParentID  string `json:"parent_id,omitempty"`
		SessionID string `json:"session_id"`
	}
	leaf struct {
		LeafID    string `json:"leaf_id"`
		SessionID string `json:"session_id"`
	}
	tree struct {
		LeafID    string `json:"leaf_id,omitempty"`
		Nodes     []node `json:"nodes"`
		SessionID string `json:"session_id"`
	}
	node struct {
		ID       string `json:"id"`
		ParentID string `json:"parent_id"`
		Role     string `json:"role"`
		Snippet  string `json:"snippet"`
	}
	compaction struct {
		FirstKept    string `json:"first_kept_entry_id"`
		Instruction  string `json:"instruction,omitempty"`
		SessionID    string `json:"session_id"`
		Summary      string `json:"summary"`
		TokensBefore int    `json:"tokens_before"`
		Trigger      string `json:"trigger"`
	}
)

// The payloads of events, their keys in alphabetical order.
type (
	runEvent struct {
		RunID string `json:"run_id"`
	}
	turnEvent struct {
		RunID  string `json:"run_id"`
		TurnID string `json:"turn_id"`
	}
	messageStart struct {
		MessageID string `json:"message_id"`
		Role      string `json:"role"`
		RunID     string `json:"run_id"`
		TurnID    string `json:"turn_id"`
	}
	messageUpdate struct {
		Delta     string `json:"delta,omitempty"`
		MessageID string `json:"message_id"`
		RunID     string `json:"run_id"`
		TurnID    string `json:"turn_id"`
	}
	messageEnd struct {
		MessageID string `json:"message_id"`
		RunID     string `json:"run_id"`
		TurnID    string `json:"turn_id"`
	}
	toolEvent struct {
		RunID      string `json:"run_id"`
		ToolCallID string `json:"tool_call_id"`
		ToolName   string `json:"tool_name"`
		TurnID     string `json:"turn_id"`
	}
	toolUpdate struct {
		Delta      string `json:"delta,omitempty"`
		RunID      string `json:"run_id"`
		ToolCallID string `json:"tool_call_id"`
		ToolName   string `json:"tool_name"`
		TurnID     string `json:"turn_id"`
	}
	statusEvent struct {
		Message string `json:"message"`
		RunID   string `json:"run_id"`
		TurnID  string `json:"turn_id,omitempty"`
	}
	warningEvent struct {
		Code    string `json:"code"`
		Message string `json:"message"`
		RunID   string `json:"run_id"`
		TurnID  string `json:"turn_id,omitempty"`
	}
	errorEvent struct {
		Cause   string `json:"cause,omitempty"`
		Code    string `json:"code"`
		Message string `json:"message"`
		RunID   string `json:"run_id"`
		TurnID  string `json:"turn_id,omitempty"`
	}
)
