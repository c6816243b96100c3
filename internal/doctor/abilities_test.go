package doctor

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	xterm "github.com/charmbracelet/x/term"
	"github.com/creack/pty"
)

// The terminal is asked for its name, its keys, mode 2027 and what it does when it
// is resized, and gets back what was set; one that answers nothing keeps nobody.
func TestExamineAsksTheTerminal(t *testing.T) {
	const back = "\x1b[?1004l\x1b[?2004l"
	for name, c := range map[string]struct {
		answers string // to the questions
		want    string
		undone  []string // what is taken back
	}{
		"a new one": {"\x1b[?0u\x1bP>|kitty(0.35.2)\x1b\\\x1b[?2027;2$y\x1b[?62c",
			"✓ terminal: kitty(0.35.2), kitty keys, grapheme clusters (2027), lines are wrapped anew when it is resized\n", []string{"\x1b[<u", "\x1b[?2027l", back}},
		"an old one": {"\x1bP>|XTerm(379)\x1b\\\x1b[?2027;0$y\x1b[?64c",
			"✓ terminal: XTerm(379), no kitty keys (ctrl+j begins a new line), no grapheme clusters (2027), rows are cut when it is made narrower\n", []string{"\x1b[>4m", back}},
		"a silent one": {"", "✓ terminal: it does not say what it can do; Parley does without (ctrl+j begins a new line)\n", []string{back}},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPatient(t)
			if c.answers == "" {
				p.asked = time.Millisecond
			}
			p.Env["TERM"], p.Env["NO_COLOR"] = "xterm-256color", "1"
			screen, tty, err := pty.Open()
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { screen.Close(); tty.Close() })
			if err := pty.Setsize(screen, &pty.Winsize{Rows: 24, Cols: 80}); err != nil {
				t.Fatal(err)
			}
			before, err := xterm.GetState(tty.Fd())
			if err != nil {
				t.Fatal(err)
			}
			drawn := make(chan string)
			go func() { drawn <- answering(screen, c.answers) }()
			p.In, p.Out = tty, tty
			said, _ := p.examined()
			after, err := xterm.GetState(tty.Fd())
			if err != nil {
				t.Fatal(err)
			}
			if *before != *after {
				t.Errorf("the terminal was %+v, and is %+v", *before, *after)
			}
			if err := tty.Close(); err != nil {
				t.Fatal(err)
			}
			got := <-drawn
			if !strings.Contains(said, c.want) {
				t.Errorf("not said: %q; it says:\n%q", c.want, said)
			}
			for _, undone := range c.undone {
				if !strings.Contains(got, undone) {
					t.Errorf("not taken back: %q in\n%q", undone, got)
				}
			}
		})
	}
}

// answering answers the questions of a program, once, and returns all that the
// program has written by the time it is gone.
func answering(screen *os.File, answers string) string {
	var seen bytes.Buffer
	b := make([]byte, 4096)
	for asked := false; ; {
		n, err := screen.Read(b)
		seen.Write(b[:n])
		if err != nil {
			return seen.String()
		}
		if !asked && strings.Contains(seen.String(), "\x1b[c") {
			asked = true
			// What does not arrive is not said, which the test sees.
			_, _ = screen.WriteString(answers)
		}
	}
}
