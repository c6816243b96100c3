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
// opaque part of theirs stands once, at its place; those of others are gone. A text is split where an opaque part
// belongs inside it.
func Arrange(parts []Content, provider, model string) []Content {
	var kept []sealed
	rest := make([]Content, 0, len(parts))
	for _, p := range parts {
		o, ok := p.(Opaque)
		if !ok {
			rest = append(rest, p)
			continue
		}
		if o.Provider != provider || o.Model != model {
			continue
		}
		var s sealed
		if json.Unmarshal(o.Data, &s) == nil && !contains(kept, s) {
			kept = append(kept, s)
		}
	}
	if len(kept) == 0 {
		return rest
	}
	var at Place
	out := make([]Content, 0, len(parts)+1)
	release := func(final bool) {
		for len(kept) > 0 && (final || kept[0].At.Text <= at.Text && kept[0].At.Calls <= at.Calls) {
			data, _ := json.Marshal(kept[0])
			out = append(out, Opaque{Provider: provider, Model: model, Data: data})
			kept = kept[1:]
		}
	}
	for _, p := range rest {
		release(false)
		switch p := p.(type) {
		case Text:
			text := p.Text
			for len(kept) > 0 && kept[0].At.Calls <= at.Calls && kept[0].At.Text < at.Text+len(text) {
				cut := kept[0].At.Text - at.Text
				out = append(out, Text{text[:cut]})
				text, at.Text = text[cut:], kept[0].At.Text
				release(false)
			}
			out, at.Text = append(out, Text{text}), at.Text+len(text)
		case ToolCall:
			out, at.Calls = append(out, p), at.Calls+1
		default:
			out = append(out, p)
		}
	}
	release(true)
	return out
}

func contains(list []sealed, s sealed) bool {
	for _, have := range list {
		if have.At == s.At && bytes.Equal(have.Block, s.Block) {
			return true
		}
	}
	return false
}
