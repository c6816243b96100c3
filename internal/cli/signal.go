package cli

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"parley/internal/client"
	"parley/internal/command"
	"parley/internal/display"
	"parley/internal/event"
)

// ending is what signals do to a runWatcher. The first signal ends the run that this client started, and the client
// waits for that: as long as it takes after Ctrl+C, at most waitLimits.stop after SIGTERM, SIGHUP and the end of
// --timeout, which is as good as a signal. A second signal leaves at once. A client that only watches, and a conversation in line mode whose terminal is gone, leave and stop
// nothing.
type ending struct {
	signals chan os.Signal
	signal  os.Signal        // the last
	timeout time.Duration    // of the run; 0: none
	expired <-chan time.Time // the timeout is over then
	overdue bool             // it is over
	late    <-chan time.Time // leave then
	input   event.InputID    // the prompt, as long as it may wait for its run
	abort   string           // id of the command by which this client asked for the end of the run
	back    bool             // that command takes the prompt back
	aborted bool             // it was answered
}

// listen takes signals from now on. nohup ignores SIGHUP for what it runs, and so it stays.
func (w *runWatcher) listen() (stop func()) {
	if w.signals != nil {
		return func() {}
	}
	w.signals = make(chan os.Signal, 4)
	signal.Notify(w.signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(w.signals, syscall.SIGHUP)
	}
	return func() { signal.Stop(w.signals) }
}

// receive takes a signal; leave says that there is nothing to end, or that it is not waited for any more.
func (w *runWatcher) receive(s os.Signal) (leave bool) {
	again := w.signal != nil
	w.signal = s
	if s != os.Interrupt && w.late == nil {
		w.late = time.After(w.app.waits.stop)
	}
	return again || w.passive || w.app.typed != nil && s != os.Interrupt
}

// expire takes the end of the timeout.
func (w *runWatcher) expire() {
	w.overdue, w.expired = true, nil
	if w.late == nil {
		w.late = time.After(w.app.waits.stop)
	}
}

// stopping reports whether this client ends the run.
func (w *runWatcher) stopping() bool { return w.signal != nil || w.overdue }

// stop asks for the end of the run, or removes the prompt from the queue while another run is open.
func (w *runWatcher) stop() {
	if run := w.state.Run; w.input != "" && (run == nil || run.ID != w.until) {
		w.back, w.abort = true, w.send(command.QueueRemove{Input: w.input})
		return
	}
	w.abort = w.send(command.Abort{})
}

// stopped takes the answer to stop; done says that there will be no run.
func (w *runWatcher) stopped(refused bool) (done bool) {
	if w.back && refused { // its run began meanwhile
		w.back, w.abort = false, w.send(command.Abort{})
		return false
	}
	w.aborted = true
	return w.back
}

// leaveWait bounds what a client that leaves still waits for.
const leaveWait = 2 * time.Second

// settle waits until the daemon has heard that the run is to be stopped: a second
// Ctrl+C may come before.
func (w *runWatcher) settle() {
	late := time.After(leaveWait)
	for w.abort != "" && !w.aborted {
		select {
		case u, ok := <-w.session.Updates():
			if !ok {
				return
			}
			if r, ok := u.(client.Reply); ok {
				w.replied(r.Result)
			}
		case <-late:
			return
		}
	}
}

// leave ends the client without waiting for the run's end.
func (w *runWatcher) leave() error {
	if !w.passive {
		_ = w.out.interrupt() // nothing more can be done about it
	}
	_ = w.out.close(w.state)
	return w.interrupted()
}

// interrupted is the exit of what a signal ended, with the code as a shell counts, or of what the timeout ended.
func (w *runWatcher) interrupted() exit {
	if w.signal == nil && w.overdue {
		return exit{1, fmt.Errorf("the run was stopped after %s, its --timeout; parley run --session %s goes on with it", w.timeout, w.session.ID())}
	}
	return signalled(w.signal)
}

// signalled is the exit of a program that a signal ended, with the code as a shell counts.
func signalled(by os.Signal) exit {
	if s, ok := by.(syscall.Signal); ok {
		return exit{code: 128 + int(s)}
	}
	return exit{code: display.ExitInterrupted}
}

// end closes the output and gives the run's outcome its exit code.
func (w *runWatcher) end(err error) error {
	if w.signal == nil && !w.passive && errors.Is(err, syscall.EIO) {
		w.signal = syscall.SIGHUP // the terminal is gone; its signal may come a moment later
		w.stop()
	}
	if w.stopping() && w.abort != "" && !w.aborted {
		w.settle()
	}
	if w.back && w.aborted {
		return w.leave()
	}
	closed := w.out.close(w.state)
	switch {
	case errors.Is(err, errOver):
		return nil
	case w.signal != nil && w.signal != os.Interrupt && errors.Join(err, closed) != nil:
		return w.interrupted() // nobody is there who could read why
	case brokenPipe(err) || brokenPipe(closed):
		return exit{code: 1}
	}
	if err = errors.Join(err, closed); err != nil {
		return err
	}
	code := display.OutcomeOf(w.state).Exit()
	if code == display.ExitInterrupted && w.stopping() {
		return w.interrupted()
	}
	if why := w.out.failure(w.state); why != "" {
		return exit{max(1, code), errors.New(why)}
	}
	if code != 0 && (!w.idle || w.ran) {
		return exit{code: code}
	}
	return nil
}
