package klaude_test

import (
	"encoding/json"
	"strings"
	"testing"

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
}}

// The laws of every dialect hold.
func TestLaws(t *testing.T) { laws.Run(t) }

func FuzzDecode(f *testing.F) { laws.FuzzDecode(f, `{"type":"op","data":{}}`) }
