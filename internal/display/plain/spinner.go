package plain

import (
	"fmt"
	"time"

	"parley/internal/cell"
	"parley/internal/display"
)

// frames are those of the terminal rendering protocol's program.
var frames = []string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}

// SpinnerInterval is how often Tick wants to be called. The old program's 16 ms
// cost more than they showed.
const SpinnerInterval = 100 * time.Millisecond

// spinner is one line that says what is waited for. It is drawn by ticks and
// erased by the next output.
type spinner struct {
	phase display.Phase
	what  string
	since time.Time // of the first tick in the phase
	drawn bool
	frame int
}

func (s *spinner) enter(p display.Phase, what string) {
	s.phase, s.what, s.since = p, what, time.Time{}
}

// Tick draws the next frame of the spinner and writes it, where there is a
// terminal and something is waited for. Call it every [SpinnerInterval]; the
// time is the caller's.
func (r *Renderer) Tick(now time.Time) error {
	s := &r.spinner
	word := s.word()
	if !r.options.Terminal || r.past || word == "" || r.state.Midline || len(r.asks) > 0 {
		return r.err
	}
	if s.since.IsZero() {
		s.since = now
	}
	text := fmt.Sprintf("%s %s (%ds)", frames[s.frame%len(frames)], word, int(now.Sub(s.since).Seconds()))
	l := cell.Styled(text, cell.Style{Color: cell.Dim})
	// A line that wraps could not be erased.
	width := r.width()
	if width <= 0 {
		width = 80
	}
	l = cell.Truncate(l, width-1)
	r.out = append(cell.Append(append(r.out, '\r'), l, r.options.Profile), eraseRight...)
	s.drawn = true
	s.frame++
	return r.Flush()
}

// eraseRight erases from the cursor to the end of the line (ECMA-48 8.3.41).
const eraseRight = "\x1b[K"

// stopSpinner takes the spinner off the screen.
func (r *Renderer) stopSpinner() {
	if r.spinner.drawn {
		r.spinner.drawn = false
		r.out = append(append(r.out, '\r'), eraseRight...)
	}
}

// word is what is waited for; empty for nothing.
func (s *spinner) word() string {
	switch s.phase {
	case display.Thinking:
		if s.what != "" {
			return "waiting: " + flat(s.what)
		}
		return "thinking"
	case display.StreamingText:
		return "writing"
	case display.ToolExecuting:
		if s.what != "" {
			return flat(s.what)
		}
		return "working"
	case display.Idle, display.Error:
	}
	return ""
}
