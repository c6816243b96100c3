package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"syscall"
	"time"

	"parley/internal/client"
	"parley/internal/command"
	"parley/internal/display/plain"
	"parley/internal/event"
	"parley/internal/transcript"
	"parley/internal/wire"
)

// runWatcher follows a session and renders it until it is over.
type runWatcher struct {
	app      *app
	session  watchSource
	out      output
	state    *transcript.State // of what was rendered
	until    event.RunID       // leave at the end of this run
	idle     bool              // leave as soon as all is shown and no run is open or waits
	ran      bool              // a run ended since it joined
	passive  bool              // Ctrl+C leaves and stops nothing
	buffered []client.Update
	sent     int // commands
	shown    shownAsk
	ending
}

// watchSource is what a runWatcher needs of a client.Session.
type watchSource interface {
	ID() event.SessionID
	Head() event.Seq
	Updates() <-chan client.Update
	Send(id string, body command.Body)
}

// join joins a session for an output, once: who watches a daemon that is lost is
// told how to go on.
func (a *app) join(ctx context.Context, hello wire.Hello, out output) (*client.Session, error) {
	capabilities, past := out.wants()
	hello.Capabilities = append(hello.Capabilities, capabilities...)
	return client.Join(ctx, client.Joining{Dial: a.dial, Hello: hello, Past: past, Once: true})
}

func newRunWatcher(a *app, s watchSource, out output) *runWatcher {
	return &runWatcher{app: a, session: s, out: out, state: transcript.New()}
}

// hold keeps what comes before an answer. Until the daemon has said what a prompt became, a signal waits too: there is
// no run yet that could be ended.
func (w *runWatcher) bufferUntil(answered <-chan error) error {
	for {
		select {
		case err := <-answered:
			return err
		case s := <-w.signals:
			if w.receive(s) {
				return w.leave()
			}
		case <-w.expired:
			w.expire()
		case <-w.late:
			return w.leave()
		case u, ok := <-w.session.Updates():
			if !ok {
				return <-answered
			}
			w.buffered = append(w.buffered, u)
		}
	}
}

// follow renders until the end and returns its exit code as an error.
func (w *runWatcher) follow() error {
	defer w.listen()()
	var ticks <-chan time.Time
	if w.out.animated() {
		ticker := time.NewTicker(plain.SpinnerInterval)
		defer ticker.Stop()
		ticks = ticker.C
	}
	answers := w.answers()
	for _, u := range w.buffered {
		if done, err := w.update(u); done || err != nil {
			return w.end(err)
		}
	}
	w.buffered = nil
	if err := w.flush(); err != nil {
		return w.end(err)
	}
	if w.stopping() {
		w.stop()
	}
	for {
		select {
		case u := <-w.session.Updates():
			done, err := w.batch(u)
			if done || err != nil {
				return w.end(err)
			}
		case now := <-ticks:
			if err := w.out.tick(now); err != nil {
				return w.end(err)
			}
		case line, ok := <-answers:
			if !ok {
				answers = nil
				continue
			}
			w.answer(line)
		case s := <-w.signals:
			if w.receive(s) {
				w.settle()
				return w.leave()
			}
			w.stop()
		case <-w.expired:
			w.expire()
			w.stop()
		case <-w.late:
			return w.leave()
		}
	}
}

// batch renders an update and all that are ready behind it, then flushes.
func (w *runWatcher) batch(u client.Update) (bool, error) {
	for {
		done, err := w.update(u)
		if done || err != nil {
			return done, errors.Join(err, w.flush())
		}
		select {
		case u = <-w.session.Updates():
		default:
			return false, w.flush()
		}
	}
}

// update renders an update; done says that the watch is over.
func (w *runWatcher) update(u client.Update) (done bool, err error) {
	switch u := u.(type) {
	case client.Joined:
		w.state = u.State
		return w.idleAtHead(), w.out.begin(u)
	case client.News:
		for i, e := range u.Events {
			if done, err := w.event(e, u.Lines[i]); done || err != nil {
				return done, err
			}
		}
	case client.Reply:
		return w.replied(u.Result), nil
	case client.Refused:
		if u.Fault.Code == command.Closed && w.hungUp() {
			return true, w.lostError(client.ErrLost)
		}
		return true, failure(u.Fault)
	case client.Over:
		if u.Err == nil {
			return true, errOver
		}
		return true, w.lostError(u.Err)
	case nil:
		return true, errOver
	case client.Lost:
		// A runWatcher joins once.
	}
	return false, nil
}

// errOver ends a runWatcher whose session ended in good order.
var errOver = errors.New("the session is over")

func (w *runWatcher) event(e event.Event, line []byte) (done bool, err error) {
	if err := w.out.event(w.state, e, line); err != nil {
		return true, err
	}
	if b, opened := e.Body.(event.AskOpened); opened && w.app.auto != "" {
		w.send(command.Answer{Ask: b.Ask, Keys: []string{w.app.auto}})
	}
	_, ended := e.Body.(event.RunEnded)
	ended = ended && e.Session == w.session.ID()
	w.ran = w.ran || ended && e.Seq > w.session.Head()
	return ended && w.until == e.Run || w.idleAtHead(), nil
}

// idleAtHead reports whether a runWatcher that leaves when idle may leave: it has
// shown all that there was when it joined, and nothing is open or queued. What was
// queued in a run that failed becomes a prompt only after its end.
func (w *runWatcher) idleAtHead() bool { return w.idle && client.Idle(w.state, w.session.Head()) }

// hungUp reports whether the connection ends: a session is closed because its
// daemon leaves, or because it was removed.
func (w *runWatcher) hungUp() bool {
	late := time.After(leaveWait)
	for {
		select {
		case u := <-w.session.Updates():
			if over, ok := u.(client.Over); ok {
				return over.Err != nil
			} else if u == nil {
				return false
			}
		case <-late:
			return false
		}
	}
}

func brokenPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }

// lostError says how to go on when the daemon is gone.
func (w *runWatcher) lostError(err error) error {
	id := w.session.ID()
	return exit{1, fmt.Errorf("%w; session %s is kept: parley attach %s", err, id, id)}
}

// answers reads what a person types, where this client can be asked.
func (w *runWatcher) answers() <-chan typedLine {
	switch {
	case w.app.typed != nil:
		return w.app.typed
	case !w.out.asks() || w.passive || w.app.auto != "":
		return nil
	}
	return typedLines(w.app.in)
}

// flush writes what is kept. A question that is shown with it is answered by
// nothing that was typed before.
func (w *runWatcher) flush() error {
	if r, ok := w.out.(*plainOutput); ok && r.person && w.app.auto == "" {
		_, ask, question, asked := r.r.Asked()
		if now := (shownAsk{ask.Ask, question, w.shown.at}); asked && now != w.shown {
			push(w.app.in)
			w.shown = shownAsk{ask.Ask, question, time.Now()}
		}
	}
	return w.out.flush()
}

// A shownAsk is a question that a person can answer, and when it was shown.
type shownAsk struct {
	ask      event.AskID
	question int
	at       time.Time
}

// answer sends what was typed as the answer to the ask that is shown.
func (w *runWatcher) answer(line typedLine) {
	r, ok := w.out.(*plainOutput)
	if !ok {
		return
	}
	r.r.Typed()
	_, ask, question, ok := r.r.Asked()
	if !ok {
		w.steer(line.text)
		return
	}
	body, problem := plain.Answer(ask, question, line.text)
	if line.begun || line.read.Before(w.shown.at) {
		problem = "That was typed before the question was shown, and answers nothing. Type the answer again."
		w.steer(line.text)
	}
	if problem != "" {
		r.r.Remark(problem)
		_ = r.r.Flush() // the next write tells
		return
	}
	w.send(body)
}

// steer sends what was typed in a conversation while nothing was asked.
func (w *runWatcher) steer(text string) {
	if w.app.typed != nil && strings.TrimSpace(text) != "" {
		w.send(command.Steer{Text: text})
	}
}

// send sends a command. What comes of it is an update.
func (w *runWatcher) send(body command.Body) (id string) {
	w.sent++
	id = strconv.Itoa(w.sent)
	w.session.Send(id, body)
	return id
}

// replied says when a command was refused; done says that what was to be run was taken back. An ask that was answered
// elsewhere, and a run that has ended by itself, are seen to be so.
func (w *runWatcher) replied(r command.Result) (done bool) {
	if r.ID == w.abort {
		return w.stopped(r.Fault != nil)
	}
	if r.Fault != nil && r.Fault.Code != command.Closed && w.app.auto == "" {
		fmt.Fprintln(w.app.err, "parley: "+message(r.Fault))
	}
	return false
}
