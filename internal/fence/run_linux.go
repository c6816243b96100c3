package fence

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"parley/internal/fence/filter"
	"parley/internal/fence/inside"
	"parley/internal/fence/proxy"
)

// Run is a command in a full fence.
type Run struct {
	fence  *Fence
	room   *room
	first  *first
	trace  *trace
	reader *Reader
	ticket *proxy.Ticket // nil where the network is the machine's
	done   chan struct{}
	exit   Exit
}

// enter sends the order and waits until the command runs.
func (r *Run) enter(order inside.Order, c Command) error {
	if err := r.first.order(order, []*os.File{c.Stdin, c.Stdout, c.Stderr}); err != nil {
		return stepError("give an order", err)
	}
	if order.Probe {
		return nil
	}
	// A mount can hang as a disk can, and then everything that asks for a fence would.
	_ = r.first.control.SetReadDeadline(time.Now().Add(longestStart))
	defer r.first.control.SetReadDeadline(time.Time{})
	var report inside.Report
	if err := r.first.reports.Decode(&report); err != nil {
		return stepError("start the first process", err)
	}
	return failure(report)
}

// longestStart is how long a fence may take to be made.
const longestStart = 30 * time.Second

// failure is the error of a report, nil for none.
func failure(r inside.Report) error {
	if r.Error == "" {
		return nil
	}
	err := errnoOr(r.Errno, r.Error)
	if strings.HasPrefix(r.Step, "start ") || strings.HasPrefix(r.Step, "enter ") {
		return fmt.Errorf("%s: %w", r.Step, err)
	}
	return &StepError{Step: r.Step, Reason: r.Error, Err: err}
}

// abandon ends a first process whose command did not start.
func (r *Run) abandon() {
	r.Kill()
	r.first.gone()
	r.close()
}

func (r *Run) close() {
	if r.ticket != nil {
		r.ticket.Close()
	}
	r.first.close()
}

// PID is the number of the command's first process on this machine, which stands for all of them; 0 when
// it is gone.
func (r *Run) PID() int {
	select {
	case <-r.done:
		return 0
	default:
		return r.first.pid()
	}
}

// Output tells the run what the command wrote, so that it can say which paths were refused. Streams are
// told apart by their number.
func (r *Run) Output(stream int, chunk []byte) { r.reader.Read(stream, chunk) }

// End asks every process of the command to end, and ends those that have not after the fence's grace.
func (r *Run) End() { _ = r.first.orders.Encode(inside.Request{End: true}) }

// Kill ends every process of the command at once.
func (r *Run) Kill() { r.first.kill() }

// Done is closed when nothing of the command is left.
func (r *Run) Done() <-chan struct{} { return r.done }

// Wait returns how the command ended, when nothing of it is left. Which paths were refused it says by what
// Output was told so far.
func (r *Run) Wait() Exit {
	<-r.done
	exit := r.exit
	exit.Told.Paths = r.reader.Refusals()
	return exit
}

// attend is with a command to its end. Then the next one is prepared, and the fence is taken down, which
// takes several times as long as to put it up: nobody needs to wait for either.
func (r *Run) attend() {
	last := r.last()
	stuck := !last.Clean && !r.first.gone()
	r.exit = Exit{Code: last.Code, Signal: last.Signal, Ended: last.Ended, Stuck: stuck}
	if last.Signal != 0 {
		r.exit.Code = 128 + last.Signal
	}
	told := Told{Calls: calls(last.Calls), Lost: last.Lost, Plain: r.fence.once(last.Plain), Aside: last.Aside}
	if r.ticket != nil {
		told.Hosts = r.ticket.Refused()
	}
	r.trace.end(&told)
	r.exit.Told = told
	close(r.done)
	r.room.prepare()
	r.trace.close(r.first.gone())
}

// last reads reports to the last one.
func (r *Run) last() inside.Report {
	for {
		var report inside.Report
		err := r.first.reports.Decode(&report)
		switch {
		case err == nil && report.Done:
			return report
		case err == nil:
			continue
		case !errors.Is(err, io.EOF):
			r.Kill()
		}
		// Killed from outside: nobody could report.
		return inside.Report{Done: true, Signal: int(unix.SIGKILL)}
	}
}

// calls gives refused system calls their names.
func calls(list []inside.Call) []Call {
	var out []Call
	for _, c := range list {
		call := Call{Name: filter.Name(filter.Arch(runtime.GOARCH), c.Number), Count: c.Count}
		if c.Args != [2]uint64{} {
			call.Args = c.Args[:]
		}
		out = append(out, call)
	}
	return out
}
