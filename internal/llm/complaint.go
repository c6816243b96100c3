package llm

import (
	"encoding/json"
	"errors"
	"html"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// complaint is what the body of an error says.
type complaint struct {
	message string
	// codes are the error's code, type and status, as far as it has them.
	codes []string
	// param names the member of the request that is wrong.
	param string
	wait  time.Duration
	// limit and prompt are numbers of tokens.
	limit, prompt int
}

// errorBody has the shapes of OpenAI and Anthropic ({"error":{"message"}}), Google (the same, sometimes in an array),
// Ollama ({"error":"…"}), vLLM ({"object":"error","message"}), FastAPI ({"detail"}), Cloudflare ({"errors":[…]}), llama.cpp
// (n_ctx) and OpenRouter (metadata.raw, what its provider said).
type errorBody struct {
	Error   json.RawMessage   `json:"error"`
	Errors  []json.RawMessage `json:"errors"`
	Message json.RawMessage   `json:"message"`
	Detail  json.RawMessage   `json:"detail"`
	Code    json.RawMessage   `json:"code"`
	Type    json.RawMessage   `json:"type"`
	Status  json.RawMessage   `json:"status"`
	Param   string            `json:"param"`
	Details json.RawMessage   `json:"details"`
	NCtx    int               `json:"n_ctx"`
	NPrompt int               `json:"n_prompt_tokens"`
	Meta    struct {
		Raw json.RawMessage `json:"raw"`
	} `json:"metadata"`
}

// nested is how deep gateways are seen to put one error into another, and more.
const nested = 4

// complain reads an error body of any type.
func complain(kind string, text []byte) complaint {
	trimmed := strings.TrimSpace(string(text))
	if kind == "text/html" || strings.HasPrefix(trimmed, "<") {
		if m := title.FindStringSubmatch(trimmed); m != nil {
			return complaint{message: html.UnescapeString(m[1])}
		}
		return complaint{}
	}
	if c := object([]byte(trimmed), nested); c != nil {
		return *c
	}
	if strings.HasPrefix(trimmed, "{") {
		return complaint{}
	}
	return complaint{message: trimmed}
}

var title = regexp.MustCompile(`(?is)<title[^>]*>(.*?)</title>`)

// object reads an error object, alone or in an array; nil where there is none.
func object(text []byte, depth int) *complaint {
	if depth == 0 {
		return nil
	}
	var list []json.RawMessage
	if json.Unmarshal(text, &list) == nil && len(list) > 0 {
		return object(list[0], depth-1)
	}
	var b errorBody
	// A member of another type than ours is passed over.
	var odd *json.UnmarshalTypeError
	if err := json.Unmarshal(text, &b); len(text) == 0 || text[0] != '{' || err != nil && !errors.As(err, &odd) {
		return nil
	}
	if len(b.Error) > 0 && b.Error[0] == '{' {
		if c := object(b.Error, depth-1); c != nil {
			return c
		}
	}
	if len(b.Errors) > 0 {
		if c := object(b.Errors[0], depth-1); c != nil && c.message != "" {
			return c
		}
	}
	return b.read(depth)
}

func (b *errorBody) read(depth int) *complaint {
	c := &complaint{param: b.Param, limit: b.NCtx, prompt: b.NPrompt}
	for _, raw := range []json.RawMessage{b.Error, b.Message, b.Detail} {
		if c.message = word(raw); c.message != "" {
			break
		}
	}
	for _, raw := range []json.RawMessage{b.Code, b.Type, b.Status} {
		if code := word(raw); code != "" {
			c.codes = append(c.codes, code)
		}
	}
	c.details(b.Details)
	if inner := object([]byte(strings.TrimSpace(c.message)), depth-1); inner != nil && inner.message != "" {
		c.take(inner)
		c.message = inner.message
	}
	if inner := object([]byte(word(b.Meta.Raw)), depth-1); inner != nil && inner.message != "" {
		c.take(inner)
		c.message += ": " + inner.message
	}
	return c
}

// take adds what an error inside this one says.
func (c *complaint) take(inner *complaint) {
	c.codes = append(c.codes, inner.codes...)
	if c.param == "" {
		c.param = inner.param
	}
	c.wait, c.limit, c.prompt = max(c.wait, inner.wait), max(c.limit, inner.limit), max(c.prompt, inner.prompt)
}

// details takes Google's RetryInfo, as "34s", and the reason of its ErrorInfo
// (https://github.com/googleapis/googleapis/blob/master/google/rpc/error_details.proto).
func (c *complaint) details(raw json.RawMessage) {
	var details []struct {
		RetryDelay string `json:"retryDelay"`
		Reason     string `json:"reason"`
	}
	if json.Unmarshal(raw, &details) != nil {
		return
	}
	for _, d := range details {
		if wait, err := time.ParseDuration(d.RetryDelay); err == nil {
			c.wait = max(c.wait, wait)
		}
		if d.Reason != "" {
			c.codes = append(c.codes, d.Reason)
		}
	}
}

func (c *complaint) has(code string) bool { return slices.Contains(c.codes, code) }

// status is the HTTP status that the error's code stands for, 0 where none does.
func (c *complaint) status() int {
	for _, code := range c.codes {
		if n, err := strconv.Atoi(code); err == nil && n >= 400 && n < 600 {
			return n
		}
		if n := streamStatus[code]; n != 0 {
			return n
		}
	}
	return 0
}

// word is a JSON value as text: a string's own, a number's or structure's JSON, nothing for null.
func word(raw json.RawMessage) string {
	if len(raw) == 0 || string(raw) == "null" {
		return ""
	}
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// streamStatus gives the error types of the providers the status they have outside a stream
// (https://platform.openai.com/docs/guides/error-codes, https://docs.anthropic.com/en/api/errors,
// https://ai.google.dev/gemini-api/docs/troubleshooting).
var streamStatus = map[string]int{
	"invalid_request_error": 400, "authentication_error": 401, "permission_error": 403, "not_found_error": 404,
	"request_too_large": 413, "rate_limit_error": 429, "api_error": 500, "overloaded_error": 529, "timeout_error": 504,
	"invalid_api_key": 401, "model_not_found": 404, "rate_limit_exceeded": 429, "insufficient_quota": 429,
	"server_error": 500, "internal_server_error": 500, "service_unavailable": 503, "overloaded": 503,
	"server_is_overloaded": 503, "slow_down": 503, // https://github.com/openai/codex/blob/main/codex-rs/codex-api/src/sse/responses.rs
	"context_length_exceeded": 400, "billing_error": 402,
	"INVALID_ARGUMENT": 400, "FAILED_PRECONDITION": 400, "UNAUTHENTICATED": 401, "PERMISSION_DENIED": 403,
	"NOT_FOUND": 404, "RESOURCE_EXHAUSTED": 429, "INTERNAL": 500, "UNAVAILABLE": 503, "DEADLINE_EXCEEDED": 504,
}
