package plain

import (
	"fmt"
	"io"
	"strings"
	"time"

	"parley/internal/cell"
	"parley/internal/display"
	"parley/internal/event"
	"parley/internal/transcript"
)

// Options say where line mode writes to.
type Options struct {
	Profile cell.Profile // NoStyle for a pipe, for NO_COLOR and for --color never
	Width   func() int   // columns of the terminal, asked for each part; nil or 0: lines are not wrapped

	// Terminal says that a person watches: questions, notes and retries are
	// shown among the rest, and Tick draws a spinner.
	Terminal bool

	// Notes takes notes and retries, a line each, where there is no terminal;
	// nil: nobody hears them.
	Notes io.Writer
}

// A Renderer writes a session as lines. It is a [display.CommandRenderer] and is
// not safe for use by several goroutines.
//
// Output is kept until Flush, or until there is much of it: call Flush whenever
// no further event is ready.
type Renderer struct {
	w       io.Writer
	options Options
	control *display.Controller

	state   State
	out     []byte
	err     error // of the last write; nothing is written after it
	past    bool
	faulted bool // the open run has shown what went wrong

	stream   stream // what of the main session is being written
	thought  openThought
	reply    openReply
	aside    []display.RenderCommand // waits for the end of the stream
	asks     []display.OpenAsk       // the first is shown, the others wait
	asked    event.CallID            // whose diff the last ask has shown
	question int                     // of the ask that is shown
	spinner  spinner
}

// A stream says which text of the main session is open.
type stream uint8

const (
	closed stream = iota
	thought
	reply
)

// flushSize is how much output is kept, in bytes.
const flushSize = 32 << 10

// New returns a renderer that writes to w.
func New(w io.Writer, o Options) *Renderer {
	r := &Renderer{w: w, options: o}
	r.control = display.New(r)
	return r
}

// Apply shows an event and folds it into s. The error is that of a write: nothing
// more can be shown.
func (r *Renderer) Apply(s *transcript.State, e event.Event) error { return r.control.Apply(s, e) }

// Attach shows what is open in a state, before the events that follow it.
func (r *Renderer) Attach(s *transcript.State) error { return r.control.Attach(s) }

// Past says whether what comes is history: it is shown in gray, and only what
// was said and done of it.
func (r *Renderer) Past(past bool) { r.past = past }

// State returns what the renderer remembers of its output.
func (r *Renderer) State() State { return r.state }

// Interrupt ends the output as an interrupted run does, for a program that
// leaves before the run's end has come.
func (r *Renderer) Interrupt() error {
	r.endStream()
	return r.Render(display.EndRun{Reason: event.ReasonAborted})
}

// Fail ends the output with an error that is not in the log.
func (r *Renderer) Fail(message string) error {
	r.endStream()
	return r.Render(display.ShowFault{Code: event.CodeInternal, Message: message})
}

// Flush writes what is kept.
func (r *Renderer) Flush() error {
	if r.err == nil && len(r.out) > 0 {
		_, r.err = r.w.Write(r.out)
	}
	r.out = r.out[:0]
	return r.err
}

// Close ends what is open and writes it. The renderer can be used again.
func (r *Renderer) Close() error {
	r.endStream()
	r.stopSpinner()
	r.endLine()
	return r.Flush()
}

// Render shows a command. What comes while a text is open and is no part of it
// waits for its end.
func (r *Renderer) Render(c display.RenderCommand) error {
	main := c.Where().Voice.Name == ""
	switch c := c.(type) {
	case display.StartThought:
		r.startStream(thought)
	case display.AppendThought:
		r.appendStream(thought, c.Text)
	case display.StartText:
		r.startStream(reply)
	case display.AppendText:
		r.appendStream(reply, c.Text)
	case display.EndThought, display.EndText:
		r.endStream()
	case display.EnterPhase:
		if main {
			r.spinner.enter(c.Phase, c.What)
		}
	default:
		switch {
		case r.stream != closed:
			r.aside = append(r.aside, c)
		case main:
			r.renderPart(c)
		default:
			r.renderAgent(c)
		}
	}
	if len(r.out) >= flushSize {
		return r.Flush()
	}
	return r.err
}

// renderPart shows a command of the main session with no stream open.
func (r *Renderer) renderPart(c display.RenderCommand) {
	switch c := c.(type) {
	case display.StartRun:
		r.faulted = false
	case display.EndRun:
		r.endRun(c)
	case display.ShowUser:
		r.query(c)
	case display.ShowImage:
		r.part(Aside)
		r.line(cell.Plain("[image " + flat(c.Path) + "]"))
	case display.StartCall, display.PreviewCall, display.EndCall:
		r.renderCall(c)
	case display.OpenAsk, display.AnswerAsk, display.CloseAsk:
		r.renderAsk(c)
	case display.ShowFault:
		r.fault(c.Message)
	case display.ShowNote, display.ShowRetry, display.ShowCompaction:
		r.renderNews(c)
	case display.ShowFiles, display.AppendCall, display.DecideCall:
		// Files and decisions show in the outcomes of their calls.
	case display.ShowDeveloper, display.EndRetry:
		// Between Parley and the model.
	case display.OpenAgent, display.UpdateAgent, display.CloseAgent:
		// A sub-agent has a voice.
	}
}

func (r *Renderer) query(c display.ShowUser) {
	text := strings.TrimSpace(cell.Clean(c.Text))
	for _, a := range c.Attachments {
		name := a.Name
		if name == "" {
			name = a.MediaType
		}
		text = strings.TrimSpace(text + " [" + flat(name) + "]")
	}
	if text == "" {
		return
	}
	r.part(Query)
	first, rest, more := strings.Cut(text, "\n")
	r.prefixed("$", cell.Accent, first)
	if more {
		r.prose(rest, cell.Style{})
	}
}

func (r *Renderer) fault(message string) {
	if r.past {
		return
	}
	r.faulted = true
	r.part(Notice)
	r.prose("Error: "+strings.TrimSpace(cell.Clean(message)), cell.Style{Color: cell.Red})
}

func (r *Renderer) endRun(c display.EndRun) {
	switch c.Reason {
	case event.ReasonAborted:
		r.interrupted()
	case event.ReasonError:
		if !r.faulted {
			r.fault("the run failed")
		}
	case event.ReasonLimit:
		if !r.faulted {
			r.fault("a limit was reached")
		}
	default:
		r.metrics(c.Usage, c.Duration)
	}
	r.faulted = false
}

func (r *Renderer) interrupted() {
	if r.past {
		return
	}
	r.part(Notice)
	r.line(cell.Line{{Text: "⚠", Style: cell.Style{Color: cell.Yellow}}, {Text: " Interrupted by user."}})
}

// metrics shows what is known of a run's cost.
func (r *Renderer) metrics(u event.Usage, d time.Duration) {
	var known []string
	if u.Input > 0 || u.Output > 0 {
		known = append(known, fmt.Sprintf("Input: %d", u.Input), fmt.Sprintf("Output: %d", u.Output))
	}
	if d > 0 {
		known = append(known, fmt.Sprintf("Duration: %.1fs", d.Seconds()))
	}
	if len(known) == 0 || r.past {
		return
	}
	r.part(Metrics)
	r.line(cell.Plain(strings.Join(known, "  ")))
}

func (r *Renderer) renderNews(c display.RenderCommand) {
	var text string
	color := cell.Dim
	switch c := c.(type) {
	case display.ShowNote:
		text = c.Text
		if c.Source != "" {
			text = c.Source + ": " + text
		}
		switch c.Level {
		case event.LevelWarn:
			color = cell.Yellow
		case event.LevelError:
			color = cell.Red
		}
	case display.ShowRetry:
		text = fmt.Sprintf("retry %s in %s: %s", c.Retry.Count(" of "), wait(c.Retry.DelayMS), c.Retry.Reason)
		color = cell.Yellow
	case display.ShowCompaction:
		text = fmt.Sprintf("context compacted: %d of %d tokens are left", c.Compaction.TokensAfter, c.Compaction.TokensBefore)
	}
	text = flat(text)
	switch {
	case r.past || text == "":
	case r.options.Terminal:
		r.part(Aside)
		r.prose(text, cell.Style{Color: color})
	case r.options.Notes != nil:
		// A note that cannot be written is no reason to stop.
		_, _ = fmt.Fprintf(r.options.Notes, "parley: %s\n", text)
	}
}

// wait is how long something waits, in words: 1.8s, 4m10s, 1h0m0s.
func wait(ms int64) string {
	d := time.Duration(ms) * time.Millisecond
	if d < time.Minute {
		return fmt.Sprintf("%.1fs", d.Seconds())
	}
	return d.Round(time.Second).String()
}
