package openairesponses

import (
	"bytes"
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
	arguments llm.Written
	over      bool
}

func decode(a *llm.Answer) llm.Decoder { return &state{answer: a} }

// End takes the end of a stream without its last event.
func (s *state) End() error { return llm.Cut() }

// Event writes what one event adds.
func (s *state) Event(data []byte) (over bool, err error) {
	if bytes.HasPrefix(data, []byte("[DONE]")) {
		return false, nil
	}
	var e event
	if err := json.Unmarshal(data, &e); err != nil {
		return false, err
	}
	// The API's own events are a sign that it is at work (https://github.com/openai/openai-node/issues/1964 has keepalive).
	if strings.HasPrefix(e.Type, "response.") || e.Type == "keepalive" {
		s.answer.Ping()
	}
	if e.Response.Model != "" {
		s.answer.End.ResponseModel = e.Response.Model
	}
	switch e.Type {
	case "response.output_item.added":
		return false, s.added(&e)
	case "response.output_text.delta":
		s.say(string(e.Delta))
	case "response.refusal.delta":
		s.refused = true
		s.say(string(e.Delta))
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		s.think(&e)
	case "response.function_call_arguments.delta":
		if c := s.calls[e.Index]; c != nil && !c.over {
			s.answer.Grow(len(e.Delta))
			c.arguments.WriteString(string(e.Delta))
		}
	case "response.output_item.done":
		var i item
		if err := json.Unmarshal(e.Item, &i); err != nil {
			return false, err
		}
		s.done(e.Index, &i, e.Item)
	case "response.completed", "response.incomplete":
		return true, s.complete(&e)
	case "response.failed", "response.cancelled":
		s.usage(&e)
		return true, llm.StreamFault(e.Response.Error)
	case "error":
		return true, llm.StreamFault(data)
	}
	return false, nil
}

func (s *state) added(e *event) error {
	var i item
	if err := json.Unmarshal(e.Item, &i); err != nil {
		return err
	}
	s.fresh = true
	switch {
	case i.Type == "function_call":
		s.begin(e.Index, &i)
	case i.Type == "message" && i.Phase != "":
		block, err := json.Marshal(mark{Type: "message", Phase: i.Phase})
		if err != nil {
			return err
		}
		s.answer.Opaque(block)
	}
	return nil
}

// mark is the opaque data of a message: the text from its place on has the phase.
type mark struct {
	Type  string `json:"type"`
	Phase string `json:"phase"`
}

func (s *state) say(text string) {
	if s.fresh && s.said && text != "" {
		text = "\n\n" + text
	}
	s.fresh, s.said, s.thought, s.spoke = false, true, false, true
	s.answer.Text(text)
}

// think gives out reasoning; each part of a summary is a paragraph.
func (s *state) think(e *event) {
	text := string(e.Delta)
	if s.thought && (s.fresh || e.Summary != s.summary) && text != "" {
		text = "\n\n" + text
	}
	s.fresh, s.summary, s.said, s.thought, s.spoke = false, e.Summary, false, true, true
	s.answer.Thinking(text)
}

func (s *state) begin(index int, i *item) *call {
	c := &call{name: i.Name, own: s.answer.Start(i.CallID, i.Name)}
	if s.calls == nil {
		s.calls = make(map[int]*call)
	}
	s.calls[index] = c
	s.order = append(s.order, c)
	s.said, s.thought, s.spoke = false, false, true
	return c
}

// done takes a finished item, which repeats in whole what its deltas said.
func (s *state) done(index int, i *item, raw json.RawMessage) {
	switch i.Type {
	case "function_call":
		c := s.calls[index]
		if c == nil {
			c = s.begin(index, i)
		}
		if arguments := string(i.Arguments); arguments != "" {
			s.answer.Grow(len(arguments) - min(len(arguments), c.arguments.Len()))
			s.finish(c, arguments)
		} else {
			s.finish(c, c.arguments.String())
		}
	case "reasoning":
		// Without the encrypted content the item is a reference to something that the server did not store.
		if i.Encrypted != "" {
			s.answer.Grow(len(i.Encrypted))
			s.answer.Opaque(reasoning(raw))
		}
	case "image_generation_call":
		picture, err := base64.StdEncoding.DecodeString(i.Result)
		if err != nil || len(picture) == 0 {
			return
		}
		s.said, s.thought, s.spoke = false, false, true
		kind := i.Format
		if kind == "" {
			kind = "png"
		}
		s.answer.Image(llm.Image{MediaType: "image/" + kind, Data: picture})
	}
}

// finish gives out a call, once.
func (s *state) finish(c *call, arguments string) {
	if !c.over {
		c.over = true
		s.answer.Call(c.own, c.name, arguments)
	}
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
		if err := s.whole(e.Response.Output); err != nil {
			return err
		}
	}
	for _, c := range s.order {
		s.finish(c, c.arguments.String())
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

// whole takes an output that nothing was streamed of.
func (s *state) whole(output []json.RawMessage) error {
	for n, raw := range output {
		var i item
		if err := json.Unmarshal(raw, &i); err != nil {
			return err
		}
		s.fresh = true
		for _, c := range i.Content {
			s.refused = s.refused || c.Refusal != ""
			if i.Type == "message" {
				s.say(c.Text + c.Refusal)
			}
		}
		s.done(n, &i, raw)
	}
	return nil
}
