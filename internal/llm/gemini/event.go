package gemini

import (
	"encoding/json"

	"parley/internal/llm"
)

// response is one chunk of the stream (https://ai.google.dev/api/generate-content#v1beta.GenerateContentResponse).
type response struct {
	Candidates []struct {
		Index         int     `json:"index"`
		Content       content `json:"content"`
		FinishReason  string  `json:"finishReason"`
		FinishMessage string  `json:"finishMessage"`
	} `json:"candidates"`
	PromptFeedback struct {
		BlockReason        string `json:"blockReason"`
		BlockReasonMessage string `json:"blockReasonMessage"`
	} `json:"promptFeedback"`
	Usage *struct {
		Prompt     int `json:"promptTokenCount"`
		Cached     int `json:"cachedContentTokenCount"`
		Candidates int `json:"candidatesTokenCount"`
		Thoughts   int `json:"thoughtsTokenCount"`
		ToolUse    int `json:"toolUsePromptTokenCount"`
	} `json:"usageMetadata"`
	ModelVersion string          `json:"modelVersion"`
	Error        json.RawMessage `json:"error"`
}

// signed is what an answer's part had beyond its content, as kept in opaque data: a call's, by the id it got here,
// a picture's, or that of the next Text bytes of text.
type signed struct {
	Call      string `json:"call,omitempty"`
	ID        string `json:"id,omitempty"`
	Image     bool   `json:"image,omitempty"`
	Text      int    `json:"text,omitempty"`
	Signature string `json:"signature,omitempty"`
}

// state is what an answer needs to remember between chunks.
type state struct {
	answer  *llm.Answer
	reason  string
	message string
	blocked string
}

func decode(a *llm.Answer) llm.Decoder { return &state{answer: a} }

// Event takes one chunk. None of them says that it is the last.
func (s *state) Event(data []byte) (over bool, err error) {
	var chunk response
	if err := json.Unmarshal(data, &chunk); err != nil {
		return false, err
	}
	if len(chunk.Error) > 0 && string(chunk.Error) != "null" {
		return false, llm.StreamFault(data)
	}
	if len(chunk.Candidates) > 0 || chunk.Usage != nil {
		s.answer.Ping()
	}
	s.take(&chunk)
	return false, nil
}

// take writes what one chunk adds.
func (s *state) take(chunk *response) {
	end := &s.answer.End
	if chunk.ModelVersion != "" {
		end.ResponseModel = chunk.ModelVersion
	}
	if u := chunk.Usage; u != nil {
		end.Usage = llm.Usage{
			Input: u.Prompt + u.ToolUse, Output: u.Candidates + u.Thoughts, CachedRead: u.Cached, Reasoning: u.Thoughts,
		}
	}
	if b := chunk.PromptFeedback; b.BlockReason != "" {
		s.blocked = join(b.BlockReason, b.BlockReasonMessage)
	}
	for i := range chunk.Candidates {
		c := &chunk.Candidates[i]
		if c.Index != 0 {
			continue
		}
		if c.FinishReason != "" {
			s.reason, s.message = c.FinishReason, c.FinishMessage
		}
		for j := range c.Content.Parts {
			s.part(&c.Content.Parts[j])
		}
	}
}

func (s *state) part(p *part) {
	a := s.answer
	switch {
	case p.Call != nil:
		id := a.Start(p.Call.ID, p.Call.Name)
		a.Grow(len(p.Call.Args) + len(p.Signature))
		kept := signed{Call: id, Signature: p.Signature}
		if p.Call.ID == id {
			kept.ID = id
		}
		if kept.ID != "" || kept.Signature != "" {
			s.keep(kept)
		}
		a.Call(id, p.Call.Name, string(p.Call.Args))
	case p.Data != nil:
		if p.Signature != "" {
			s.keep(signed{Image: true, Signature: p.Signature})
		}
		a.Image(llm.Image{MediaType: p.Data.MediaType, Data: p.Data.Data})
	case p.Thought:
		a.Thinking(p.text())
	default:
		if p.Signature != "" {
			s.keep(signed{Text: len(p.text()), Signature: p.Signature})
		}
		a.Text(p.text())
	}
}

func (s *state) keep(v signed) {
	if data, err := json.Marshal(v); err == nil {
		s.answer.Opaque(data)
	}
}

// End takes the end of the stream.
func (s *state) End() error {
	end := &s.answer.End
	if s.reason == "" && s.blocked == "" {
		return llm.Cut()
	}
	if s.reason == "" {
		end.Reason = llm.Filtered
		end.Fault = &llm.Fault{Code: llm.CodeDenied, Message: llm.Line("the prompt was blocked: " + s.blocked)}
		return nil
	}
	// Any other reason is STOP, or a compatible server's word for it.
	switch s.reason {
	case "MAX_TOKENS":
		end.Reason = llm.Length
	case "SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY",
		"IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION":
		end.Reason = llm.Filtered
		end.Fault = &llm.Fault{Code: llm.CodeDenied, Message: llm.Line("the answer was blocked: " + join(s.reason, s.message))}
	case "MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS", "MISSING_THOUGHT_SIGNATURE",
		"MALFORMED_RESPONSE", "OTHER", "NO_IMAGE", "IMAGE_OTHER":
		// The model wrote something unusable; it may do better the next time.
		return &llm.Fault{
			Code: llm.CodeProvider, Retryable: true, Message: llm.Line("the answer ended with " + join(s.reason, s.message)),
		}
	}
	return nil
}

func join(reason, message string) string {
	if message == "" {
		return reason
	}
	return reason + " (" + message + ")"
}
