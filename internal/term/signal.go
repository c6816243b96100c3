//go:build unix

package term

import (
	"os/signal"
	"syscall"
	"time"
)

// Stopping says that the program is asked to stop from outside (SIGTSTP). The
// receiver clears what it drew and calls Suspend.
type Stopping struct{}

func (Stopping) event() {}

// watch turns signals into events until the terminal is closed.
func (t *Terminal) watch() {
	signal.Notify(t.signals, syscall.SIGWINCH, syscall.SIGTSTP, syscall.SIGCONT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT)
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
				case syscall.SIGTSTP:
					t.send(Stopping{})
				case syscall.SIGCONT:
					t.continued()
				default:
					t.send(Signal{s})
				}
			}
		}
	}()
}

// continued takes a SIGCONT. After a stop that nobody asked for (SIGSTOP) the
// shell has changed the modes, so they are set again here.
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
	signal.Reset(syscall.SIGTSTP)
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
	signal.Notify(t.signals, syscall.SIGTSTP)
	go func() {
		t.send(Resumed{})
		t.send(t.Size())
	}()
	return err
}
