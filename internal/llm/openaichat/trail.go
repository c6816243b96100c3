package openaichat

import (
	"encoding/json"
	"strings"
)

// trail is how a server sent its thinking, so that it can be given back the same way.
type trail struct {
	field   string
	details []map[string]any
}

// The fields that servers put their thinking in: DeepSeek's, which most have, and OpenRouter's.
const (
	fieldContent = "reasoning_content"
	fieldPlain   = "reasoning"
)

// block is the trail as kept in opaque data: the field that had the thinking, and the reasoning_details of OpenRouter
// (https://openrouter.ai/docs/use-cases/reasoning-tokens#preserving-reasoning-blocks).
type block struct {
	Field   string          `json:"field,omitempty"`
	Details json.RawMessage `json:"reasoning_details,omitempty"`
}

func (t *trail) add(field, thinking string, details json.RawMessage) {
	if thinking != "" {
		t.field = field
	}
	if len(details) == 0 || details[0] != '[' {
		return
	}
	var list []map[string]any
	if json.Unmarshal(details, &list) != nil {
		return
	}
	for _, d := range list {
		t.merge(d)
	}
}

// merge continues the last detail where the new one is of its type and index: text grows, all else is as said last.
func (t *trail) merge(d map[string]any) {
	if n := len(t.details); n > 0 && t.details[n-1]["type"] == d["type"] && t.details[n-1]["index"] == d["index"] {
		last := t.details[n-1]
		for key, value := range d {
			if value == nil {
				continue
			}
			grows := key == "text" || key == "summary" || key == "data"
			if piece, ok := value.(string); ok && grows {
				grow(last, key, piece)
				continue
			}
			last[key] = value
		}
		return
	}
	t.details = append(t.details, d)
}

// grow appends to a text that is kept in a builder until the trail is packed: a detail may come in thousands of
// pieces.
func grow(detail map[string]any, key, piece string) {
	switch have := detail[key].(type) {
	case *strings.Builder:
		have.WriteString(piece)
	case string:
		b := &strings.Builder{}
		b.WriteString(have)
		b.WriteString(piece)
		detail[key] = b
	default:
		detail[key] = piece
	}
}

// block is the trail as JSON, nil where there was no thinking.
func (t *trail) block() json.RawMessage {
	if t.field == "" && t.details == nil {
		return nil
	}
	for _, d := range t.details {
		for key, value := range d {
			if b, ok := value.(*strings.Builder); ok {
				d[key] = b.String()
			}
		}
	}
	b := block{Field: t.field}
	if t.details != nil {
		details, err := json.Marshal(t.details)
		if err != nil {
			return nil
		}
		b.Details = details
	}
	data, err := json.Marshal(b)
	if err != nil {
		return nil
	}
	return data
}
