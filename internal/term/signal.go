//go:build unix

package term

import (
	"os/signal"
	"syscall"
	"time"
)

// watch turns signals into events until the terminal is closed.
func (t *Terminal) watch() {
	signal.Notify(t.signals, syscall.SIGWINCH, syscall.SIGCONT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT)
	t.gone.Add(1)
	go func() {
		defer t.gone.Done()
		defer signal.Stop(t.signals)
		last := Size{}
		for {
			select {
			case <-t.closing:
				return
			case s := <-t.signals:
				switch s {
				case syscall.SIGWINCH:
					if size := t.Size(); size != last {
						last = size
						t.send(size)
					}
				case syscall.SIGCONT:
					t.continued()
				default:
					t.send(Signal{s})
				}
			}
		}
	}()
}

// continued takes a SIGCONT. After a stop that came from outside (SIGSTOP,
// SIGTSTP) the shell has changed the modes, so they are set again here.
func (t *Terminal) continued() {
	t.mu.Lock()
	suspended := t.suspended
	t.mu.Unlock()
	if suspended {
		select {
		case t.resume <- struct{}{}:
		default:
		}
		return
	}
	if t.enter() == nil {
		t.send(Resumed{})
	}
}

// Suspend gives the terminal back, stops the program's process group as Ctrl+Z
// does, and takes the terminal over again when it goes on; Resumed and the size
// follow as events. Where there is no shell to stop for it goes on at once.
//
// SIGTSTP is never caught: Go does not restore its default (os/signal.Reset
// leaves the handler in place), and without that nothing can stop.
func (t *Terminal) Suspend() error {
	t.mu.Lock()
	t.suspended = true
	t.mu.Unlock()
	if err := t.leave(false); err != nil {
		return err
	}
	select {
	case <-t.resume:
	default:
	}
	err := syscall.Kill(0, syscall.SIGTSTP)
	if err == nil {
		// The stop may come a moment after kill returns, or never in a process
		// group without a parent: then the timer ends the wait.
		select {
		case <-t.resume:
		case <-time.After(patience):
		}
	}
	t.mu.Lock()
	t.suspended = false
	t.mu.Unlock()
	if enterErr := t.enter(); enterErr != nil {
		return enterErr
	}
	go func() {
		t.send(Resumed{})
		t.send(t.Size())
	}()
	return err
}
