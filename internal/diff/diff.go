// Package diff says how one text became another: as a unified diff for people and models, as hunks
// for a renderer, and as the words that differ between two lines.
//
// It guarantees that what [Unified] writes [Parse] reads, and that [Apply] of the parsed hunks to the
// old text is the new text byte for byte: carriage returns, a missing final newline and bytes that are
// not UTF-8 included. Work is O(n log n) in the number of lines ([Words] is bounded by a token limit),
// so hostile input is not slow.
//
// It does not look for the fewest possible changed lines: the diff is anchored on lines that occur once
// in both texts ("patience"), which reads better. It touches no file and knows no colours.
package diff

import (
	"strconv"
	"strings"

	rogpeppe "github.com/rogpeppe/go-internal/diff"
)

// Absent is the name of a side that does not exist: the old name of a new file.
const Absent = "/dev/null"

// Unified returns the unified diff with three lines of context that turns old into new, or "" where
// they are equal. The names stand behind --- and +++; characters that would break these lines are quoted
// as in a Go string.
func Unified(oldName, newName string, old, new []byte) string {
	out := string(rogpeppe.Diff(header(oldName), old, header(newName), new))
	// The first line, "diff OLD NEW", is git's and Go's, not part of the format.
	_, out, _ = strings.Cut(out, "\n")
	return out
}

func header(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return strconv.Quote(name)
	}
	return name
}

// Stat counts the added and the removed lines of a unified diff. It counts by the hunk headers, so a
// changed line that itself begins with "++" or "--" is counted right.
func Stat(unified string) (added, removed int) {
	hunks, err := Parse(unified)
	if err != nil {
		return 0, 0
	}
	for _, h := range hunks {
		for _, l := range h.Lines {
			switch l.Op {
			case Add:
				added++
			case Remove:
				removed++
			}
		}
	}
	return added, removed
}
