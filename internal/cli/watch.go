package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"parley/internal/client"
	"parley/internal/command"
	"parley/internal/display/plain"
	"parley/internal/event"
	"parley/internal/transcript"
)

// watch follows a session on a connection and renders it until it is over.
type watch struct {
	app     *app
	conn    *client.Conn
	out     output
	session event.SessionID
	until   event.RunID       // leave at the end of this run
	idle    bool              // leave as soon as all is shown and no run is open or waits
	now     *transcript.State // idle: the session as it is
	ran     bool              // idle: a run ended since it joined
	passive bool              // Ctrl+C leaves and stops nothing
	kept    []client.Line
	stopped chan struct{} // this client asked for the end of the run; closed when that was answered
}

func newWatch(a *app, conn *client.Conn, out output) *watch {
	switch o := out.(type) {
	case *plainOutput:
		if o.tty {
			o.past = a.past
		}
	case *dialectOutput:
		o.whole = a.whole
	}
	return &watch{app: a, conn: conn, out: out, session: conn.Welcome.Session}
}

// pastLimit is how many events of the past are shown before what is live.
const pastLimit = 400

// past reads what happened before a state, on a connection of its own: the one
// that is watched brings other things meanwhile. What cannot be read is not
// shown.
func (a *app) past(s *transcript.State) []event.Event {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	conn, err := a.find(ctx)
	if err != nil {
		return nil
	}
	defer conn.Close()
	page, err := client.Ask[command.Events](ctx, conn, s.Session, command.Read{What: command.ReadEvents, Before: s.Seq + 1, Limit: pastLimit})
	if err != nil {
		return nil
	}
	if len(page.Events) > 0 {
		if b, ok := page.Events[0].Body.(event.SessionOpened); ok && b.Origin == event.OriginBranch {
			return append(inherited(ctx, conn, s.Session, b), page.Events...)
		}
	}
	if i := slices.IndexFunc(page.Events, func(e event.Event) bool { return e.Kind() == "run.started" }); i > 0 && page.More {
		return page.Events[i:]
	}
	return page.Events
}

// whole gives a state that came as a line, which is sent without it, the content
// of its entries. What cannot be read stays out.
func (a *app) whole(s *transcript.State) {
	if len(s.Entries) == 0 && s.Summary == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	conn, err := a.find(ctx)
	if err != nil {
		return
	}
	defer conn.Close()
	snapshot, err := client.Ask[command.Snapshot](ctx, conn, s.Session, command.Read{What: command.ReadWhole})
	if err != nil {
		return
	}
	now := transcript.New()
	if json.Unmarshal(snapshot.State, now) != nil {
		return
	}
	for _, e := range s.Entries {
		if have := now.Entry(e.ID); have != nil {
			e.Content = have.Content
		}
	}
	if s.Summary != nil && now.Summary != nil && s.Summary.Entry == now.Summary.Entry {
		s.Summary.Text = now.Summary.Text
	}
}

// inherited is the end of what a branch has of its parent, as its own.
func inherited(ctx context.Context, conn *client.Conn, id event.SessionID, b event.SessionOpened) []event.Event {
	var out []event.Event
	err := export(ctx, conn, b.Parent, false, func(e event.Event) error {
		if e.Session == b.Parent {
			e.Session = id
			out = append(out, e)
		}
		if len(out) > 2*pastLimit {
			out = slices.Delete(out, 0, pastLimit)
		}
		switch v := e.Body.(type) {
		case event.UserSaid:
			if v.Entry == b.Entry {
				return io.EOF
			}
		case event.TurnEnded:
			if v.Entry == b.Entry {
				return io.EOF
			}
		}
		return nil
	})
	if !errors.Is(err, io.EOF) {
		return nil
	}
	return out
}

// hold keeps the lines that come before an answer.
func (w *watch) hold(answered <-chan error) error {
	for {
		select {
		case err := <-answered:
			return err
		case line, ok := <-w.conn.Lines():
			if !ok {
				return <-answered
			}
			w.kept = append(w.kept, line)
		}
	}
}

// follow renders until the end and returns its exit code as an error.
func (w *watch) follow(ctx context.Context) error {
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	var ticks <-chan time.Time
	if w.out.animated() {
		ticker := time.NewTicker(plain.SpinnerInterval)
		defer ticker.Stop()
		ticks = ticker.C
	}
	answers := w.answers()
	for _, line := range w.kept {
		if done, err := w.line(line); done || err != nil {
			return w.end(err)
		}
	}
	w.kept = nil
	if err := w.out.flush(); err != nil {
		return w.end(err)
	}
	for {
		select {
		case line, ok := <-w.conn.Lines():
			if !ok {
				return w.lost()
			}
			done, err := w.batch(line)
			if done || err != nil {
				return w.end(err)
			}
		case now := <-ticks:
			if err := w.out.tick(now); err != nil {
				return w.end(err)
			}
		case text, ok := <-answers:
			if !ok {
				answers = nil
				continue
			}
			w.answer(ctx, text)
		case s := <-signals:
			if w.passive || w.stopped != nil || s == syscall.SIGTERM {
				w.settle()
				return w.leave()
			}
			w.stopped = make(chan struct{})
			go func() {
				defer close(w.stopped)
				_, _ = w.conn.Do(ctx, w.session, command.Abort{})
			}()
		}
	}
}

// batch renders a line and all that are ready behind it, then flushes.
func (w *watch) batch(line client.Line) (bool, error) {
	for {
		done, err := w.line(line)
		if done || err != nil {
			return done, errors.Join(err, w.out.flush())
		}
		select {
		case next, ok := <-w.conn.Lines():
			if !ok {
				return false, w.lost()
			}
			line = next
		default:
			return false, w.out.flush()
		}
	}
}

// line renders one line; done says that the watch is over.
func (w *watch) line(line client.Line) (done bool, err error) {
	switch {
	case line.State != nil:
		return w.rests(line.State.Seq), w.out.state(line.State, line.Raw)
	case line.Fault != nil:
		if line.Fault.Code == command.Closed && w.hungUp() {
			return true, w.gone()
		}
		return true, failure(line.Fault)
	case line.Event == nil:
		return false, nil
	}
	e := *line.Event
	if err := w.out.event(e, line.Raw); err != nil {
		return true, err
	}
	if b, opened := e.Body.(event.AskOpened); opened && w.app.auto != "" {
		go func() {
			_, _ = w.conn.Do(context.Background(), w.session, command.Answer{Ask: b.Ask, Keys: []string{w.app.auto}})
		}()
	}
	_, ended := e.Body.(event.RunEnded)
	ended = ended && e.Session == w.session
	if w.idle {
		// By the head on joining, not by what is known of the session: that was asked
		// for later, and a run may have ended in between.
		w.ran = w.ran || ended && e.Seq > w.conn.Welcome.Head
		if e.Seq > w.now.Seq {
			w.now.Apply(e)
		}
	}
	return ended && w.until == e.Run || w.rests(e.Seq), nil
}

// rests reports whether a watch that leaves when nothing goes on has shown all
// up to seq, and nothing does. What was queued in a run that failed becomes a
// prompt only after its end.
func (w *watch) rests(seq event.Seq) bool {
	return w.idle && seq >= w.now.Seq && w.now.Run == nil && len(w.now.Queue) == 0
}

// untilIdle makes the watch leave when nothing goes on. The lines that come
// before the session's state is known are kept.
func (w *watch) untilIdle(ctx context.Context) error {
	w.now = transcript.New()
	asked := make(chan error, 1)
	go func() {
		snapshot, err := client.Ask[command.Snapshot](ctx, w.conn, w.session, command.Read{What: command.ReadState})
		if err == nil {
			err = json.Unmarshal(snapshot.State, w.now)
		}
		asked <- err
	}()
	w.idle = true
	return w.hold(asked)
}

// end closes the output and gives the run's outcome its exit code.
func (w *watch) end(err error) error {
	closed := w.out.close()
	if brokenPipe(err) || brokenPipe(closed) {
		return exit{code: 1}
	}
	if err = errors.Join(err, closed); err != nil {
		return err
	}
	if why := w.out.failure(); why != "" {
		return exit{max(1, w.out.exit()), errors.New(why)}
	}
	if code := w.out.exit(); code != 0 && (!w.idle || w.ran) {
		return exit{code: code}
	}
	return nil
}

// leaveWait bounds what a client that leaves still waits for.
const leaveWait = 2 * time.Second

// settle waits until the daemon has heard that the run is to be stopped: a second
// Ctrl+C may come before.
func (w *watch) settle() {
	if w.stopped == nil {
		return
	}
	late := time.After(leaveWait)
	for {
		select {
		case <-w.stopped:
			return
		case _, ok := <-w.conn.Lines():
			if !ok {
				return
			}
		case <-late:
			return
		}
	}
}

// hungUp reports whether the connection ends: a session is closed because its
// daemon leaves, or because it was removed.
func (w *watch) hungUp() bool {
	late := time.After(leaveWait)
	for {
		select {
		case _, ok := <-w.conn.Lines():
			if !ok {
				return w.conn.Err() != nil
			}
		case <-late:
			return false
		}
	}
}

func brokenPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }

func (w *watch) leave() error {
	if w.passive {
		_ = w.out.close()
		return exit{code: 130}
	}
	_ = w.out.interrupt()
	return exit{code: 130}
}

// lost says how to go on when the daemon is gone.
func (w *watch) lost() error {
	_ = w.out.close()
	if w.conn.Err() == nil {
		return nil
	}
	return w.gone()
}

func (w *watch) gone() error {
	return exit{1, fmt.Errorf("%w; session %s is kept: parley attach %s", w.conn.Err(), w.session, w.session)}
}

// answers reads what a person types, where this client can be asked.
func (w *watch) answers() <-chan string {
	switch {
	case w.app.typed != nil:
		return w.app.typed
	case !w.out.asks() || w.passive || w.app.auto != "":
		return nil
	}
	return lines(w.app.in)
}

// lines are what a person types.
func lines(in io.Reader) <-chan string {
	out := make(chan string)
	go func() {
		defer close(out)
		scan := bufio.NewScanner(in)
		for scan.Scan() {
			out <- scan.Text()
		}
	}()
	return out
}

// answer sends what was typed as the answer to the ask that is shown.
func (w *watch) answer(ctx context.Context, text string) {
	r, ok := w.out.(*plainOutput)
	if !ok {
		return
	}
	r.r.Typed()
	_, ask, question, ok := r.r.Asked()
	if !ok {
		w.steer(ctx, text)
		return
	}
	body, problem := plain.Answer(ask, question, text)
	if problem != "" {
		r.r.Remark(problem)
		_ = r.r.Flush()
		return
	}
	w.send(ctx, body)
}

// steer sends what was typed in a conversation while nothing was asked.
func (w *watch) steer(ctx context.Context, text string) {
	if w.app.typed != nil && strings.TrimSpace(text) != "" {
		w.send(ctx, command.Steer{Text: text})
	}
}

// send sends a command and says when it was refused.
func (w *watch) send(ctx context.Context, body command.Body) {
	go func() {
		if _, err := w.conn.Do(ctx, w.session, body); err != nil {
			var fault *command.Fault
			if !errors.As(err, &fault) || fault.Code != command.Closed {
				fmt.Fprintln(w.app.err, "parley: "+message(err))
			}
		}
	}()
}
