package cell

import (
	"strconv"
	"strings"
)

// A Profile says which bytes a terminal takes. Profiles combine with |.
type Profile uint8

// The profiles. NoStyle, the zero Profile, is text and nothing else: a pipe,
// NO_COLOR.
const (
	Color16 Profile = 1 << iota // the 16 colours and the attributes
	Links                       // OSC 8 hyperlinks

	NoStyle Profile = 0
)

// Append appends the line as terminal bytes: select graphic rendition sequences
// (ECMA-48 8.3.117) where the style changes, and only there. The terminal is
// taken to be in its plain state before and is left so. There is no newline.
func Append(dst []byte, l Line, p Profile) []byte {
	var pen Style
	for _, s := range l {
		if s.Text == "" {
			continue
		}
		dst = Transition(dst, pen, s.Style, p)
		pen = s.Style
		dst = appendText(dst, s.Text, p)
	}
	return Transition(dst, pen, Style{}, p)
}

// Transition appends the bytes that take a terminal from one style to another.
// It lets a renderer that rewrites only a part of a row carry on in mid-style.
func Transition(dst []byte, from, to Style, p Profile) []byte {
	if from == to {
		return dst
	}
	if p&Links != 0 && from.Link != to.Link {
		dst = appendLink(dst, to.Link)
	}
	if p&Color16 != 0 {
		dst = appendSGR(dst, from, to)
	}
	return dst
}

// The codes that turn an attribute on, and the foreground of each role.
var (
	attrCodes  = [...]byte{1, 3, 4, 9, 7} // bold italic underline strike reverse
	colorCodes = [...]byte{Default: 39, Accent: 36, Dim: 90, Green: 32, Red: 31, Yellow: 33, Magenta: 35}
)

func appendSGR(dst []byte, from, to Style) []byte {
	if from.Color == to.Color && from.Attr == to.Attr {
		return dst
	}
	dst = append(dst, "\x1b["...)
	start := len(dst)
	if from.Attr&^to.Attr != 0 || to.Color == Default && from.Color != Default {
		// Something must go: reset, then set anew. The codes that switch single
		// attributes off are not understood everywhere.
		dst = append(dst, '0')
		from = Style{}
	}
	code := func(n byte) {
		if len(dst) > start {
			dst = append(dst, ';')
		}
		dst = strconv.AppendUint(dst, uint64(n), 10)
	}
	for i, n := range attrCodes {
		if bit := Attr(1) << i; to.Attr&^from.Attr&bit != 0 {
			code(n)
		}
	}
	if to.Color != from.Color && int(to.Color) < len(colorCodes) {
		code(colorCodes[to.Color])
	}
	return append(dst, 'm')
}

// appendLink opens a hyperlink, or closes it if target is empty (the OSC 8
// convention). Only printable ASCII may stand in the target; other bytes are
// percent-encoded.
func appendLink(dst []byte, target string) []byte {
	dst = append(dst, "\x1b]8;;"...)
	for i := range len(target) {
		if b := target[i]; b > 0x20 && b < 0x7f {
			dst = append(dst, b)
		} else {
			const hex = "0123456789ABCDEF"
			dst = append(dst, '%', hex[b>>4], hex[b&15])
		}
	}
	return append(dst, "\x1b\\"...)
}

// appendText appends clean text as it is. It is the last gate: text that nobody
// cleaned is cleaned here, and newlines become a space, as do tabs unless the
// text goes into a pipe.
func appendText(dst []byte, text string, p Profile) []byte {
	if tidy(text) < len(text) {
		text = Clean(text)
	}
	if strings.IndexByte(text, '\n') >= 0 {
		text = strings.ReplaceAll(text, "\n", " ")
	}
	if p != NoStyle && strings.IndexByte(text, '\t') >= 0 {
		text = strings.ReplaceAll(text, "\t", " ")
	}
	return append(dst, text...)
}
