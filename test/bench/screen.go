package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/creack/pty"

	"parley/test/rig"
)

// A screen is the program on a pseudo-terminal. It answers what a terminal is
// asked, counts what is written, and keeps the last of it.
type screen struct {
	cmd    *exec.Cmd
	master *os.File
	start  time.Time

	mu      sync.Mutex // guards the fields below
	bytes   int
	frames  int
	at      time.Time // of the last byte
	tail    []byte    // the end of what came
	scanned int       // of tail: questions before it were answered
	more    chan struct{}
	ended   bool
}

// Its size: wide enough for prose, and high enough for the whole live region.
const (
	columns = 100
	rows    = 40
)

// tailMax is how much of the output is kept.
const tailMax = 256 << 10

type question struct{ ask, answer string }

// The questions of a terminal program and the answers of a plain terminal, by
// xterm ctlseqs: primary device attributes, XTVERSION, DECRQM of 2027, DSR 6.
var questions = []question{
	{"\x1b[c", "\x1b[?62;22c"},
	{"\x1b[>0q", "\x1bP>|bench 1.0\x1b\\"},
	{"\x1b[?2027$p", "\x1b[?2027;0$y"},
	{"\x1b[6n", "\x1b[1;1R"},
}

// frame begins every frame: synchronized update on.
const frame = "\x1b[?2026h"

// composer is what the row for typing begins with.
const composer = "›"

// show starts the program on a terminal.
func (s *fixture) show(args ...string) (*screen, error) {
	cmd := s.Command(args...)
	t := &screen{cmd: cmd, more: make(chan struct{}), start: time.Now()}
	var err error
	if t.master, err = pty.StartWithSize(cmd, &pty.Winsize{Rows: rows, Cols: columns}); err != nil {
		return nil, err
	}
	go t.read()
	return t, nil
}

func (t *screen) read() {
	b := make([]byte, 64<<10)
	for {
		n, err := t.master.Read(b)
		now := time.Now()
		t.mu.Lock()
		if n > 0 {
			t.bytes, t.at = t.bytes+n, now
			t.tail = append(t.tail, b[:n]...)
			t.scan()
		}
		t.ended = err != nil
		close(t.more)
		t.more = make(chan struct{})
		t.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// scan answers the questions in what is new and counts its frames.
func (t *screen) scan() {
	for {
		rest := t.tail[t.scanned:]
		i := bytes.IndexByte(rest, '\x1b')
		if i < 0 {
			t.scanned = len(t.tail)
			break
		}
		t.scanned += i
		rest = rest[i:]
		if unfinished(rest) {
			break
		}
		t.meet(rest)
		t.scanned++
	}
	if len(t.tail) > 2*tailMax {
		cut := min(t.scanned, len(t.tail)-tailMax)
		t.tail = append(t.tail[:0], t.tail[cut:]...)
		t.scanned -= cut
	}
}

// unfinished reports whether what is still to come may make one of the sequences
// that meet knows.
func unfinished(rest []byte) bool {
	begins := func(sequence string) bool {
		return len(rest) < len(sequence) && strings.HasPrefix(sequence, string(rest))
	}
	return begins(frame) || slices.ContainsFunc(questions, func(q question) bool { return begins(q.ask) })
}

func (t *screen) meet(rest []byte) {
	if bytes.HasPrefix(rest, []byte(frame)) {
		t.frames++
		return
	}
	for _, q := range questions {
		if bytes.HasPrefix(rest, []byte(q.ask)) {
			// The pty is the program's own: a write that fails is seen as its end.
			_, _ = t.master.WriteString(q.answer)
		}
	}
}

// mark is how much has come so far, in bytes and in frames.
func (t *screen) mark() (bytes, frames int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.bytes, t.frames
}

// await waits for a text past a mark and returns when it came.
func (t *screen) await(from int, text string) (time.Time, error) {
	late := time.NewTimer(rig.Patience)
	defer late.Stop()
	for {
		t.mu.Lock()
		first := t.bytes - len(t.tail)
		found := bytes.Contains(t.tail[max(0, from-first):], []byte(text))
		at, more, ended := t.at, t.more, t.ended
		t.mu.Unlock()
		switch {
		case found:
			return at, nil
		case ended:
			return at, fmt.Errorf("the program ended before %q came: %s", text, t.last())
		}
		select {
		case <-more:
		case <-late.C:
			return at, fmt.Errorf("%q did not come within %s: %s", text, rig.Patience, t.last())
		}
	}
}

// quiet waits until nothing has come for a while.
func (t *screen) quiet(d time.Duration) error {
	end := time.Now().Add(2 * rig.Patience)
	for time.Now().Before(end) {
		t.mu.Lock()
		since, ended := time.Since(t.at), t.ended
		t.mu.Unlock()
		if ended {
			return fmt.Errorf("the program ended: %s", t.last())
		}
		if since >= d {
			return nil
		}
		time.Sleep(d - since)
	}
	return fmt.Errorf("it wrote without a pause of %s", d)
}

// last is the end of what came, for an error.
func (t *screen) last() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return fmt.Sprintf("%q", t.tail[max(0, len(t.tail)-400):])
}

// typed writes keys.
func (t *screen) typed(keys string) error {
	_, err := t.master.WriteString(keys)
	return err
}

// leave ends the program as closing the window does.
func (t *screen) leave() error {
	err := t.cmd.Process.Signal(syscall.SIGHUP)
	if errors.Is(err, os.ErrProcessDone) {
		err = nil
	}
	_ = t.cmd.Wait() // it was told to go; its exit code says so
	return errors.Join(err, t.master.Close())
}

// firstFrame is how long the terminal takes from its start to the first frame
// that one can type into.
func (s *fixture) firstFrame(args ...string) (time.Duration, error) {
	t, err := s.show(args...)
	if err != nil {
		return 0, err
	}
	at, err := t.await(0, composer)
	return at.Sub(t.start), errors.Join(err, t.leave())
}
