package llm

import (
	"bytes"
	"encoding/json"
)

// Place is a position in an answer: the bytes of text and the number of calls that came before. It holds for any
// division of the text into blocks.
type Place struct {
	Text  int `json:"text"`
	Calls int `json:"calls"`
}

// sealed is the shape of Opaque.Data.
type sealed struct {
	At    Place           `json:"at"`
	Block json.RawMessage `json:"block"`

	part Opaque // that it came from
}

// Seal packs a block of a provider's own JSON together with its place in the answer.
func Seal(provider, model string, at Place, block json.RawMessage) Opaque {
	data, err := json.Marshal(sealed{At: at, Block: block})
	if err != nil {
		// Only a block that is not JSON gets here; the wires cut theirs out of parsed JSON.
		panic(err)
	}
	return Opaque{Provider: provider, Model: model, Data: data}
}

// Block is what [Seal] packed, nil where the data was not packed by it.
func (o Opaque) Block() json.RawMessage {
	var s sealed
	if json.Unmarshal(o.Data, &s) != nil {
		return nil
	}
	return s.Block
}

// Arrange orders the parts of an assistant's message for the provider and model it is about to be sent to: each
// opaque part of theirs stands once, at its place; those of others are gone. What came before it stands before it, and
// what came after it behind, so a text is split where an opaque part belongs inside it, and a text that followed a call
// follows it again where there was something opaque between them.
func Arrange(parts []Content, provider, model string) []Content {
	var kept []sealed
	rest := make([]Content, 0, len(parts))
	for _, p := range parts {
		o, ok := p.(Opaque)
		if !ok {
			rest = append(rest, p)
			continue
		}
		var s sealed
		if o.Provider == provider && o.Model == model && json.Unmarshal(o.Data, &s) == nil && len(s.Block) > 0 && !contains(kept, s) {
			s.part = o
			kept = append(kept, s)
		}
	}
	if len(kept) == 0 {
		return rest
	}
	out := make([]Content, 0, len(parts)+1)
	var at Place
	for _, s := range kept {
		var before []Content
		before, rest = at.advance(s.At, rest)
		out = append(append(out, before...), s.part)
	}
	return append(out, rest...)
}

// advance moves on to a place: it divides the parts that are left into those before it and those behind, each in the
// order they had. What is neither text nor a call stays behind what it follows.
func (at *Place) advance(to Place, parts []Content) (before, behind []Content) {
	for i, p := range parts {
		if at.Text >= to.Text && at.Calls >= to.Calls {
			return before, append(behind, parts[i:]...)
		}
		switch p := p.(type) {
		case Text:
			n := min(len(p.Text), max(0, to.Text-at.Text))
			at.Text += n
			if n > 0 {
				before = append(before, Text{p.Text[:n]})
			}
			if n < len(p.Text) {
				behind = append(behind, Text{p.Text[n:]})
			}
		case ToolCall:
			if at.Calls < to.Calls {
				at.Calls++
				before = append(before, p)
			} else {
				behind = append(behind, p)
			}
		default:
			if len(behind) == 0 {
				before = append(before, p)
			} else {
				behind = append(behind, p)
			}
		}
	}
	return before, behind
}

func contains(list []sealed, s sealed) bool {
	for _, have := range list {
		if have.At == s.At && bytes.Equal(have.Block, s.Block) {
			return true
		}
	}
	return false
}
