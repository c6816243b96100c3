package diff

import (
	"fmt"
	"strconv"
	"strings"
)

// Op says what a line of a hunk does, by the character that stands before it in a unified diff.
type Op byte

// The three kinds of line.
const (
	Keep   Op = ' '
	Add    Op = '+'
	Remove Op = '-'
)

// Line is one line of a hunk. Text has no final newline; NoNewline says that the file has none there
// either.
type Line struct {
	Op        Op
	Text      string
	NoNewline bool
}

// Hunk is one group of changes with its context. Old and New are the 1-based numbers of its first lines
// in the two texts; a side without lines has the number of the line before it, 0 at the start.
type Hunk struct {
	Old, OldCount int
	New, NewCount int
	Lines         []Line
}

// noNewline is the mark that GNU and BSD diff put after a last line without a newline.
const noNewline = `\ No newline at end of file`

// Parse reads the hunks of a unified diff of one file. Lines before the first hunk (names, git's
// extended headers) are skipped; a hunk that is shorter or longer than its header says is an error.
func Parse(unified string) ([]Hunk, error) {
	var hunks []Hunk
	rest := unified
	number := 0
	next := func() (line string, ok bool) {
		if rest == "" {
			return "", false
		}
		line, rest, _ = strings.Cut(rest, "\n")
		number++
		return line, true
	}
	for {
		line, ok := next()
		if !ok {
			return hunks, nil
		}
		if !strings.HasPrefix(line, "@@ ") {
			if len(hunks) > 0 && line != noNewline {
				return nil, fmt.Errorf("diff line %d: %q outside a hunk", number, clip(line))
			}
			if len(hunks) > 0 {
				last := hunks[len(hunks)-1].Lines
				if len(last) == 0 {
					return nil, fmt.Errorf("diff line %d: mark without a line", number)
				}
				last[len(last)-1].NoNewline = true
			}
			continue
		}
		h, err := parseHeader(line)
		if err != nil {
			return nil, fmt.Errorf("diff line %d: %w", number, err)
		}
		for left, right := h.OldCount, h.NewCount; left > 0 || right > 0; {
			line, ok := next()
			if !ok {
				return nil, fmt.Errorf("diff line %d: hunk ends early", number)
			}
			if line == noNewline && len(h.Lines) > 0 {
				h.Lines[len(h.Lines)-1].NoNewline = true
				continue
			}
			op, text := Keep, ""
			// Mail and editors strip the blank that stands for an empty line of context.
			if line != "" {
				op, text = Op(line[0]), line[1:]
			}
			switch op {
			case Keep:
				left, right = left-1, right-1
			case Add:
				right--
			case Remove:
				left--
			default:
				return nil, fmt.Errorf("diff line %d: %q does not begin with a blank, + or -", number, clip(line))
			}
			if left < 0 || right < 0 {
				return nil, fmt.Errorf("diff line %d: hunk is longer than its header says", number)
			}
			h.Lines = append(h.Lines, Line{Op: op, Text: text})
		}
		hunks = append(hunks, h)
	}
}

// parseHeader reads "@@ -1,3 +1,4 @@ …"; a count left out is 1.
func parseHeader(line string) (Hunk, error) {
	fields := strings.Fields(line)
	if len(fields) < 4 || fields[3] != "@@" || fields[1][0] != '-' || fields[2][0] != '+' {
		return Hunk{}, fmt.Errorf("bad hunk header %q", clip(line))
	}
	var h Hunk
	var err error
	if h.Old, h.OldCount, err = parseRange(fields[1][1:]); err != nil {
		return Hunk{}, err
	}
	if h.New, h.NewCount, err = parseRange(fields[2][1:]); err != nil {
		return Hunk{}, err
	}
	return h, nil
}

func parseRange(s string) (start, count int, err error) {
	first, second, both := strings.Cut(s, ",")
	if start, err = number(first); err != nil {
		return 0, 0, err
	}
	if !both {
		return start, 1, nil
	}
	count, err = number(second)
	return start, count, err
}

func number(s string) (int, error) {
	n, err := strconv.ParseUint(s, 10, 31)
	if err != nil {
		return 0, fmt.Errorf("bad line number %q", clip(s))
	}
	return int(n), nil
}

// Apply makes the new text from the old one. A hunk that does not fit, by position or by content, is an
// error and nothing is returned: there is no fuzz.
func Apply(old []byte, hunks []Hunk) ([]byte, error) {
	lines := strings.SplitAfter(string(old), "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	var out strings.Builder
	done := 0
	for i, h := range hunks {
		start := h.Old - 1
		if h.OldCount == 0 {
			start = h.Old
		}
		if start < done || start > len(lines) {
			return nil, fmt.Errorf("hunk %d: line %d is out of order or past the end", i+1, h.Old)
		}
		for ; done < start; done++ {
			out.WriteString(lines[done])
		}
		for _, l := range h.Lines {
			text := l.Text
			if !l.NoNewline {
				text += "\n"
			}
			if l.Op != Add {
				if done >= len(lines) || lines[done] != text {
					return nil, fmt.Errorf("hunk %d: line %d is not %q", i+1, done+1, clip(l.Text))
				}
				done++
			}
			if l.Op != Remove {
				out.WriteString(text)
			}
		}
	}
	for ; done < len(lines); done++ {
		out.WriteString(lines[done])
	}
	return []byte(out.String()), nil
}

func clip(s string) string {
	if len(s) > 80 {
		return s[:80] + "…"
	}
	return s
}
