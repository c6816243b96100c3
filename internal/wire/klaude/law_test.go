package klaude_test

import (
	"encoding/json"
	"strings"
	"testing"

	"parley/internal/event"
	"parley/internal/wire"
	"parley/internal/wire/klaude"
	"parley/internal/wire/wiretest"
)

var laws = wiretest.Laws{Dialect: &klaude.Dialect, Peer: peer, Text: func(frames []wire.Frame) string {
	var out strings.Builder
	for _, f := range frames {
		var l struct {
			Type string
			Data struct{ Content string }
		}
		if json.Unmarshal(f, &l) == nil && (l.Type == "AssistantTextDeltaEvent" || l.Type == "ThinkingDeltaEvent") {
			out.WriteString(l.Data.Content)
		}
	}
	return out.String()
}, Facts: func(frames []wire.Frame) []wiretest.Fact {
	var out []wiretest.Fact
	for _, f := range frames {
		var l struct {
			Type string
			Data struct {
				Session  event.SessionID `json:"session_id"`
				Response string          `json:"response_id"`
				Content  string
				Call     string `json:"tool_call_id"`
				Name     string `json:"tool_name"`
				Args     string `json:"arguments"`
				Result   string
				Status   string
			}
		}
		if json.Unmarshal(f, &l) != nil {
			continue
		}
		d := l.Data
		switch l.Type {
		case "AssistantTextDeltaEvent", "ThinkingDeltaEvent":
			out = append(out, wiretest.Fact{Session: d.Session, What: l.Type + d.Response, Text: d.Content, Grows: true})
		case "UserMessageEvent", "TaskStartEvent", "TurnStartEvent", "TurnEndEvent", "AssistantTextStartEvent", "AssistantTextEndEvent",
			"ResponseCompleteEvent", "ToolCallEvent", "ToolResultEvent", "TaskFinishEvent", "InterruptEvent":
			out = append(out, wiretest.Fact{Session: d.Session, What: l.Type + d.Response + d.Call, Text: d.Name + d.Args + d.Content + d.Status + d.Result})
		}
	}
	return out
}}

// The laws of every dialect hold.
func TestLaws(t *testing.T) { laws.Run(t) }

func FuzzDecode(f *testing.F) { laws.FuzzDecode(f, `{"type":"op","data":{}}`) }
