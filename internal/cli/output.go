package cli

import (
	"bufio"
	"os"
	"time"

	"github.com/charmbracelet/x/term"

	"parley/internal/cell"
	"parley/internal/display"
	"parley/internal/display/plain"
	"parley/internal/event"
	"parley/internal/transcript"
)

// output renders what a watch follows.
type output interface {
	state(s *transcript.State, raw []byte) error
	event(e event.Event, raw []byte) error
	tick(now time.Time) error
	flush() error
	close() error
	interrupt() error
	exit() int       // the exit code of the run that ended
	failure() string // what went wrong before anything was shown
	asks() bool      // a person can be asked
	animated() bool  // tick is wanted
}

// renderer returns the output that --format names.
func (a *app) renderer(format, color string) (output, error) {
	switch format {
	case "plain":
		return a.plain(color)
	case "native":
		return &nativeOutput{w: bufio.NewWriterSize(a.out, 64<<10), outcome: display.New("", silent{})}, nil
	}
	if f, ok := formats[format]; ok {
		return f.output(a.out), nil
	}
	return nil, usage("--format %s: it is one of %s", format, formatNames())
}

// terminal is the file behind w where that is a terminal.
func terminal(w any) (*os.File, bool) {
	f, ok := w.(*os.File)
	return f, ok && term.IsTerminal(f.Fd())
}

func (a *app) plain(color string) (output, error) {
	file, tty := terminal(a.out)
	o := plain.Options{Profile: cell.NoStyle, Terminal: tty || a.auto != "", Notes: a.err}
	switch color {
	case "always":
		o.Profile = cell.Color16
	case "auto":
		if tty && a.env["NO_COLOR"] == "" && a.env["TERM"] != "dumb" {
			o.Profile = cell.Color16
		}
	case "never":
	default:
		return nil, usage("--color %s: it is auto, always or never", color)
	}
	if tty {
		o.Notes = nil
		o.Width = func() int {
			width, _, err := term.GetSize(file.Fd())
			if err != nil {
				return 0
			}
			return width
		}
	}
	_, typing := terminal(a.in)
	return &plainOutput{r: plain.New(a.out, o), tty: tty, person: tty && typing || a.auto != "", moving: tty && a.env["TERM"] != "dumb"}, nil
}

type plainOutput struct {
	r      *plain.Renderer
	person bool
	moving bool
	tty    bool
	said   string                                // what stands on the screen already because it was typed there
	quiet  *quiet                                // nil: everything is shown at once
	past   func(*transcript.State) []event.Event // what is shown in gray before a state; nil: nothing
}

// quiet keeps the start of a run back until there is an answer, so that a run
// which fails before that leaves nothing in a pipe but its error on stderr.
type quiet struct {
	held    []event.Event
	outcome *display.Controller
	failed  string
}

// begun reports whether an event is more than the echo of the prompt.
func begun(e event.Event) bool {
	switch b := e.Body.(type) {
	case event.BlockStarted, event.CallAnnounced, event.CallStarted, event.AskOpened, event.ResponseEnded, event.RunAborting:
		return true
	case event.RunEnded:
		return b.Reason != event.ReasonError
	}
	return false
}

// release shows what was kept.
func (p *plainOutput) release() error {
	q := p.quiet
	if q == nil {
		return nil
	}
	p.quiet = nil
	for _, e := range q.held {
		if err := p.r.Apply(e); err != nil {
			return err
		}
	}
	return nil
}

func (p *plainOutput) state(s *transcript.State, _ []byte) error {
	if p.past != nil {
		p.r.Past(true)
		for _, e := range p.past(s) {
			if err := p.r.Apply(e); err != nil {
				return err
			}
		}
		p.r.Past(false)
		p.past = nil
	}
	return p.r.Attach(s)
}

func (p *plainOutput) tick(now time.Time) error { return p.r.Tick(now) }
func (p *plainOutput) flush() error             { return p.r.Flush() }
func (p *plainOutput) close() error             { return p.r.Close() }
func (p *plainOutput) asks() bool               { return p.person }

func (p *plainOutput) interrupt() error {
	if err := p.release(); err != nil {
		return err
	}
	return p.r.Interrupt()
}

func (p *plainOutput) exit() int {
	if p.quiet != nil {
		return p.quiet.outcome.Outcome().Exit()
	}
	return p.r.Outcome().Exit()
}
func (p *plainOutput) animated() bool { return p.moving }

func (p *plainOutput) event(e event.Event, _ []byte) error {
	if b, ok := e.Body.(event.UserSaid); ok && p.said != "" && b.Text == p.said {
		p.said = ""
		return nil
	}
	if p.quiet == nil {
		return p.r.Apply(e)
	}
	if begun(e) {
		if err := p.release(); err != nil {
			return err
		}
		return p.r.Apply(e)
	}
	if _, ok := e.Body.(event.RetryScheduled); ok {
		return p.r.Apply(e) // it goes to stderr
	}
	if f, ok := e.Body.(event.FaultRaised); ok {
		p.quiet.failed = f.Message
	}
	p.quiet.held = append(p.quiet.held, e)
	return p.quiet.outcome.Apply(e)
}

func (p *plainOutput) failure() string {
	if p.quiet == nil {
		return ""
	}
	return p.quiet.failed
}

// nativeOutput prints the log's own lines, each as it came.
type nativeOutput struct {
	w       *bufio.Writer
	outcome *display.Controller
}

func (n *nativeOutput) line(raw []byte) error {
	if _, err := n.w.Write(raw); err != nil {
		return err
	}
	return n.w.WriteByte('\n')
}

func (n *nativeOutput) state(_ *transcript.State, raw []byte) error { return n.line(raw) }

func (n *nativeOutput) event(e event.Event, raw []byte) error {
	switch e.Body.(type) {
	case event.PermissionDecided, event.RunStarted, event.RunEnded, event.FaultRaised:
		if err := n.outcome.Apply(e); err != nil {
			return err
		}
	}
	return n.line(raw)
}

func (n *nativeOutput) tick(time.Time) error { return nil }
func (n *nativeOutput) flush() error         { return n.w.Flush() }
func (n *nativeOutput) close() error         { return n.w.Flush() }
func (n *nativeOutput) interrupt() error     { return n.w.Flush() }
func (n *nativeOutput) exit() int            { return n.outcome.Outcome().Exit() }
func (n *nativeOutput) failure() string      { return "" }
func (n *nativeOutput) asks() bool           { return false }
func (n *nativeOutput) animated() bool       { return false }

// silent renders nothing: only the outcome is wanted.
type silent struct{}

func (silent) Render(display.RenderCommand) error { return nil }
