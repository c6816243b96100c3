package llm

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"syscall"
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
	// Overflow says that the request was larger than the model's window.
	Overflow bool
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
	// CodeLimit is a rate or a budget that is used up.
	CodeLimit Code = "limit"
	// CodeProvider is a failure of the server, of the way to it, or of what it sent.
	CodeProvider Code = "provider"
	// CodeCanceled is a cancelled context.
	CodeCanceled Code = "canceled"
)

// Error lets a Fault travel as an error inside a wire; across the contract it is a value.
func (f *Fault) Error() string { return f.Message }

// StatusFault is the Fault of an HTTP status. The header gives the wait (Retry-After in seconds or as a date, RFC 9110
// section 10.2.3; retry-after-ms); it may be nil.
func StatusFault(status int, header http.Header, message string) *Fault {
	f := &Fault{Code: CodeInvalid, Status: status, Retry: retryAfter(header)}
	switch {
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		f.Code = CodeDenied
	case status == http.StatusNotFound:
		f.Code = CodeNotFound
	case status == http.StatusPaymentRequired:
		f.Code = CodeLimit
	case status == http.StatusTooManyRequests:
		f.Code, f.Retryable = CodeLimit, true
	case status == http.StatusRequestTimeout, status == http.StatusConflict, status >= 500:
		f.Code, f.Retryable = CodeProvider, true
	}
	f.Message = statusText(status)
	f.Overflow = overflows(message)
	if message = Line(message); message != "" {
		f.Message += ": " + message
	}
	return f
}

// refine takes what a provider's own code says beyond the status.
func (f *Fault) refine(code string) {
	switch code {
	case "insufficient_quota":
		// The account is empty, not the minute: OpenAI says both with 429.
		f.Retryable = false
	case "context_length_exceeded":
		f.Overflow = true
	}
}

// overflows tells by its words that a request was larger than the model takes: most servers have no code for it.
func overflows(message string) bool {
	message = strings.ToLower(message)
	for _, words := range []string{
		"context_length_exceeded", "maximum context length", "too many tokens", "token limit", "prompt is too long",
		"context window", "exceeds the maximum number of tokens",
	} {
		if strings.Contains(message, words) {
			return true
		}
	}
	return false
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

// retryAfter reads the wait a response asks for. A date counts from the response's own Date, so a skewed clock does
// not matter.
func retryAfter(h http.Header) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms > 0 && ms < 1e12 {
		return time.Duration(ms * float64(time.Millisecond))
	}
	value := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(value, 64); err == nil {
		if s > 0 && s < 1e9 {
			return time.Duration(s * float64(time.Second))
		}
		return 0
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	now, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		now = time.Now()
	}
	return max(0, at.Sub(now))
}

// Cut is the Fault of a stream that ended before its answer did.
func Cut() *Fault {
	return &Fault{Code: CodeProvider, Message: "the stream was cut before the answer was complete", Retryable: true}
}

// Malformed is the Fault of a stream whose bytes are not what its wire says. The detail is the reader's complaint.
func Malformed(detail error) *Fault {
	return &Fault{Code: CodeProvider, Message: Line(fmt.Sprintf("malformed stream: %v", detail))}
}

// AsFault turns whatever a request ended with into a Fault: a Fault in the chain is taken as it is, a cancelled
// context is canceled, and a failed connection says what failed and where, without the request's URL. Never nil.
func AsFault(ctx context.Context, err error) *Fault {
	if ctx.Err() != nil {
		return &Fault{Code: CodeCanceled, Message: "canceled"}
	}
	var f *Fault
	if errors.As(err, &f) {
		return f
	}
	var at *url.Error
	if !errors.As(err, &at) {
		return &Fault{Code: CodeProvider, Message: Line(fmt.Sprint(err))}
	}
	f = netFault(at.Err)
	if u, bad := url.Parse(at.URL); bad == nil && u.Host != "" {
		f.Message = u.Host + ": " + f.Message
	}
	return f
}

// netFault words what a transport reports.
func netFault(err error) *Fault {
	f := &Fault{Code: CodeProvider, Retryable: true}
	var (
		name *net.DNSError
		op   *net.OpError
		cert *tls.CertificateVerificationError
		tcp  tls.RecordHeaderError
	)
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		f.Unreachable, f.Message = true, "connection refused"
	case errors.As(err, &name) && name.IsNotFound:
		f.Unreachable, f.Message = true, "no such host"
	case errors.As(err, &name):
		f.Unreachable, f.Message = true, "the host's address could not be looked up"
	case errors.As(err, &cert), errors.As(err, &tcp):
		f.Retryable, f.Message = false, Line(err.Error())
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET),
		errors.Is(err, syscall.EPIPE):
		f.Message = "the connection was dropped"
	case errors.As(err, &op):
		f.Unreachable, f.Message = op.Op == "dial", Line(op.Op+": "+op.Err.Error())
	default:
		f.Message = Line(err.Error())
	}
	return f
}

// Ended is the End of an answer that broke with err, or was cancelled.
func Ended(ctx context.Context, err error) End {
	f := AsFault(ctx, err)
	if f.Code == CodeCanceled {
		return End{Reason: Canceled, Fault: f}
	}
	return End{Reason: Failed, Fault: f}
}

// StreamFault is the Fault of an error that came inside a stream, from its words and its code. A code that is an HTTP
// status counts as that status; of the names, those of a passing trouble are retryable.
func StreamFault(message, code string) *Fault {
	status := streamStatus[code]
	if n, err := strconv.Atoi(code); err == nil && n >= 400 && n < 600 {
		status = n
	}
	if status == 0 {
		if message == "" {
			message = "the server reported an error in the stream"
		}
		return &Fault{Code: CodeProvider, Message: Line(message), Overflow: overflows(message)}
	}
	f := StatusFault(status, nil, message)
	f.refine(code)
	return f
}

// streamStatus gives the error types of the providers the status they have outside a stream
// (https://platform.openai.com/docs/guides/error-codes, https://docs.anthropic.com/en/api/errors,
// https://ai.google.dev/gemini-api/docs/troubleshooting).
var streamStatus = map[string]int{
	"invalid_request_error": 400, "authentication_error": 401, "permission_error": 403, "not_found_error": 404,
	"request_too_large": 413, "rate_limit_error": 429, "api_error": 500, "overloaded_error": 529, "timeout_error": 504,
	"invalid_api_key": 401, "model_not_found": 404, "rate_limit_exceeded": 429, "insufficient_quota": 429,
	"server_error": 500, "internal_server_error": 500, "service_unavailable": 503, "overloaded": 503,
	"context_length_exceeded": 400,
	"INVALID_ARGUMENT":        400, "FAILED_PRECONDITION": 400, "UNAUTHENTICATED": 401, "PERMISSION_DENIED": 403,
	"NOT_FOUND": 404, "RESOURCE_EXHAUSTED": 429, "INTERNAL": 500, "UNAVAILABLE": 503, "DEADLINE_EXCEEDED": 504,
}
