package markdown

import "bytes"

// heal ends the emphasis and code that the open end of a text has begun, so that
// it looks at once as it will once the closing marks are there. What it guesses
// wrong is right again with the next words: only the tail is healed.
func heal(source []byte) []byte {
	if bytes.Contains(source, []byte("```")) || bytes.Contains(source, []byte("~~~")) {
		return source
	}
	start := 1 + bytes.LastIndex(source, []byte("\n\n"))
	text := bytes.TrimRight(source[start:], " \t\n")
	var pending [][]byte // the delimiter runs that wait for their end
	for at := 0; at < len(text); {
		b := text[at]
		n := run(text[at:], b)
		switch {
		case b == '\\':
			at += 2
			continue
		case b == '`':
			end := closing(text[at+n:], n)
			if end < 0 {
				pending = append(pending, text[at:at+n])
				return closed(source, start, text, pending)
			}
			at += n + end
			continue
		case b == '*' || b == '_' || b == '~' && n == 2:
			pending = toggle(pending, text, at, n)
		default:
			n = 1
		}
		at += n
	}
	return closed(source, start, text, pending)
}

// closing returns the offset after a run of exactly n backticks, or -1.
func closing(text []byte, n int) int {
	for at := 0; at < len(text); {
		if text[at] != '`' {
			at++
			continue
		}
		r := run(text[at:], '`')
		if at += r; r == n {
			return at
		}
	}
	return -1
}

// toggle opens or closes emphasis at a delimiter run.
func toggle(pending [][]byte, text []byte, at, n int) [][]byte {
	before, after := byte(' '), byte(' ')
	if at > 0 {
		before = text[at-1]
	}
	if at+n < len(text) {
		after = text[at+n]
	}
	r := text[at : at+n]
	opens, closes := !spacer(after), !spacer(before)
	if r[0] == '_' {
		opens, closes = opens && !letter(before), closes && !letter(after)
	}
	if last := len(pending) - 1; closes && last >= 0 && bytes.Equal(pending[last], r) {
		return pending[:last]
	}
	if opens || at+n == len(text) && !closes {
		return append(pending, r)
	}
	return pending
}

// closed returns the source with the pending runs ended. A run with nothing
// after it yet is left out instead.
func closed(source []byte, start int, text []byte, pending [][]byte) []byte {
	if len(pending) == 0 || len(pending) > 8 {
		return source
	}
	out := append(bytes.Clone(source[:start]), text...)
	for i := len(pending) - 1; i >= 0; i-- {
		if trimmed, ok := bytes.CutSuffix(out, pending[i]); ok {
			out = bytes.TrimRight(trimmed, " \t")
			continue
		}
		out = append(out, pending[i]...)
	}
	return out
}

func spacer(b byte) bool { return b == ' ' || b == '\t' || b == '\n' }

func letter(b byte) bool {
	return b >= 0x80 || b >= '0' && b <= '9' || b|0x20 >= 'a' && b|0x20 <= 'z'
}
