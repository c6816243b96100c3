package cogency

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"parley/internal/display"
	"parley/internal/event"
)

// A BadLine says what is wrong with a line. Nothing was shown of it.
type BadLine struct{ Text string }

// Error makes a BadLine an error.
func (b *BadLine) Error() string { return b.Text }

func bad(format string, args ...any) error { return &BadLine{fmt.Sprintf(format, args...)} }

// A Reader reads the event stream of any program and gives a renderer what is to
// be shown of it.
type Reader struct {
	to      display.CommandRenderer
	err     error // of the renderer
	n       int   // names calls
	open    string
	calls   []display.StartCall // that have no result yet, in order
	ended   bool                // end came; its metric may still come
	metric  *metric
	failed  bool
	stopped bool
}

// NewReader returns a reader that shows on to.
func NewReader(to display.CommandRenderer) *Reader { return &Reader{to: to} }

// Exit returns the exit code of what was read: 130 after an interrupt, 1 after
// an error, else 0.
func (r *Reader) Exit() int {
	switch {
	case r.stopped:
		return display.ExitInterrupted
	case r.failed:
		return display.ExitFailed
	}
	return display.ExitDone
}

type input struct {
	Type    *string         `json:"type"`
	Content json.RawMessage `json:"content"`
	Payload json.RawMessage `json:"payload"`
	Step    *amounts        `json:"step"`
	Total   *amounts        `json:"total"`
}

// inWords says what is wrong with JSON in its own terms, not in Go's.
func inWords(err error) string {
	var t *json.UnmarshalTypeError
	switch {
	case !errors.As(err, &t):
		return err.Error()
	case t.Field == "":
		return "no object but: " + t.Value
	}
	return t.Field + " is of the wrong kind: " + t.Value
}

type metric struct{ step, total *amounts }

type amounts struct {
	Input    float64 `json:"input"`
	Output   float64 `json:"output"`
	Duration float64 `json:"duration"`
}

// Line shows one line. The error is a *[BadLine], after which the stream goes
// on, or that of the renderer, after which it does not. An empty line is nothing.
func (r *Reader) Line(b []byte) error {
	b = bytes.TrimSpace(b)
	if len(b) == 0 || r.err != nil {
		return r.err
	}
	var in input
	if err := json.Unmarshal(b, &in); err != nil {
		return bad("not an event: %s", inWords(err))
	}
	if in.Type == nil {
		return bad("not an event: it has no type")
	}
	if err := r.take(*in.Type, in); err != nil {
		return err
	}
	return r.err
}

// End shows what the end of the stream leaves to be shown.
func (r *Reader) End() error {
	r.conclude()
	return r.err
}

// conclude ends a run at the next one or at the end of the stream. Its own end may be
// missing: that program stops without one at its limit of steps.
func (r *Reader) conclude() {
	r.close()
	r.release()
	r.ended = r.ended || r.metric != nil
	r.finish()
}

func (r *Reader) take(kind string, in input) error {
	switch kind {
	case "think", "respond":
		content, err := in.text()
		if err != nil {
			return bad("%s: %v", kind, err)
		}
		r.stream(kind, content)
		return nil
	case "user":
		content, err := in.text()
		if err != nil {
			return bad("user: %v", err)
		}
		r.user(content)
		return nil
	case "call":
		return r.call(in)
	case "result":
		return r.result(in)
	case "metric":
		return r.measure(in)
	}
	r.close()
	switch kind {
	case "end":
		r.release()
		r.ended = true
	case "error":
		r.release()
		r.failed, r.ended, r.metric = true, false, nil
		r.show(display.ShowFault{Code: event.CodeProvider, Message: in.failure()})
	case "interrupt", "cancelled":
		r.release()
		r.stopped, r.ended, r.metric = true, false, nil
		r.show(display.EndRun{Reason: event.ReasonAborted})
	}
	// Ignored: execute, which says that the calls run; intent, which the document
	// does not define; and types of later versions.
	return nil
}

func (r *Reader) show(c display.RenderCommand) {
	if r.err == nil {
		r.err = r.to.Render(c)
	}
}

func (r *Reader) name() string {
	r.n++
	return strconv.Itoa(r.n)
}

// stream adds to the open thought or reply.
func (r *Reader) stream(kind, content string) {
	if r.open != kind {
		r.close()
		r.finish()
		r.open = kind
		if kind == "think" {
			r.show(display.StartThought{})
			r.phase(display.Thinking, "")
		} else {
			r.show(display.StartText{})
			r.phase(display.StreamingText, "")
		}
	}
	if kind == "think" {
		r.show(display.AppendThought{Text: content})
	} else {
		r.show(display.AppendText{Text: content})
	}
}

func (r *Reader) phase(p display.Phase, what string) {
	r.show(display.EnterPhase{Phase: p, What: what})
}

// close ends the open thought or reply.
func (r *Reader) close() {
	switch r.open {
	case "think":
		r.show(display.EndThought{})
	case "respond":
		r.show(display.EndText{})
	}
	r.open = ""
}

// release shows the calls that waited for others and will have no result.
func (r *Reader) release() {
	for _, c := range r.calls {
		c.Alone = true
		r.show(c)
	}
	r.calls = nil
	r.phase(display.Idle, "")
}

// finish ends the run whose end has come, with the metrics that are known now.
func (r *Reader) finish() {
	if r.ended {
		end := display.EndRun{Reason: event.ReasonDone}
		if m := r.metric; m != nil {
			a := m.total
			if a == nil {
				a = m.step
			}
			if a != nil {
				end.Usage = event.Usage{Input: int(a.Input), Output: int(a.Output)}
				end.Duration = time.Duration(a.Duration * float64(time.Second))
			}
		}
		r.show(end)
		r.metric = nil
	}
	r.ended = false
}

func (r *Reader) user(content string) {
	r.conclude()
	r.failed, r.stopped = false, false
	r.show(display.StartRun{})
	r.show(display.ShowUser{Text: content, Lane: event.LanePrompt})
	r.phase(display.Thinking, "")
}

func (r *Reader) measure(in input) error {
	r.close()
	if in.Step == nil && in.Total == nil {
		return bad("metric: neither step nor total")
	}
	r.metric = &metric{in.Step, in.Total}
	r.finish()
	return nil
}

func (r *Reader) call(in input) error {
	call, err := in.call()
	if err != nil {
		return bad("call: %v", err)
	}
	r.close()
	r.finish()
	start := display.StartCall{Call: event.CallID(r.name()), Name: call.Name, Title: event.TitleOf("", call.Args), Arguments: call.Args, Origin: event.CallerModel, Alone: len(r.calls) == 0}
	r.calls = append(r.calls, start)
	r.show(start)
	r.phase(display.ToolExecuting, call.Name)
	return nil
}

// call reads the call from the content, which holds JSON, or from the payload,
// which is it.
func (in input) call() (Call, error) {
	var c Call
	source := []byte(in.Payload)
	if len(in.Content) > 0 && string(in.Content) != "null" {
		text, err := stringOf(in.Content)
		if err != nil {
			return c, err
		}
		source = []byte(text)
	}
	if err := json.Unmarshal(source, &c); err != nil {
		return c, fmt.Errorf("its content is not a call: %s", inWords(err))
	}
	if c.Name == "" {
		return c, errors.New("it has no name")
	}
	return c, nil
}

// text is the content of an event, or of its payload. A missing one is empty.
func (in input) text() (string, error) {
	if len(in.Content) > 0 && string(in.Content) != "null" {
		return stringOf(in.Content)
	}
	var p struct {
		Content json.RawMessage `json:"content"`
	}
	if len(in.Payload) == 0 || json.Unmarshal(in.Payload, &p) != nil || len(p.Content) == 0 {
		return "", nil
	}
	return stringOf(p.Content)
}

func stringOf(raw json.RawMessage) (string, error) {
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return "", errors.New("its content is not a string")
	}
	return s, nil
}

// failure is the message of an error event: that of its payload, else its
// content.
func (in input) failure() string {
	var p struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
	}
	_ = json.Unmarshal(in.Payload, &p)
	if s, err := stringOf(p.Error); err == nil && strings.TrimSpace(s) != "" {
		return s
	}
	if strings.TrimSpace(p.Message) != "" {
		return p.Message
	}
	if s, err := in.text(); err == nil && strings.TrimSpace(s) != "" {
		return s
	}
	return "unknown error"
}
