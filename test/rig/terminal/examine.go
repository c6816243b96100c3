package terminal

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// A Verdict is what is wrong with the lines of a terminal. The zero value is a
// terminal that holds every row once, in order, whole, and nothing else.
type Verdict struct {
	Lost, Doubled, Moved []string // rows
	Torn                 []string // lines with a piece of a row
	Stale                []string // lines that are of no row
	Glued                []string // rows without the blank one before them
	Blank                []string // rows with more blank ones before them than one
}

// OK reports whether nothing is wrong.
func (v Verdict) OK() bool { return v.count() == 0 }

func (v Verdict) count() int {
	n := 0
	for _, l := range v.all() {
		n += len(l.lines)
	}
	return n
}

type named struct {
	name  string
	lines []string
}

func (v Verdict) all() []named {
	return []named{{"lost", v.Lost}, {"doubled", v.Doubled}, {"moved", v.Moved}, {"torn", v.Torn}, {"stale", v.Stale}, {"glued", v.Glued}, {"blank", v.Blank}}
}

// String names what is wrong, with some examples of each.
func (v Verdict) String() string {
	var counts, examples []string
	for _, l := range v.all() {
		counts = append(counts, fmt.Sprintf("%d %s", len(l.lines), l.name))
		for _, text := range l.lines[:min(len(l.lines), 8)] {
			examples = append(examples, fmt.Sprintf("  %s: %.160q", l.name, text))
		}
	}
	return strings.Join(append([]string{strings.Join(counts, ", ")}, examples...), "\n")
}

var (
	// The cell before a wide character that did not fit a row may have been left
	// empty, and stands as a space then.
	gap   = regexp.MustCompile(`\s+([\p{Han}\x{1f300}-\x{1faff}◌])`)
	piece = regexp.MustCompile(`[LE]\d{4}|\bO?T\d\d\b|[漢字]|wwww|xxxx|word and|x == y|👩|🏳|◌`)
)

func even(text string) string {
	return gap.ReplaceAllString(blurred(strings.TrimRight(text, " ")), "$1")
}

// index finds a row by its text.
type index struct {
	exact map[string]int
	open  []open
}

type open struct {
	text *regexp.Regexp
	row  int
}

func indexOf(rows []Row) index {
	x := index{exact: make(map[string]int)}
	for i, r := range rows {
		text := even(r.Text)
		if strings.Contains(text, "¿") {
			pattern := strings.ReplaceAll(regexp.QuoteMeta(text), "¿", `.{1,24}`)
			x.open = append(x.open, open{regexp.MustCompile("^" + pattern + "$"), i})
			continue
		}
		if _, twice := x.exact[text]; twice {
			panic("two rows are the same: " + text)
		}
		x.exact[text] = i
	}
	return x
}

func (x index) find(line string) (int, bool) {
	if i, ok := x.exact[line]; ok {
		return i, true
	}
	for _, o := range x.open {
		if o.text.MatchString(line) {
			return o.row, true
		}
	}
	return 0, false
}

var (
	marks  = regexp.MustCompile(`[\x{300}-\x{36f}\x{200d}\x{fe0f}⚠]`)
	joined = regexp.MustCompile(`[👩🏳ei](💻|🌈|tude| E\d{4})`)
)

// blurred is a text in which the characters of a fixture that others are joined to
// all look the same. Xterm.js, when it wraps lines anew, mixes up which of them
// stands in which cell (BufferLine.ts, copyCellsFrom, copies more of them than
// cells), and tmux 3.3 drops one of several bytes now and then while it is resized:
// seen of a joiner, whose bytes were there, and of ⚠.
func blurred(text string) string {
	return joined.ReplaceAllString(marks.ReplaceAllString(text, ""), "◌$1")
}

// Examine holds the lines of a terminal to the rows that it must have.
func Examine(rows []Row, lines []string) Verdict {
	var v Verdict
	x := indexOf(rows)
	seen := make([]bool, len(rows))
	next, blanks := 0, 0
	for _, l := range lines {
		l = even(l)
		if l == "" {
			blanks++
			continue
		}
		i, ok := x.find(l)
		switch {
		case !ok && piece.MatchString(l):
			v.Torn = append(v.Torn, l)
		case !ok:
			v.Stale = append(v.Stale, l)
		case seen[i]:
			v.Doubled = append(v.Doubled, l)
		default:
			seen[i] = true
			if i < next {
				v.Moved = append(v.Moved, l)
			}
			next = max(next, i+1)
			if blanks > 1 && i > 0 {
				v.Blank = append(v.Blank, fmt.Sprintf("%d before %s", blanks, l))
			} else if blanks == 0 && rows[i].Apart && i > 0 {
				v.Glued = append(v.Glued, l)
			} else if blanks > 0 && !rows[i].Apart && i > 0 {
				v.Blank = append(v.Blank, fmt.Sprintf("%d before %s", blanks, l))
			}
		}
		blanks = 0
	}
	for i, r := range rows {
		if !seen[i] {
			v.Lost = append(v.Lost, r.Text)
		}
	}
	return v
}

// Between are the lines from the first that is a text to the last that begins
// with another one, and those before and after them.
func Between(lines []string, first, last string) (before, between, after []string, err error) {
	from := slices.IndexFunc(lines, func(l string) bool { return strings.TrimRight(l, " ") == first })
	to := len(lines) - 1
	for to >= 0 && !strings.HasPrefix(lines[to], last) {
		to--
	}
	if from < 0 || to < from {
		return nil, nil, nil, fmt.Errorf("no %q and %q after it", first, last)
	}
	return lines[:from], lines[from:to], lines[to:], nil
}

// Is reports whether a line is the row, as far as a terminal can show it.
func (r Row) Is(line string) bool {
	_, ok := indexOf([]Row{r}).find(even(line))
	return ok
}

// Begins reports whether a line is a beginning of the row. What the last
// characters look like is known from those that follow (see joined).
func (r Row) Begins(line string) bool {
	line = even(line)
	for range 6 {
		_, n := utf8.DecodeLastRuneInString(line)
		line = line[:len(line)-n]
	}
	return strings.HasPrefix(even(r.Text), line) || strings.Trim(line, " `") == ""
}
