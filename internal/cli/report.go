package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"parley/internal/client"
	"parley/internal/display"
	"parley/internal/event"
	"parley/internal/tool"
	"parley/internal/transcript"
)

// reportFormats are the formats that print what a run came to, once, at its end.
var reportFormats = map[string]func(*reportOutput, display.Report) error{
	"answer": (*reportOutput).answer,
	"json":   (*reportOutput).json,
}

// reportOutput prints the reports of the runs that it sees end.
type reportOutput struct {
	print  func(*reportOutput, display.Report) error
	w      *bufio.Writer
	notes  io.Writer // for people; nothing that a program reads
	only   event.RunID
	shaped bool // answers are JSON
	report display.Report
}

func (r *reportOutput) event(s *transcript.State, e event.Event, _ []byte) error {
	if !r.report.Apply(s, e) || r.only != "" && r.only != r.report.Run {
		return nil
	}
	return r.print(r, r.report)
}

// answer prints the answer as it was written, of a run that gave one. A line is ended where the model did not do so.
func (r *reportOutput) answer(p display.Report) error {
	for _, d := range p.Denials {
		fmt.Fprintf(r.notes, "parley: %s: %s\n", strings.TrimSpace(d.Tool+" "+d.Title), d.Reason)
	}
	if p.Outcome.Reason != event.ReasonDone || p.Answer == "" {
		return nil
	}
	text := p.Answer
	if r.shaped {
		text = tool.Value(text)
	}
	_, err := r.w.WriteString(text)
	if err == nil && !strings.HasSuffix(text, "\n") {
		err = r.w.WriteByte('\n')
	}
	return err
}

// reportJSON is the object that --format json prints. Its names are a promise.
type reportJSON struct {
	Session  event.SessionID    `json:"session"`
	Run      event.RunID        `json:"run"`
	Model    string             `json:"model,omitempty"`
	Reason   event.Reason       `json:"reason"`
	Exit     int                `json:"exit"`
	Answer   string             `json:"answer"`
	Output   json.RawMessage    `json:"output,omitempty"` // the answer as JSON, where it was asked for
	Error    string             `json:"error,omitempty"`
	Usage    event.Usage        `json:"usage"`
	Cost     *float64           `json:"cost_usd,omitempty"` // nil: not every price is known
	Duration int64              `json:"duration_ms"`
	Files    []event.FileChange `json:"files"`
	Denials  []display.Denial   `json:"denials"`
}

// json prints one object on one line.
func (r *reportOutput) json(p display.Report) error {
	o := reportJSON{Session: p.Session, Run: p.Run, Model: p.Model, Reason: p.Outcome.Reason, Exit: p.Outcome.Exit(), Answer: p.Answer,
		Usage: p.Usage, Duration: p.MS, Files: p.Files, Denials: p.Denials}
	if p.Outcome.Reason != event.ReasonDone {
		o.Error = p.Outcome.Fault
	} else if value := tool.Value(p.Answer); r.shaped && json.Valid([]byte(value)) {
		o.Output = json.RawMessage(value)
	}
	if p.Usage.Unpriced == 0 {
		usd := float64(p.Usage.Cost) / 1e6
		o.Cost = &usd
	}
	if o.Files == nil {
		o.Files = []event.FileChange{}
	}
	if o.Denials == nil {
		o.Denials = []display.Denial{}
	}
	e := json.NewEncoder(r.w)
	e.SetEscapeHTML(false)
	return e.Encode(o)
}

// failure says why there is no answer.
func (r *reportOutput) failure(s *transcript.State) string {
	if o := display.OutcomeOf(s); o.Reason != event.ReasonDone {
		return o.Fault
	}
	return ""
}

func (r *reportOutput) begin(client.Joined) error     { return nil }
func (r *reportOutput) wants() ([]string, int)        { return nil, 0 }
func (r *reportOutput) tick(time.Time) error          { return nil }
func (r *reportOutput) flush() error                  { return r.w.Flush() }
func (r *reportOutput) close(*transcript.State) error { return r.w.Flush() }
func (r *reportOutput) interrupt() error              { return r.w.Flush() }
func (r *reportOutput) asks() bool                    { return false }
func (r *reportOutput) animated() bool                { return false }
