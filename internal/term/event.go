package term

import "os"

// An Event is what a terminal tells the program. The set is closed.
type Event interface{ event() }

// A Key is one key press, or one grapheme of text that was typed.
type Key struct {
	// Name is the keystroke in lower case with its modifiers in the order
	// ctrl, alt, shift: "ctrl+c", "alt+enter", "shift+tab", "esc", "a".
	Name string
	// Text is what the key types; empty for keys that type nothing.
	Text string
}

// A Paste is text that was pasted, line ends as \n. A very long paste comes as
// several.
type Paste struct{ Text string }

// A Focus says whether the terminal's window has the focus now.
type Focus struct{ Gained bool }

// A Size is the size of the terminal in cells. It is sent once at the start and
// after each change.
type Size struct{ Width, Height int }

// Resumed says that the program was stopped and goes on: modes are set again,
// and nothing of the screen below the cursor's row can be relied on.
type Resumed struct{}

// A Signal asks the program to leave: SIGTERM, SIGHUP or SIGINT from outside.
type Signal struct{ Signal os.Signal }

// Gone says that the terminal can be read no more: its window was closed.
// Err is nil at an orderly end of input.
type Gone struct{ Err error }

// Capable carries what is known of the terminal's abilities. It is sent when the
// answers are in, and again should a late one change them.
type Capable struct{ Abilities }

func (Key) event()     {}
func (Paste) event()   {}
func (Focus) event()   {}
func (Size) event()    {}
func (Resumed) event() {}
func (Signal) event()  {}
func (Gone) event()    {}
func (Capable) event() {}
func (report) event()  {}
