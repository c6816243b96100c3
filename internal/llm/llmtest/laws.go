package llmtest

import (
	"encoding/json"
	"fmt"
	"iter"
	"strings"

	"parley/internal/llm"
)

// Heard is an answer put together from its parts.
type Heard struct {
	Thinking, Text string
	Calls          []llm.ToolCall
	Images         []llm.Image
	Opaque         []llm.Opaque
	Retries        []llm.Retry
	End            llm.End
}

// Hear collects an answer. It does not check it: see [Laws].
func Hear(parts iter.Seq[llm.Part]) (Heard, []llm.Part) {
	var (
		h              Heard
		all            []llm.Part
		text, thinking strings.Builder
	)
	for p := range parts {
		all = append(all, p)
		switch p := p.(type) {
		case llm.TextDelta:
			text.WriteString(p.Text)
		case llm.ThinkingDelta:
			thinking.WriteString(p.Text)
		case llm.ToolCall:
			h.Calls = append(h.Calls, p)
		case llm.Image:
			h.Images = append(h.Images, p)
		case llm.Opaque:
			h.Opaque = append(h.Opaque, p)
		case llm.Retry:
			h.Retries = append(h.Retries, p)
		case llm.End:
			h.End = p
		}
	}
	h.Text, h.Thinking = text.String(), thinking.String()
	return h, all
}

// Message is the answer as an assistant's message, the way an agent may give it back: its opaque data last.
func (h Heard) Message() llm.Message {
	m := llm.Message{Role: llm.Assistant}
	if h.Thinking != "" {
		m.Parts = append(m.Parts, llm.Thinking{Text: h.Thinking})
	}
	if h.Text != "" {
		m.Parts = append(m.Parts, llm.Text{Text: h.Text})
	}
	for _, c := range h.Calls {
		m.Parts = append(m.Parts, c)
	}
	for _, i := range h.Images {
		m.Parts = append(m.Parts, i)
	}
	for _, o := range h.End.Opaque {
		m.Parts = append(m.Parts, o)
	}
	return m
}

// Laws is the first violation of the contract in a whole answer to the request, else nil.
func Laws(r llm.Request, parts []llm.Part) error {
	if len(parts) == 0 {
		return fmt.Errorf("no part at all")
	}
	end, ok := parts[len(parts)-1].(llm.End)
	if !ok {
		return fmt.Errorf("the last part is %T", parts[len(parts)-1])
	}
	a := answer{request: r, used: make(map[string]bool), open: make(map[string]string)}
	for _, m := range r.Messages {
		for _, c := range m.Parts {
			if call, ok := c.(llm.ToolCall); ok {
				a.used[call.ID] = true
			}
		}
	}
	for _, p := range parts[:len(parts)-1] {
		if err := a.part(p); err != nil {
			return err
		}
	}
	return a.end(end)
}

// answer is what the laws need to remember of one.
type answer struct {
	request llm.Request
	used    map[string]bool   // ids of calls
	open    map[string]string // names of calls that began
	calls   int
	said    llm.Said
}

func (a *answer) part(p llm.Part) error {
	switch p := p.(type) {
	case llm.TextDelta:
		if p.Text == "" {
			return fmt.Errorf("an empty text delta")
		}
		if strings.TrimSpace(p.Text) != "" {
			a.said = "text"
		}
	case llm.ThinkingDelta:
		if p.Text == "" {
			return fmt.Errorf("an empty thinking delta")
		}
		if a.said == "" {
			a.said = llm.Thoughts
		}
	case llm.ToolCallStart:
		if p.ID == "" || a.used[p.ID] {
			return fmt.Errorf("call id %q is empty or was used", p.ID)
		}
		a.used[p.ID], a.open[p.ID] = true, p.Name
	case llm.ToolCall:
		return a.call(p)
	case llm.Image:
		a.said = "picture"
	case llm.Opaque:
		if p.Provider == "" || p.Model != a.request.Model || !json.Valid(p.Data) {
			return fmt.Errorf("opaque data of %q %q: %q", p.Provider, p.Model, p.Data)
		}
	case llm.End:
		return fmt.Errorf("an end before the last part")
	}
	return nil
}

func (a *answer) call(p llm.ToolCall) error {
	name, started := a.open[p.ID]
	if !started || name != p.Name {
		return fmt.Errorf("call %q did not start as %q", p.ID, p.Name)
	}
	delete(a.open, p.ID)
	a.calls++
	a.said = "call"
	var object map[string]json.RawMessage
	if json.Unmarshal(p.Arguments, &object) != nil || object == nil {
		return fmt.Errorf("call %q: arguments %q are not an object", p.ID, p.Arguments)
	}
	return nil
}

func (a *answer) end(end llm.End) error {
	broken := end.Reason == llm.Failed || end.Reason == llm.Canceled
	switch {
	case broken && (end.Fault == nil || end.Fault.Message == "" || end.Fault.Code == ""):
		return fmt.Errorf("reason %q without a fault", end.Reason)
	case (end.Reason == llm.Canceled) != (end.Fault != nil && end.Fault.Code == llm.CodeCanceled):
		return fmt.Errorf("reason %q with fault %+v", end.Reason, end.Fault)
	case !broken && len(a.open) > 0:
		return fmt.Errorf("calls that never finished: %v", a.open)
	case end.Reason == llm.ToolCalls && a.calls == 0, end.Reason == llm.Stop && a.calls > 0:
		return fmt.Errorf("reason %q with %d calls", end.Reason, a.calls)
	case end.Fault != nil && end.Fault.Overflow && (end.Fault.Retryable || end.Fault.Code == llm.CodeLimit):
		return fmt.Errorf("an overflow that passes: %s", end.Fault.Message)
	}
	switch end.Reason {
	case llm.Stop, llm.ToolCalls, llm.Length, llm.Filtered, llm.Canceled, llm.Failed:
	default:
		return fmt.Errorf("unknown reason %q", end.Reason)
	}
	want := a.said
	switch {
	case broken || end.Reason == llm.Filtered || want != "" && want != llm.Thoughts:
		want = llm.Something
	case want == "":
		want = llm.Nothing
	}
	if end.Said != want {
		return fmt.Errorf("an answer that says %q, not %q", want, end.Said)
	}
	return nil
}
