package tui

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"time"

	"parley/internal/client"
	"parley/internal/event"
	"parley/internal/term"
)

// Options are what Run needs.
type Options struct {
	Source   Source
	Terminal Terminal // Run closes it
	// Debug asserts the invariants at the end of every tick, as PARLEY_DEBUG asks
	// for; breaking it ends Run with an error.
	Debug bool
	// Words breaks finished lines between words at the width of the moment. Without
	// it they are left whole: the terminal wraps them at its edge, in the middle of
	// a word too, reflows them when it is resized, and copies them as one line.
	Words bool
	// Model is what will answer as long as the session does not say so itself.
	Model string
	// Prompt is sent as the first prompt, where it is not empty.
	Prompt string
	// Inputs returns what was said to earlier sessions of a folder, the oldest
	// first: what the composer goes back to. It is asked once, when the first frame
	// is written, and may take its time; nil: there is nothing.
	Inputs func(ctx context.Context, folder string) []string
}

// ErrSignal is what Run returns when a signal asked it to leave.
type ErrSignal struct{ Signal os.Signal }

func (e ErrSignal) Error() string { return "left on " + e.Signal.String() }

// How much is taken from the channels before the screen is looked at again, and
// how long the end of a frame is waited for when leaving.
const (
	batchMax      = 512
	leavePatience = 200 * time.Millisecond
)

// maxFrameBytes is about how many bytes of events are taken between two frames.
// Once they are, the next frame is drawn at once, and further events wait at their
// source: memory does not grow with the stream, nor while the terminal is stuck.
const maxFrameBytes = 32 << 10

// Run shows a session on a terminal until the user leaves, and gives the terminal
// back as it was, also when ctx ends or something panics. It returns nil when
// the user left, an [ErrSignal] when a signal asked for it.
func Run(ctx context.Context, o Options) (err error) {
	l := newLoop(o)
	defer func() {
		v := recover()
		if v == nil {
			v = l.screen.broken
		}
		l.close()
		if v != nil {
			panic(v)
		}
	}()
	return l.run(ctx)
}

// A loop is the one goroutine that owns the model: it takes inputs, lays out,
// draws, and carries intents out.
type loop struct {
	Options
	model    Model
	screen   *screen
	received int // bytes that came since the last frame
	before   RenderState
	quit     *Quit
	pager    *browser
	pages    chan page
	inputs   chan []string
	err      error
}

func newLoop(o Options) *loop {
	l := &loop{Options: o, screen: newScreen(o.Terminal), pages: make(chan page, 1), inputs: make(chan []string, 1)}
	l.model = New(o.Terminal.Size(), time.Now())
	l.model.expected = o.Model
	l.model.can, l.model.words = o.Terminal.Abilities(), o.Words
	return l
}

func (l *loop) run(ctx context.Context) error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	if l.Prompt != "" {
		l.reduce(Typed{term.Paste{Text: l.Prompt}})
	}
	for l.quit == nil && l.err == nil {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case e := <-l.Terminal.Events():
			l.tick()
			l.typed(e)
		case u, ok := <-l.updates():
			l.tick()
			l.update(u, ok)
		case texts := <-l.inputs:
			l.reduce(Inputs{texts})
		case err := <-l.screen.written:
			l.tick()
			l.wrote(err)
		case p := <-l.pages:
			l.pager.take(p)
		case <-timer.C:
			l.tick()
		}
		l.drain()
		if err := l.draw(); err != nil {
			return err
		}
		l.loadInputs(ctx)
		l.set(timer)
	}
	if l.err == nil && l.quit.Err == nil {
		l.finish()
	}
	switch {
	case l.err != nil:
		return l.err
	case l.quit.Signal != nil:
		return ErrSignal{l.quit.Signal}
	}
	return l.quit.Err
}

// drain takes what else is there, keys first, so that a burst is one frame.
func (l *loop) drain() {
	for range batchMax {
		if l.quit != nil {
			return
		}
		select {
		case e := <-l.Terminal.Events():
			l.typed(e)
			continue
		default:
		}
		select {
		case u, ok := <-l.updates():
			l.update(u, ok)
		default:
			return
		}
	}
}

// loadInputs asks for the inputs of earlier sessions, once there is a frame and the
// folder is known.
func (l *loop) loadInputs(ctx context.Context) {
	folder := l.model.state.Workspace
	if l.Inputs == nil || folder == "" || l.screen.shown.Width == 0 {
		return
	}
	ask := l.Inputs
	l.Inputs = nil
	go func() { l.inputs <- ask(ctx, folder) }()
}

// updates is the source's channel, or nil while the screen has enough to show.
func (l *loop) updates() <-chan client.Update {
	if l.received > maxFrameBytes && l.pager == nil {
		return nil
	}
	return l.Source.Updates()
}

func (l *loop) tick() { l.reduce(Ticked{time.Now()}) }

// reduce takes an input into the model and carries out what it wants.
func (l *loop) reduce(in Input) {
	var intents []Intent
	l.model, intents = Reduce(l.model, in)
	for _, i := range intents {
		switch i := i.(type) {
		case Send:
			l.Source.Send(i.ID, i.Body)
		case Quit:
			l.quit = &i
		case Suspend:
			l.suspend()
		case Browse:
			l.browse(i)
		}
	}
	if l.Debug {
		state := l.model.RenderState()
		if err := state.check(l.before); err != nil && l.err == nil {
			l.err = fmt.Errorf("after %T: %w", in, err)
		}
		l.before = state
	}
}

func (l *loop) typed(e term.Event) {
	if l.pager != nil && l.browsed(e) {
		return
	}
	l.reduce(Typed{e})
}

// update takes what the source tells.
func (l *loop) update(u client.Update, ok bool) {
	if !ok {
		l.quit = cmp.Or(l.quit, &Quit{})
		return
	}
	switch u := u.(type) {
	case client.Joined:
		l.reduce(Opened{u.Client, u.State, u.Past.Events, u.Past.More})
		if l.Prompt != "" {
			l.Prompt = ""
			l.reduce(Typed{term.Key{Name: "enter"}})
		}
	case client.News:
		for _, e := range u.Events {
			l.happened(e)
		}
	case client.Reply:
		l.reduce(Answered{u.Result})
	case client.Refused:
		l.reduce(Warned{u.Fault})
	case client.Lost:
		l.reduce(Lost{u.Err})
	case client.Over:
		l.err = u.Err
	}
}

func (l *loop) happened(e event.Event) {
	if l.received += weight(e); l.received > maxFrameBytes {
		l.model.urge(UrgencyNow)
	}
	l.reduce(Happened{e})
}

// weight is about how much an event makes the screen hold.
func weight(e event.Event) int {
	const least = 64
	switch b := e.Body.(type) {
	case event.BlockDelta:
		return least + len(b.Text)
	case event.CallDelta:
		return least + len(b.Text)
	case event.BlockEnded:
		return least + len(b.Text)
	}
	return least
}

// wrote takes the outcome of a frame. One that committed lines is followed at
// once by the one frame that shows the cursor.
func (l *loop) wrote(err error) {
	p, ok := l.took(err)
	if !ok {
		return
	}
	if len(p.Commit) > 0 {
		if lit := p.WithCursor(); l.screen.start(lit) {
			return
		}
	}
	l.reduce(Drawn{l.screen.shown})
}

// took takes the outcome of a frame: what it committed the scrollback owns.
func (l *loop) took(err error) (p Page, ok bool) {
	if err != nil {
		l.quit = &Quit{Err: err}
		return Page{}, false
	}
	p = l.screen.done()
	if len(p.Commit) > 0 {
		l.reduce(Committed{p.Upto})
	}
	return p, true
}

// clear takes the live rows off the screen, once the frame that is being written
// is there. It reports false when the terminal does not take that.
func (l *loop) clear() bool {
	if !l.screen.settle(leavePatience, func(err error) { l.took(err) }) {
		return false
	}
	l.screen.erase()
	l.reduce(Drawn{l.screen.shown})
	return true
}

// draw begins a frame if one is due.
func (l *loop) draw() error {
	if l.pager != nil {
		return l.pager.draw(l)
	}
	now := time.Now()
	at, ok := l.screen.pace.due(l.model.Urgency())
	if l.screen.writing || !ok || now.Before(at) || l.quit != nil {
		return nil
	}
	// The size may have changed and the signal not be here yet.
	if size := l.Terminal.Size(); size != l.model.size {
		l.reduce(Typed{size})
	}
	p := Layout(l.model)
	l.received = 0
	l.reduce(Laid{p})
	if !l.screen.start(p) {
		l.reduce(Drawn{p})
		return nil
	}
	l.screen.pace = l.screen.pace.drawn(now)
	return nil
}

// set sets the timer to when something is to happen by itself.
func (l *loop) set(timer *time.Timer) {
	at := l.model.Wake()
	if d, ok := l.screen.pace.due(l.model.Urgency()); !l.screen.writing && ok && (at.IsZero() || d.Before(at)) {
		at = d
	}
	if at.IsZero() {
		timer.Stop()
		return
	}
	timer.Reset(max(time.Until(at), 0))
}

// finish writes what is final and was not written yet, before the program leaves.
func (l *loop) finish() {
	took := func(err error) { l.took(err) }
	if l.pager != nil || !l.screen.settle(leavePatience, took) {
		return
	}
	l.model.last = true
	p := Layout(l.model)
	if len(p.Commit) == 0 {
		return
	}
	l.reduce(Laid{p})
	if l.screen.start(p) {
		l.screen.settle(leavePatience, took)
	}
}

// suspend stops the program and draws anew when it goes on.
func (l *loop) suspend() {
	l.clear()
	if err := l.Terminal.Suspend(); err != nil {
		l.quit = &Quit{Err: err}
	}
}

// close gives the terminal back.
func (l *loop) close() {
	if l.pager != nil {
		l.pager.leave(l)
	}
	if l.screen.settle(leavePatience, func(error) { l.screen.done() }) {
		l.screen.erase()
	}
	close(l.screen.frames)
	l.Terminal.Close()
}
