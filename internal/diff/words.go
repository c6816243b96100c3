package diff

import (
	"unicode"
	"unicode/utf8"
)

// Span is a stretch of a line in bytes, from Start up to but not including End.
type Span struct{ Start, End int }

// wordLimit bounds the tokens of a line that Words compares: the comparison is quadratic.
const wordLimit = 400

// Words returns which parts of a changed line pair differ, as spans that rise and neither touch nor
// overlap. Spans begin and end at rune boundaries. Lines that have next to nothing in common, and lines
// too long to compare, come back as one span each; equal lines as none.
func Words(old, new string) (oldSpans, newSpans []Span) {
	if old == new {
		return nil, nil
	}
	a, b := tokens(old), tokens(new)
	prefix := 0
	for prefix < len(a) && prefix < len(b) && old[a[prefix].Start:a[prefix].End] == new[b[prefix].Start:b[prefix].End] {
		prefix++
	}
	suffix := 0
	for suffix < len(a)-prefix && suffix < len(b)-prefix {
		x, y := a[len(a)-1-suffix], b[len(b)-1-suffix]
		if old[x.Start:x.End] != new[y.Start:y.End] {
			break
		}
		suffix++
	}
	keptA, keptB := make([]bool, len(a)), make([]bool, len(b))
	for i := range prefix {
		keptA[i], keptB[i] = true, true
	}
	for i := range suffix {
		keptA[len(a)-1-i], keptB[len(b)-1-i] = true, true
	}
	midA, midB := a[prefix:len(a)-suffix], b[prefix:len(b)-suffix]
	if len(midA) <= wordLimit && len(midB) <= wordLimit {
		common(old, new, midA, midB, keptA[prefix:], keptB[prefix:])
	}
	if alien(old, a, keptA) && alien(new, b, keptB) {
		return whole(old), whole(new)
	}
	return changed(old, a, keptA), changed(new, b, keptB)
}

// tokens cuts s into words, stretches of white space, and single other runes.
func tokens(s string) []Span {
	var spans []Span
	class := func(r rune) int {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '_':
			return 1
		case unicode.IsSpace(r):
			return 2
		}
		return 0
	}
	last := 0
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		c := class(r)
		if len(spans) > 0 && c != 0 && c == last {
			spans[len(spans)-1].End += n
		} else {
			spans = append(spans, Span{i, i + n})
		}
		last = c
		i += n
	}
	return spans
}

// common marks the tokens of one longest common subsequence.
func common(old, new string, a, b []Span, keptA, keptB []bool) {
	width := len(b) + 1
	length := make([]uint16, (len(a)+1)*width)
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if old[a[i].Start:a[i].End] == new[b[j].Start:b[j].End] {
				length[i*width+j] = length[(i+1)*width+j+1] + 1
			} else {
				length[i*width+j] = max(length[(i+1)*width+j], length[i*width+j+1])
			}
		}
	}
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case old[a[i].Start:a[i].End] == new[b[j].Start:b[j].End]:
			keptA[i], keptB[j] = true, true
			i, j = i+1, j+1
		case length[(i+1)*width+j] >= length[i*width+j+1]:
			i++
		default:
			j++
		}
	}
}

// alien says that less than a fifth of the line's visible bytes stayed: colouring single words of such a
// line is noise.
func alien(s string, spans []Span, kept []bool) bool {
	visible, stayed := 0, 0
	for i, t := range spans {
		if r, _ := utf8.DecodeRuneInString(s[t.Start:]); unicode.IsSpace(r) {
			continue
		}
		visible += t.End - t.Start
		if kept[i] {
			stayed += t.End - t.Start
		}
	}
	return stayed*5 < visible
}

func whole(s string) []Span {
	if s == "" {
		return nil
	}
	return []Span{{0, len(s)}}
}

// changed joins the tokens that did not stay; white space alone between two changed words joins them.
func changed(s string, spans []Span, kept []bool) []Span {
	var out []Span
	for i, t := range spans {
		if kept[i] {
			continue
		}
		if n := len(out); n > 0 {
			gap := s[out[n-1].End:t.Start]
			if gap == "" || gap == " " {
				out[n-1].End = t.End
				continue
			}
		}
		out = append(out, t)
	}
	return out
}
