package cogency

import (
	"bufio"
	"context"
	"errors"
	"io"
	"time"

	"parley/internal/display"
)

// lineMax is how long a line may be, in bytes.
const lineMax = 16 << 20

// An Output is what a stream is rendered to, as line mode is.
type Output interface {
	display.CommandRenderer
	Tick(now time.Time) error  // moves the spinner
	Flush() error              // nothing more has come yet
	Fail(message string) error // the stream cannot be read any further
	Interrupt() error          // the run was interrupted
	Close() error
}

// Render shows the event stream that in holds, line by line as it arrives, and
// returns the exit code. Bad lines go to report with their number, counted from
// 1, and are skipped. Ticks, where there are some, move the spinner. When ctx
// ends, the output ends as an interrupted run does.
//
// The error is that of reading or writing. Where ctx ended first, a goroutine
// stays in the read of in until that returns.
func Render(ctx context.Context, in io.Reader, to Output, ticks <-chan time.Time, report func(line int, err error)) (exit int, err error) {
	lines := make(chan read)
	done := make(chan struct{})
	defer close(done)
	go scan(in, lines, done)
	r := NewReader(to)
	for n := 1; ; {
		select {
		case <-ctx.Done():
			return display.ExitInterrupted, errors.Join(to.Interrupt(), to.Close())
		case now := <-ticks:
			if err := to.Tick(now); err != nil {
				return display.ExitFailed, err
			}
		case l := <-lines:
			if l.err == io.EOF {
				err := r.End()
				return r.Exit(), errors.Join(err, to.Close())
			}
			if l.err != nil {
				return display.ExitFailed, errors.Join(to.Fail(l.err.Error()), to.Close(), l.err)
			}
			if l.long {
				report(n, bad("it is longer than %d bytes", lineMax))
			} else if err := r.Line(l.text); err != nil {
				var badLine *BadLine
				if !errors.As(err, &badLine) {
					return display.ExitFailed, err
				}
				report(n, err)
			}
			n++
			if l.last {
				if err := to.Flush(); err != nil {
					return display.ExitFailed, err
				}
			}
		}
	}
}

// read is what scan has read: a line, or why there is none.
type read struct {
	text []byte
	long bool // too long; text is empty
	last bool // no further line is there yet
	err  error
}

// scan reads lines until in ends, fails, or nobody listens.
func scan(in io.Reader, lines chan<- read, done <-chan struct{}) {
	b := bufio.NewReaderSize(in, 64<<10)
	for {
		l := next(b)
		select {
		case lines <- l:
		case <-done:
			return
		}
		if l.err != nil {
			return
		}
	}
}

// next reads one line; of one that is too long it keeps nothing. A last line
// without a newline is a line.
func next(b *bufio.Reader) read {
	var l read
	for {
		part, err := b.ReadSlice('\n')
		if len(l.text)+len(part) > lineMax {
			l.text, l.long = nil, true
		}
		if !l.long {
			l.text = append(l.text, part...)
		}
		switch {
		case err == nil:
			l.last = b.Buffered() == 0
			return l
		case errors.Is(err, bufio.ErrBufferFull):
		case err == io.EOF && (len(l.text) > 0 || l.long):
			l.last = true
			return l
		default:
			return read{err: err}
		}
	}
}
