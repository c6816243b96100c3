package doctor

import (
	"os"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"parley/internal/cell"
	"parley/internal/term"
)

// abilities asks the terminal what it can do, where its answers can be read.
func (x *examination) abilities(out *os.File) string {
	env := func(name string) string { return x.Env[name] }
	if !term.Drawable(x.In, out, env) || background(out) {
		return "it is asked what it can do when it opens: its answers cannot be read here"
	}
	t, err := term.Open(x.In, out, env)
	if err != nil {
		return "it cannot be asked what it can do: " + err.Error()
	}
	can, answered, signal := ask(t, x.asked)
	if err := t.Close(); err != nil {
		return "it was asked what it can do, and cannot be set back: " + err.Error()
	}
	if signal != 0 {
		// It was meant for the program, which leaves by it now.
		_ = syscall.Kill(os.Getpid(), signal)
	}
	if !answered {
		return "it does not say what it can do; Parley does without (ctrl+j begins a new line)"
	}
	return describe(can)
}

// ask waits so long for what a terminal says of itself, or for a signal to leave.
func ask(t *term.Terminal, wait time.Duration) (can term.Abilities, answered bool, signal syscall.Signal) {
	end := time.NewTimer(wait)
	defer end.Stop()
	for {
		select {
		case e := <-t.Events():
			switch e := e.(type) {
			case term.Capable:
				return e.Abilities, true, 0
			case term.Gone:
				return can, false, 0
			case term.Signal:
				signal, _ = e.Signal.(syscall.Signal)
				return can, false, signal
			}
		case <-end.C:
			return can, false, 0
		}
	}
}

// describe says what a terminal can do.
func describe(can term.Abilities) string {
	name, keys, clusters, resized := "it has no name", "no kitty keys (ctrl+j begins a new line)", "no grapheme clusters (2027)", ""
	if can.Name != "" {
		name = cell.Escape(can.Name)
	}
	if can.Kitty {
		keys = "kitty keys"
	}
	if can.Graphemes {
		clusters = "grapheme clusters (2027)"
	}
	switch can.Reflow {
	case term.ReflowLogical:
		resized = "lines are wrapped anew when it is resized"
	case term.ReflowNone:
		resized = "rows are cut when it is made narrower"
	case term.ReflowShifting:
		resized = "lines but that of the cursor are wrapped anew when it is resized"
	default:
		resized = "what becomes of lines when it is resized is not known"
	}
	return strings.Join([]string{name, keys, clusters, resized}, ", ")
}

// background reports whether the program is in the background of a terminal,
// which stops who takes it over from there.
func background(terminal *os.File) bool {
	group, err := unix.IoctlGetInt(int(terminal.Fd()), unix.TIOCGPGRP)
	return err == nil && group != unix.Getpgrp()
}
