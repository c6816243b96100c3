package openairesponses

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"parley/internal/llm"
)

// event is what any event of the stream may hold of interest
// (https://platform.openai.com/docs/api-reference/responses-streaming).
type event struct {
	Type      string          `json:"type"`
	Delta     words           `json:"delta"`
	ItemID    string          `json:"item_id"`
	Index     int             `json:"output_index"`
	Summary   int             `json:"summary_index"`
	Arguments words           `json:"arguments"`
	Item      json.RawMessage `json:"item"`
	Response  response        `json:"response"`
}

type response struct {
	Model      string            `json:"model"`
	Status     string            `json:"status"`
	Output     []json.RawMessage `json:"output"`
	Error      json.RawMessage   `json:"error"`
	Incomplete struct {
		Reason string `json:"reason"`
	} `json:"incomplete_details"`
	Usage struct {
		Input        int `json:"input_tokens"`
		Output       int `json:"output_tokens"`
		InputDetails struct {
			Cached  int `json:"cached_tokens"`
			Written int `json:"cache_write_tokens"`
		} `json:"input_tokens_details"`
		OutputDetails struct {
			Reasoning int `json:"reasoning_tokens"`
		} `json:"output_tokens_details"`
	} `json:"usage"`
}

// item is one item of the output: a message, a reasoning, a function call or a picture.
type item struct {
	Type      string `json:"type"`
	ID        string `json:"id"`
	Phase     string `json:"phase"`
	CallID    string `json:"call_id"`
	Name      string `json:"name"`
	Arguments words  `json:"arguments"`
	Encrypted string `json:"encrypted_content"`
	Result    string `json:"result"`
	Format    string `json:"output_format"`
	Content   []struct {
		Text    string `json:"text"`
		Refusal string `json:"refusal"`
	} `json:"content"`
}

// words is a string where there is one; other events have structures under the same names.
type words string

func (w *words) UnmarshalJSON(data []byte) error {
	if data[0] != '"' {
		return nil
	}
	return json.Unmarshal(data, (*string)(w))
}

// state is what an answer needs to remember between events.
type state struct {
	answer *llm.Answer
	calls  map[int]*call
	order  []*call
	// said and thought tell what the last part was, to keep two messages or two summaries apart.
	said, thought bool
	fresh         bool
	summary       int
	refused       bool
	spoke         bool
}

type call struct {
	own, name string
	arguments strings.Builder
	over      bool
}

// take writes what one event adds. It is over at the last event, and when the caller has left.
func (s *state) take(e *event, data []byte) (over bool, err error) {
	if e.Response.Model != "" {
		s.answer.End.ResponseModel = e.Response.Model
	}
	switch e.Type {
	case "response.output_item.added":
		return s.added(e)
	case "response.output_text.delta":
		return !s.say(string(e.Delta)), nil
	case "response.refusal.delta":
		s.refused = true
		return !s.say(string(e.Delta)), nil
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		return !s.think(e), nil
	case "response.function_call_arguments.delta":
		if c := s.calls[e.Index]; c != nil && !c.over {
			c.arguments.WriteString(string(e.Delta))
		}
	case "response.output_item.done":
		var i item
		if err := json.Unmarshal(e.Item, &i); err != nil {
			return false, llm.Malformed(err)
		}
		return !s.done(e.Index, &i, e.Item), nil
	case "response.completed", "response.incomplete":
		return true, s.complete(e)
	case "response.failed", "response.cancelled":
		s.usage(e)
		message, code := llm.Complaint(e.Response.Error)
		return true, llm.StreamFault(message, code)
	case "error":
		message, code := llm.Complaint(data)
		return true, llm.StreamFault(message, code)
	}
	return false, nil
}

func (s *state) added(e *event) (over bool, err error) {
	var i item
	if err := json.Unmarshal(e.Item, &i); err != nil {
		return false, llm.Malformed(err)
	}
	s.fresh = true
	if i.Type == "function_call" {
		return !s.begin(e.Index, &i), nil
	}
	if i.Type == "message" && i.Phase != "" {
		block, _ := json.Marshal(mark{Type: "message", Phase: i.Phase})
		return !s.answer.Opaque(block), nil
	}
	return false, nil
}

// mark is the opaque data of a message: the text from its place on has the phase.
type mark struct {
	Type  string `json:"type"`
	Phase string `json:"phase"`
}

func (s *state) say(text string) bool {
	if s.fresh && s.said && text != "" {
		text = "\n\n" + text
	}
	s.fresh, s.said, s.thought, s.spoke = false, true, false, true
	return s.answer.Text(text)
}

// think gives out reasoning; each part of a summary is a paragraph.
func (s *state) think(e *event) bool {
	text := string(e.Delta)
	if s.thought && (s.fresh || e.Summary != s.summary) && text != "" {
		text = "\n\n" + text
	}
	s.fresh, s.summary, s.said, s.thought, s.spoke = false, e.Summary, false, true, true
	return s.answer.Thinking(text)
}

func (s *state) begin(index int, i *item) (ok bool) {
	c := &call{name: i.Name}
	c.own, ok = s.answer.Start(i.CallID, i.Name)
	if s.calls == nil {
		s.calls = make(map[int]*call)
	}
	s.calls[index] = c
	s.order = append(s.order, c)
	s.said, s.thought, s.spoke = false, false, true
	return ok
}

// done takes a finished item, which repeats in whole what its deltas said.
func (s *state) done(index int, i *item, raw json.RawMessage) bool {
	switch i.Type {
	case "function_call":
		c := s.calls[index]
		if c == nil {
			if !s.begin(index, i) {
				return false
			}
			c = s.calls[index]
		}
		if c.over {
			return true
		}
		c.over = true
		arguments := string(i.Arguments)
		if arguments == "" {
			arguments = c.arguments.String()
		}
		return s.answer.Call(c.own, c.name, arguments)
	case "reasoning":
		// Without the encrypted content the item is a reference to something that the server did not store.
		if i.Encrypted == "" {
			return true
		}
		return s.answer.Opaque(reasoning(raw))
	case "image_generation_call":
		picture, err := base64.StdEncoding.DecodeString(i.Result)
		if err != nil || len(picture) == 0 {
			return true
		}
		s.said, s.thought, s.spoke = false, false, true
		kind := i.Format
		if kind == "" {
			kind = "png"
		}
		return s.answer.Image(llm.Image{MediaType: "image/" + kind, Data: picture})
	}
	return true
}

// reasoning is the item as it goes back: all but its status, which the server refuses in an input.
func reasoning(raw json.RawMessage) json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil {
		return raw
	}
	delete(members, "status")
	for name, value := range members {
		if string(value) == "null" {
			delete(members, name)
		}
	}
	out, err := json.Marshal(members)
	if err != nil {
		return raw
	}
	return out
}

func (s *state) usage(e *event) {
	u := e.Response.Usage
	s.answer.End.Usage = llm.Usage{
		Input: u.Input, Output: u.Output, CachedRead: u.InputDetails.Cached, CachedWrite: u.InputDetails.Written,
		Reasoning: u.OutputDetails.Reasoning,
	}
}

// complete ends the answer. A server that streams no items has them all in the last event.
func (s *state) complete(e *event) error {
	s.usage(e)
	if !s.spoke {
		for n, raw := range e.Response.Output {
			var i item
			if err := json.Unmarshal(raw, &i); err != nil {
				return llm.Malformed(err)
			}
			s.fresh = true
			for _, c := range i.Content {
				s.refused = s.refused || c.Refusal != ""
				if i.Type == "message" && !s.say(c.Text+c.Refusal) {
					return nil
				}
			}
			if !s.done(n, &i, raw) {
				return nil
			}
		}
	}
	for _, c := range s.order {
		if !c.over && !s.answer.Call(c.own, c.name, c.arguments.String()) {
			return nil
		}
	}
	end := &s.answer.End
	switch reason := e.Response.Incomplete.Reason; {
	case s.refused, reason == "content_filter":
		end.Reason = llm.Filtered
	case reason != "", e.Type == "response.incomplete":
		end.Reason = llm.Length
	}
	return nil
}
