package edit

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// A match is a place of a file that is taken for an old text although it is written in another way there.
type match struct {
	start, end int    // in the view's text
	new        string // what is put there
	why        string // in which way it differs
	line       int    // from 1
}

// forgive finds the one place of a text that differs from what is there in blanks at the ends of lines, in typographic
// signs, or in the indentation of whole lines. The first of these ways that has any place decides: several are none.
func forgive(text []byte, old, new string) (m match, places []int) {
	for _, way := range []struct {
		why  string
		sign func(rune) rune
	}{
		{"it has other blanks at the ends of lines", func(r rune) rune { return r }},
		{"it has other quotation marks, dashes or blanks", plainSign},
	} {
		plain, from := simplified(string(text), way.sign)
		wanted, _ := simplified(old, way.sign)
		if strings.TrimSpace(wanted) == "" {
			continue
		}
		if at := occurrences([]byte(plain), []byte(wanted)); len(at) > 0 {
			for _, p := range at {
				places = append(places, from[p])
			}
			m = match{start: from[at[0]], end: from[at[0]+len(wanted)], new: new, why: way.why}
			m.line = 1 + bytes.Count(text[:m.start], []byte("\n"))
			return m, places
		}
	}
	return shifted(text, old, new)
}

// signs are typographic ones and what keyboards have in their place.
var signs = map[rune]rune{
	'‘': '\'', '’': '\'', '‚': '\'', '‛': '\'', '“': '"', '”': '"', '„': '"', '‟': '"',
	'‐': '-', '‑': '-', '‒': '-', '–': '-', '—': '-', '−': '-', '\u00a0': ' ', '\u202f': ' ', '\u2009': ' ',
}

func plainSign(r rune) rune {
	if plain, ok := signs[r]; ok {
		return plain
	}
	return r
}

// simplified is a text without blanks at the ends of its lines and with other signs; from are the places of its bytes, and
// of its end, in the text.
func simplified(text string, sign func(rune) rune) (plain string, from []int) {
	var out strings.Builder
	from = make([]int, 0, len(text)+1)
	for at := 0; at < len(text); {
		if text[at] == ' ' || text[at] == '\t' {
			end := at
			for end < len(text) && (text[end] == ' ' || text[end] == '\t') {
				end++
			}
			if end < len(text) && text[end] == '\n' {
				at = end
				continue
			}
		}
		r, n := utf8.DecodeRuneInString(text[at:])
		one := text[at : at+n]
		if s := sign(r); s != r {
			one = string(s)
		}
		for range len(one) {
			from = append(from, at)
		}
		out.WriteString(one)
		at += n
	}
	return out.String(), append(from, len(text))
}

// widths are how many columns a tab may stand for.
var widths = []int{4, 8, 2}

// shifted finds whole lines that stand in the file with another indentation: all by as much, or by tabs for blanks. The
// new lines get the file's.
func shifted(text []byte, old, new string) (m match, places []int) {
	lines := strings.SplitAfter(string(text), "\n")
	wanted := strings.Split(strings.TrimSuffix(old, "\n"), "\n")
	if !slices.ContainsFunc(wanted, func(l string) bool { return strings.TrimSpace(l) != "" }) {
		return m, nil
	}
	at := 0
	for i := 0; i+len(wanted) <= len(lines) && i < maxLines; i++ {
		window := lines[i : i+len(wanted)]
		if width, by, ok := alike(window, wanted); ok {
			whole, why := strings.Join(window, ""), "it has another indentation"
			if by == 0 && strings.TrimRight(indents(window), " ") == strings.TrimRight(indents(wanted), " ") {
				why = "it has other blanks at the ends of lines"
			}
			if strings.HasSuffix(old, "\n") && !strings.HasSuffix(whole, "\n") {
				break // the file ends before the text does
			}
			if text, fits := moved(new, width, by, strings.Contains(indents(window), "\t")); fits {
				if places = append(places, at); len(places) == 1 {
					end := at + len(whole)
					if !strings.HasSuffix(old, "\n") && strings.HasSuffix(whole, "\n") {
						end--
					}
					m = match{start: at, end: end, new: text, why: why, line: i + 1}
				}
			}
		}
		at += len(lines[i])
	}
	return m, places
}

// alike reports whether lines are the wanted ones but for their indentation, which is by as many columns more in each.
func alike(lines, wanted []string) (width, by int, ok bool) {
	for i, line := range lines {
		if strings.TrimSpace(line) != strings.TrimSpace(wanted[i]) {
			return 0, 0, false
		}
	}
	for _, width := range widths {
		by, first, same := 0, true, true
		for i, line := range lines {
			if strings.TrimSpace(line) == "" {
				continue
			}
			d := columns(line, width) - columns(wanted[i], width)
			same = same && (first || d == by)
			by, first = d, false
		}
		if same {
			return width, by, true
		}
	}
	return 0, 0, false
}

// moved is a text with its lines indented by as many columns more; fits is false where one has not so many to lose.
func moved(text string, width, by int, tabs bool) (out string, fits bool) {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		rest := strings.TrimLeft(line, " \t")
		if rest == "" {
			continue
		}
		n := columns(line, width) + by
		if n < 0 {
			return "", false
		}
		if tabs {
			lines[i] = strings.Repeat("\t", n/width) + strings.Repeat(" ", n%width) + rest
		} else {
			lines[i] = strings.Repeat(" ", n) + rest
		}
	}
	return strings.Join(lines, "\n"), true
}

// indent is what a line begins with.
func indent(line string) string { return line[:len(line)-len(strings.TrimLeft(line, " \t"))] }

func indents(lines []string) string {
	out := ""
	for _, l := range lines {
		out += indent(l)
	}
	return out
}

// columns is how far a line is indented.
func columns(line string, width int) int {
	n := 0
	for _, c := range indent(line) {
		if n++; c == '\t' {
			n += (width - n%width) % width
		}
	}
	return n
}

// taken says which place was taken for an old text.
func (m match) taken() string {
	return fmt.Sprintf("old was taken for what stands at line %d, although %s", m.line, m.why)
}
