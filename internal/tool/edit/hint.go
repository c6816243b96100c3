package edit

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"parley/internal/tool"
)

const (
	// maxLines bounds how many lines of a file are compared for a hint.
	maxLines = 20_000
	// maxQuote is how much of a line a hint quotes, in bytes.
	maxQuote = 200
)

// numbered is a line as read shows it.
var numbered = regexp.MustCompile(`^ *[0-9]+\t`)

// hint says why a text may not have been found: where it stands but for white space, or what is nearest.
func hint(text []byte, old string) string {
	wanted := strings.Split(strings.TrimSuffix(old, "\n"), "\n")
	all := true
	for _, l := range wanted {
		all = all && numbered.MatchString(l)
	}
	if all {
		return ": it has line numbers before its lines, which are not part of the file"
	}
	lines := strings.SplitN(string(text), "\n", maxLines+1)
	lines = lines[:min(len(lines), maxLines)]
	if at := spaced(lines, wanted); at >= 0 {
		at += first(lines[at:], wanted)
		return fmt.Sprintf("; line %d differs in white space only, it is %s", at+1, quote(lines[at]))
	}
	if at := nearest(lines, wanted); at >= 0 {
		return fmt.Sprintf("; the nearest is line %d: %s", at+1, quote(lines[at]))
	}
	return ""
}

func quote(line string) string { return fmt.Sprintf("%q", tool.Head(tool.Valid(line), maxQuote)) }

// bare is a line without its white space.
func bare(line string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, line)
}

// spaced returns where the lines stand if white space does not count, -1 if nowhere.
func spaced(lines, wanted []string) int {
	goal := make([]string, len(wanted))
	empty := true
	for i, l := range wanted {
		goal[i] = bare(l)
		empty = empty && goal[i] == ""
	}
	if empty {
		return -1
	}
	bares := make([]string, len(lines))
	for i, l := range lines {
		bares[i] = bare(l)
	}
	for at := 0; at+len(goal) <= len(bares); at++ {
		same := true
		for i := range goal {
			last := i == 0 || i == len(goal)-1
			// The text may begin and end inside a line.
			if same = bares[at+i] == goal[i] || last && goal[i] != "" && strings.Contains(bares[at+i], goal[i]); !same {
				break
			}
		}
		if same {
			return at
		}
	}
	return -1
}

// first returns the first of the lines that is not as wanted, 0 if that cannot be told.
func first(lines, wanted []string) int {
	for i := range wanted {
		if !strings.Contains(lines[i], wanted[i]) {
			return i
		}
	}
	return 0
}

// nearest returns the line that has most pairs of letters in common with the longest wanted line, -1 if
// none has half of them.
func nearest(lines, wanted []string) int {
	goal := ""
	for _, l := range wanted {
		if l := strings.TrimSpace(l); len(l) > len(goal) {
			goal = tool.Head(l, maxQuote)
		}
	}
	pairs := bigrams(goal)
	if len(pairs) < 3 {
		return -1
	}
	best, at := 0.5, -1
	for i, l := range lines {
		other := bigrams(tool.Head(strings.TrimSpace(l), maxQuote))
		shared := 0
		for p, n := range other {
			shared += min(n, pairs[p])
		}
		if score := 2 * float64(shared) / float64(size(pairs)+size(other)); score > best {
			best, at = score, i
		}
	}
	return at
}

func bigrams(s string) map[[2]byte]int {
	pairs := make(map[[2]byte]int, len(s))
	for i := 0; i+1 < len(s); i++ {
		pairs[[2]byte{s[i], s[i+1]}]++
	}
	return pairs
}

func size(pairs map[[2]byte]int) (n int) {
	for _, c := range pairs {
		n += c
	}
	return n
}
