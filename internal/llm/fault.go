package llm

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// Fault says why an answer failed, in words fit for a person. It never holds a key.
type Fault struct {
	Code    Code
	Message string
	// Retry is how long the server asked to wait; 0 where it did not.
	Retry time.Duration
	// Status is the HTTP status that the failure came with, also inside a stream; 0 where there was none.
	Status int
	// Retryable says that the same request may well succeed later.
	Retryable bool
	// Overflow says that the request was larger than the model's window, or than the server takes at all. It is never
	// said of a rate.
	Overflow bool
	// Limit, Requested and Reserved are numbers of tokens from the server's message, 0 where it has none: the limit, the
	// size of the request, and the part of that size that was reserved for the answer. With Overflow the limit is the
	// window, else a rate.
	Limit, Requested, Reserved int
	// Pictures are those that the server does not take: the same request without them may succeed. Where it does not say
	// which one it means, these are all candidates, the most likely first.
	Pictures []Picture
	// Unreachable says that no connection came about: it was refused, or the host has no address or does not answer.
	Unreachable bool
}

// Code is what kind of failure a [Fault] is.
type Code string

// The codes of a [Fault].
const (
	// CodeInvalid is a request that the server does not take, or an address that is none.
	CodeInvalid Code = "invalid"
	// CodeNotFound is a model or a path that the server does not have.
	CodeNotFound Code = "not_found"
	// CodeDenied is a key that the server does not take, or a prompt or an answer that it blocked.
	CodeDenied Code = "denied"
	// CodeLimit is a rate or a budget that is used up, or an answer that was longer than [Options] allow.
	CodeLimit Code = "limit"
	// CodeProvider is a failure of the server, of the way to it, or of what it sent.
	CodeProvider Code = "provider"
	// CodeCanceled is a cancelled context.
	CodeCanceled Code = "canceled"
)

// Error lets a Fault travel as an error inside a wire; across the contract it is a value.
func (f *Fault) Error() string { return f.Message }

// StatusFault is the Fault of an HTTP status and a server's words. The header says how long to wait; it may be nil.
func StatusFault(status int, header http.Header, message string) *Fault {
	return newFault(status, header, &complaint{message: message})
}

// StreamFault is the error that came inside a stream, from its JSON: an error object, alone or as a member. A code that is
// an HTTP status counts as that status; of the names, those of a passing trouble are retryable.
func StreamFault(object []byte) error {
	c := complain("", object)
	f := newFault(c.status(), nil, &c)
	return &refusal{f, c}
}

// newFault is the Fault of a status, 0 where there is none, and of what the server said.
func newFault(status int, header http.Header, c *complaint) *Fault {
	f := &Fault{Code: CodeInvalid, Status: status, Retry: asked(status, header)}
	switch {
	case status == http.StatusUnauthorized, status == http.StatusForbidden, c.has("API_KEY_INVALID"):
		f.Code = CodeDenied
	case status == http.StatusNotFound:
		f.Code = CodeNotFound
	case status == http.StatusPaymentRequired:
		f.Code = CodeLimit
	case status == http.StatusTooManyRequests:
		f.Code, f.Retryable = CodeLimit, true
	case status == 0, status == http.StatusNotImplemented, status == http.StatusHTTPVersionNotSupported:
		f.Code = CodeProvider
	case status == http.StatusRequestTimeout, status == http.StatusConflict, status >= 500:
		f.Code, f.Retryable = CodeProvider, true
	}
	// https://github.com/openai/openai-python/blob/main/src/openai/_base_client.py, Anthropic's too: the server's own word.
	switch header.Get("X-Should-Retry") {
	case "true":
		f.Retryable = true
	case "false":
		f.Retryable = false
	}
	if f.Retry == 0 {
		f.Retry = c.wait
	}
	f.word(c.message)
	f.classify(c)
	return f
}

// word puts the fault into words.
func (f *Fault) word(message string) {
	message = Line(message)
	switch {
	case f.Status == 0 && message == "":
		f.Message = "the server reported an error in the stream"
	case f.Status == 0:
		f.Message = message
	case message == "":
		f.Message = statusText(f.Status)
	default:
		f.Message = statusText(f.Status) + ": " + message
	}
}

// statusText names a status as people know it; 529 is Anthropic's, and not registered.
func statusText(status int) string {
	text := http.StatusText(status)
	if status == 529 {
		text = "Overloaded"
	}
	if text == "" {
		return "status " + strconv.Itoa(status)
	}
	return strconv.Itoa(status) + " " + text
}

// Cut is the Fault of a stream that ended before its answer did.
func Cut() *Fault {
	return &Fault{Code: CodeProvider, Message: "the stream was cut before the answer was complete", Retryable: true}
}

// Malformed is the Fault of a stream whose bytes are not what its wire says. The detail is the reader's complaint.
func Malformed(detail error) *Fault {
	return &Fault{Code: CodeProvider, Message: Line(fmt.Sprintf("malformed stream: %v", detail))}
}

// Ended is the End of an answer that broke with err, or was cancelled.
func Ended(ctx context.Context, err error) End {
	f := AsFault(ctx, err)
	if f.Code == CodeCanceled {
		return End{Reason: Canceled, Fault: f}
	}
	return End{Reason: Failed, Fault: f}
}
