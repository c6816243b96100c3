package cli

import (
	"bufio"
	"errors"
	"io"
	"time"

	"github.com/charmbracelet/x/term"

	"parley/internal/cell"
	"parley/internal/client"
	"parley/internal/display"
	"parley/internal/display/plain"
	"parley/internal/event"
	"parley/internal/transcript"
)

// output renders what a runWatcher follows.
type output interface {
	begin(j client.Joined) error                                 // shows what is open in a state, and what was before it
	event(s *transcript.State, e event.Event, line []byte) error // shows an event, and folds it into s
	tick(now time.Time) error
	flush() error
	close(s *transcript.State) error
	interrupt() error
	failure(s *transcript.State) string       // what went wrong before anything was shown
	wants() (capabilities []string, past int) // of the session that it shows
	asks() bool                               // a person can be asked
	animated() bool                           // tick is wanted
}

// fold folds what of an event is new to s.
func fold(s *transcript.State, e event.Event) {
	for e := range transcript.Advance(s, e) {
		s.Apply(e)
	}
}

// renderer returns the output that --format names.
func (a *app) renderer(format, color string) (output, error) {
	switch format {
	case "plain":
		return a.plain(color)
	case "native":
		return &nativeOutput{w: bufio.NewWriterSize(a.out, 64<<10)}, nil
	}
	if print := reportFormats[format]; print != nil {
		return &reportOutput{print: print, w: bufio.NewWriter(a.out), notes: a.err}, nil
	}
	if f := a.dialects[format].print; f != nil {
		return f.output(a.out), nil
	}
	return nil, usage("--format %s: it is one of %s", format, a.formatted())
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
	gate := &gate{w: bare(a.out), open: true}
	return &plainOutput{r: plain.New(gate, o), gate: gate, tty: tty, person: tty && typing || a.auto != "", moving: tty && a.env["TERM"] != "dumb"}, nil
}

// pastLimit is how many events of the past are shown at once.
const pastLimit = 400

type plainOutput struct {
	r      *plain.Renderer
	gate   *gate
	person bool
	moving bool
	tty    bool
	said   string // what stands on the screen already because it was typed there, with all before it
}

// A gate keeps the start of a run back until there is an answer, so that a run
// which fails before that leaves nothing in a pipe but its error on stderr.
type gate struct {
	w    io.Writer
	open bool
	held []byte
}

// Write writes, or keeps what is written.
func (g *gate) Write(b []byte) (int, error) {
	if g.open {
		return g.w.Write(b)
	}
	g.held = append(g.held, b...)
	return len(b), nil
}

// release writes what was kept, and what comes.
func (g *gate) release() error {
	held := g.held
	g.open, g.held = true, nil
	if len(held) == 0 {
		return nil
	}
	_, err := g.w.Write(held)
	return err
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

func (p *plainOutput) begin(j client.Joined) error {
	if events := j.Past.Events; len(events) > 0 {
		past := j.State.Resume(0)
		p.r.Past(true)
		for _, e := range events {
			if err := p.r.Apply(past, e); err != nil {
				return err
			}
		}
		p.r.Past(false)
	}
	return p.r.Attach(j.State)
}

func (p *plainOutput) event(s *transcript.State, e event.Event, _ []byte) error {
	if b, ok := e.Body.(event.UserSaid); ok && p.said != "" && b.Text == p.said {
		p.said = ""
		fold(s, e)
		return nil
	}
	if !p.gate.open && begun(e) {
		if err := p.gate.release(); err != nil {
			return err
		}
	}
	return p.r.Apply(s, e)
}

func (p *plainOutput) wants() ([]string, int) {
	past := 0
	if p.tty && p.said == "" {
		past = pastLimit
	}
	if p.person {
		return []string{client.CanAsk}, past
	}
	return nil, past
}

func (p *plainOutput) tick(now time.Time) error      { return p.r.Tick(now) }
func (p *plainOutput) flush() error                  { return p.r.Flush() }
func (p *plainOutput) close(*transcript.State) error { return p.r.Close() }
func (p *plainOutput) asks() bool                    { return p.person }
func (p *plainOutput) animated() bool                { return p.moving }

func (p *plainOutput) interrupt() error {
	return errors.Join(p.gate.release(), p.r.Interrupt(), p.r.Flush())
}

func (p *plainOutput) failure(s *transcript.State) string {
	if p.gate.open {
		return ""
	}
	return display.OutcomeOf(s).Fault
}

// nativeOutput prints the log's own lines, each as it came.
type nativeOutput struct{ w *bufio.Writer }

func (n *nativeOutput) line(line []byte) error {
	if _, err := n.w.Write(line); err != nil {
		return err
	}
	return n.w.WriteByte('\n')
}

func (n *nativeOutput) begin(j client.Joined) error {
	if j.Line == nil {
		return nil
	}
	return n.line(j.Line)
}

func (n *nativeOutput) event(s *transcript.State, e event.Event, line []byte) error {
	fold(s, e)
	return n.line(line)
}

func (n *nativeOutput) wants() ([]string, int)           { return nil, 0 }
func (n *nativeOutput) tick(time.Time) error             { return nil }
func (n *nativeOutput) flush() error                     { return n.w.Flush() }
func (n *nativeOutput) close(*transcript.State) error    { return n.w.Flush() }
func (n *nativeOutput) interrupt() error                 { return n.w.Flush() }
func (n *nativeOutput) failure(*transcript.State) string { return "" }
func (n *nativeOutput) asks() bool                       { return false }
func (n *nativeOutput) animated() bool                   { return false }
