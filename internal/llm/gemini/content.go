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
	older           bool
	// ids are the server's ids of calls by the ones they got here.
	ids map[string]string
}

// turn is a content: user and tool messages in a row are one.
type turn struct {
	role  from
	parts llm.Elements
}

type from struct {
	Role string `json:"role"`
}

// contents joins what each message becomes.
func (w *writer) contents(messages []llm.Message) llm.Elements {
	var turns []turn
	for _, m := range messages {
		role, parts := from{"user"}, llm.Elements{}
		if m.Role == llm.Assistant {
			role, parts = from{"model"}, w.answered(llm.Arrange(m.Parts, w.provider, w.model))
		} else {
			parts = w.said(m.Parts)
		}
		if parts.Len() == 0 {
			continue
		}
		if n := len(turns); n == 0 || turns[n-1].role != role {
			turns = append(turns, turn{role: role})
		}
		turns[len(turns)-1].parts.Append(parts)
	}
	var out llm.Elements
	for _, t := range turns {
		out.AddJoined(t.role, "parts", t.parts)
	}
	return out
}

// said is what a user's or tool's message becomes.
func (w *writer) said(parts []llm.Content) llm.Elements {
	var out, pictures llm.Elements
	for _, c := range parts {
		switch c := c.(type) {
		case llm.Text:
			out.Add(text(c.Text))
		case llm.Image:
			out.Add(picture(c))
		case llm.ToolResult:
			key := "output"
			if c.Error {
				key = "error"
			}
			r := &result{ID: w.ids[c.CallID], Name: c.Name, Response: map[string]string{key: c.Text}}
			for _, i := range c.Images {
				if !w.older {
					r.Parts = append(r.Parts, picture(i))
					continue
				}
				pictures.Add(text("Image from "+c.Name+":"), picture(i))
			}
			out.Add(part{Result: r})
		}
	}
	out.Append(pictures)
	return out
}

func text(s string) part { return part{Text: &s} }

func picture(i llm.Image) part { return part{Data: &blob{i.MediaType, i.Data}} }

// answered encodes an answer that is sent back, in the parts it came in.
func (w *writer) answered(parts []llm.Content) (out llm.Elements) {
	var (
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
			out.Add(empty(next))
			next = nil
		}
		switch c := c.(type) {
		case llm.Opaque:
			switch {
			case !ok || s.Call != "":
			case s.Image:
				images = append(images, s.Signature)
			case s.Text == 0:
				out.Add(empty(&s))
			default:
				next = &s
			}
		case llm.Text:
			text := c.Text
			if next != nil {
				own := text[:min(next.Text, len(text))]
				out.Add(part{Text: &own, Signature: next.Signature})
				text, next = text[len(own):], nil
			}
			if text != "" {
				out.Add(part{Text: &text})
			}
		case llm.Image:
			p := picture(c)
			if len(images) > 0 {
				p.Signature, images = images[0], images[1:]
			}
			out.Add(p)
		case llm.ToolCall:
			s := calls[c.ID]
			if s.ID != "" {
				w.ids[c.ID] = s.ID
			}
			p := part{Call: &call{ID: s.ID, Name: c.Name, Args: c.Arguments}, Signature: s.Signature}
			// Of a step's calls only the first must be signed.
			if !begun && p.Signature == "" && !w.older {
				p.Signature = standIn
			}
			begun = true
			out.Add(p)
		}
	}
	if next != nil {
		out.Add(empty(next))
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
