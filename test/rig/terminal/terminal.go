// Package terminal runs a program in terminals that other people wrote, tmux and
// xterm.js, and is as rude to it as their users are: sizes change at any moment,
// in the middle of a frame, before the program is told and after.
//
// It guarantees that every byte and every change of size is on a [Tape], in the
// order in which the terminal took them in, and that no process it started is
// left when a terminal is closed.
//
// It asks nothing of the program, and knows nothing of it but a [fixture] that it
// can be made to tell and the laws of its bytes, see [Violations].
package terminal

import (
	"fmt"
	"strings"
	"time"
)

// waitLimit is the longest that anything is waited for.
const waitLimit = 3 * time.Minute

// A Terminal is a program in a terminal.
type Terminal interface {
	// Type hands keys to the program.
	Type(keys string) error
	// Look returns what can be seen, once all that was read is taken in.
	Look() (Look, error)
	// Lines returns the lines of scrollback and screen, soft-wrapped rows joined.
	Lines() ([]string, error)
	// Reach waits until the program has written a line of its fixture.
	Reach(line int) error
	// Storm changes sizes while the program tells its fixture; what it returns waits
	// for the end of that.
	Storm(s Storm) (wait func() error, err error)
	// Tape returns all that happened so far.
	Tape() (Tape, error)
	// Close ends the program and the terminal.
	Close() error
}

// A Look is what can be seen of a terminal.
type Look struct {
	Rows      []string `json:"rows"` // of the screen
	X         int      `json:"x"`    // of the cursor
	Y         int      `json:"y"`
	Hidden    bool     `json:"hidden"`
	Alternate bool     `json:"alternate"`
	Modes     []string `json:"modes"` // that are not as they are in a new terminal
}

// Screen is the screen as one text.
func (l Look) Screen() string { return strings.Join(l.Rows, "\n") }

// Until looks again and again until what is seen is as it is to be.
func Until(t Terminal, what string, ok func(Look) bool) (Look, error) {
	end := time.Now().Add(waitLimit)
	for {
		l, err := t.Look()
		if err != nil || ok(l) {
			return l, err
		}
		if time.Now().After(end) {
			return l, fmt.Errorf("no %s within %s; the screen is\n%s", what, waitLimit, l.Screen())
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// UntilText waits for a text on the screen.
func UntilText(t Terminal, text string) (Look, error) {
	return Until(t, text, func(l Look) bool { return strings.Contains(l.Screen(), text) })
}
