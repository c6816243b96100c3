package llm

import "strings"

// Written is a text that comes in pieces and is wanted when it is whole. Unlike a strings.Builder it never moves what it
// has to a larger place: it takes as much memory as was written, and as much again when it is asked for the text.
type Written struct {
	chunks [][]byte
	length int
}

// WriteString adds a piece.
func (w *Written) WriteString(piece string) {
	const least, most = 64, 64 << 10
	for piece != "" {
		n := len(w.chunks)
		if n == 0 || len(w.chunks[n-1]) == cap(w.chunks[n-1]) {
			w.chunks = append(w.chunks, make([]byte, 0, min(most, max(least, w.length, len(piece)))))
			n++
		}
		last := &w.chunks[n-1]
		fits := min(len(piece), cap(*last)-len(*last))
		*last = append(*last, piece[:fits]...)
		w.length += fits
		piece = piece[fits:]
	}
}

// Len is the bytes that were written.
func (w *Written) Len() int { return w.length }

// String is the text.
func (w *Written) String() string {
	var out strings.Builder
	out.Grow(w.length)
	for _, c := range w.chunks {
		out.Write(c)
	}
	return out.String()
}
