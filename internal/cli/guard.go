package cli

import (
	"io"
	"os"

	"github.com/charmbracelet/x/term"

	"parley/internal/cell"
)

// A guarded writer is what commands write to: see [cell.Guard].
type guarded struct {
	*cell.Guard
	bare io.Writer
}

func guard(w io.Writer) guarded { return guarded{cell.NewGuard(bare(w)), bare(w)} }

// bare returns the writer behind a guard, for what makes safe bytes by itself.
func bare(w io.Writer) io.Writer {
	if g, ok := w.(guarded); ok {
		return g.bare
	}
	return w
}

// terminal is the file behind w where that is a terminal.
func terminal(w any) (*os.File, bool) {
	if g, ok := w.(guarded); ok {
		w = g.bare
	}
	f, ok := w.(*os.File)
	return f, ok && term.IsTerminal(f.Fd())
}
