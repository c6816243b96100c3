package gemini

import (
	"encoding/json"

	"parley/internal/llm"
)

// standIn is what the server takes in place of the signature of a call that another model made
// (https://ai.google.dev/gemini-api/docs/thought-signatures#faqs).
const standIn = "skip_thought_signature_validator"

// writer turns messages into contents.
type writer struct {
	provider, model string
	generation      int
	// ids are the server's ids of calls by the ones they got here.
	ids map[string]string
}

// contents are the turns: user and tool messages in a row are one.
func (w *writer) contents(messages []llm.Message) []content {
	var out []content
	add := func(role string, parts []part) {
		if len(parts) == 0 {
			return
		}
		if n := len(out); n > 0 && out[n-1].Role == role {
			out[n-1].Parts = append(out[n-1].Parts, parts...)
			return
		}
		out = append(out, content{role, parts})
	}
	for _, m := range messages {
		if m.Role == llm.Assistant {
			add("model", w.answered(llm.Arrange(m.Parts, w.provider, w.model)))
		} else {
			add("user", w.said(m.Parts))
		}
	}
	return out
}

// said is a user's or tool's message.
func (w *writer) said(parts []llm.Content) []part {
	var out, pictures []part
	for _, c := range parts {
		switch c := c.(type) {
		case llm.Text:
			out = append(out, part{Text: &c.Text})
		case llm.Image:
			out = append(out, picture(c))
		case llm.ToolResult:
			key := "output"
			if c.Error {
				key = "error"
			}
			r := &result{ID: w.ids[c.CallID], Name: c.Name, Response: map[string]string{key: c.Text}}
			for _, i := range c.Images {
				if w.generation >= third {
					r.Parts = append(r.Parts, picture(i))
					continue
				}
				label := "Image from " + c.Name + ":"
				pictures = append(pictures, part{Text: &label}, picture(i))
			}
			out = append(out, part{Result: r})
		}
	}
	return append(out, pictures...)
}

func picture(i llm.Image) part { return part{Data: &blob{i.MediaType, i.Data}} }

// answered is an answer given back as the parts it came in.
func (w *writer) answered(parts []llm.Content) []part {
	var (
		out    []part
		images []string
		next   *signed
	)
	calls := make(map[string]signed)
	for _, c := range parts {
		if s, ok := mark(c); ok && s.Call != "" {
			calls[s.Call] = s
		}
	}
	begun := false
	for _, c := range parts {
		s, ok := mark(c)
		if next != nil && (ok || !isText(c)) {
			out, next = append(out, empty(next)), nil
		}
		switch c := c.(type) {
		case llm.Opaque:
			switch {
			case !ok || s.Call != "":
			case s.Image:
				images = append(images, s.Signature)
			case s.Text == 0:
				out = append(out, empty(&s))
			default:
				next = &s
			}
		case llm.Text:
			text := c.Text
			if next != nil {
				own := text[:min(next.Text, len(text))]
				out = append(out, part{Text: &own, Signature: next.Signature})
				text, next = text[len(own):], nil
			}
			if text != "" {
				out = append(out, part{Text: &text})
			}
		case llm.Image:
			p := picture(c)
			if len(images) > 0 {
				p.Signature, images = images[0], images[1:]
			}
			out = append(out, p)
		case llm.ToolCall:
			s := calls[c.ID]
			if s.ID != "" {
				w.ids[c.ID] = s.ID
			}
			p := part{Call: &call{ID: s.ID, Name: c.Name, Args: c.Arguments}, Signature: s.Signature}
			// Of a step's calls only the first must be signed.
			if !begun && p.Signature == "" && w.generation >= third {
				p.Signature = standIn
			}
			begun = true
			out = append(out, p)
		}
	}
	if next != nil {
		out = append(out, empty(next))
	}
	return out
}

func mark(c llm.Content) (s signed, ok bool) {
	o, ok := c.(llm.Opaque)
	if !ok {
		return s, false
	}
	return s, json.Unmarshal(o.Block(), &s) == nil
}

func isText(c llm.Content) bool {
	_, ok := c.(llm.Text)
	return ok
}

// empty is a signature without text of its own.
func empty(s *signed) part {
	return part{Text: new(string), Signature: s.Signature}
}
