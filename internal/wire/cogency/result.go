package cogency

import (
	"encoding/json"
	"strings"

	"parley/internal/display"
	"parley/internal/event"
)

// outcome is what a result says of one call.
type outcome struct {
	Outcome string          `json:"outcome"`
	Content json.RawMessage `json:"content"`
	Error   json.RawMessage `json:"error"`
	Status  string          `json:"status"` // in a batch: success or failure
}

// result gives the open calls their results: one to the oldest, or those of a
// batch to all in order. A result that no call waits for is shown alone.
func (r *Reader) result(in input) error {
	outcomes, err := in.outcomes()
	if err != nil {
		return err
	}
	r.close()
	r.finish()
	for _, o := range outcomes {
		end := display.EndCall{Origin: event.CallerModel}
		if len(r.calls) > 0 {
			c := r.calls[0]
			r.calls = r.calls[1:]
			end.Title, end.Arguments, end.Ended.Call, end.Ended.Name = c.Title, c.Arguments, c.Call, c.Name
		}
		o.fill(&end.Ended)
		r.show(end)
	}
	if len(r.calls) == 0 {
		r.phase(display.Thinking, "")
	}
	return nil
}

// outcomes reads the three forms of a result; the package doc names them.
func (in input) outcomes() ([]outcome, error) {
	var p outcome
	if len(in.Payload) > 0 {
		if err := json.Unmarshal(in.Payload, &p); err != nil {
			return nil, bad("result: its payload is not an object")
		}
	}
	content := in.Content
	if len(content) == 0 || string(content) == "null" {
		return []outcome{p}, nil
	}
	text, err := stringOf(content)
	if err != nil {
		return nil, bad("result: %v", err)
	}
	if p.Outcome == "" && strings.HasPrefix(strings.TrimSpace(text), "[") {
		if batch := batchOf(text); batch != nil {
			return batch, nil
		}
	}
	if len(p.Content) == 0 {
		p.Content = content
	}
	return []outcome{p}, nil
}

// batchOf reads the results of a batch; nil where the text is any other array.
func batchOf(text string) []outcome {
	var batch []outcome
	if json.Unmarshal([]byte(text), &batch) != nil || len(batch) == 0 {
		return nil
	}
	for _, o := range batch {
		if o.Status == "" {
			return nil
		}
	}
	return batch
}

// fill sets the end of a call. An error may be a flag or a message.
func (o outcome) fill(e *event.CallEnded) {
	e.Status, e.Summary = event.StatusSuccess, o.Outcome
	if s, err := stringOf(o.Content); err == nil {
		e.Result = s
	} else if len(o.Content) > 0 && string(o.Content) != "null" {
		e.Result = string(o.Content)
	}
	message, err := stringOf(o.Error)
	flag := len(o.Error) > 0 && err != nil && string(o.Error) != "false" && string(o.Error) != "null"
	if flag || message != "" || o.Status == "failure" || o.Status == "error" {
		e.Status = event.StatusError
	}
	if message != "" && e.Result == "" {
		e.Result = message
	}
	if isDiff(e.Result) {
		e.Display = &event.Display{Diff: e.Result}
	}
}

// isDiff reports whether a result is a unified diff and nothing else.
func isDiff(text string) bool {
	if !strings.HasPrefix(text, "--- ") && !strings.HasPrefix(text, "@@ -") {
		return false
	}
	return strings.HasPrefix(text, "@@ -") || strings.Contains(text, "\n+++ ") && strings.Contains(text, "\n@@ -")
}
