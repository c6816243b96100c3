package catalog

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// name is a model's name taken apart: claude-haiku-4-5-20251001 is the family claude-haiku in version 4.5, as of a date.
type name struct {
	family  string // the words that are left, in small letters, joined by "-"
	version []int
	stamp   int // the date of the one edition that it names, as 20251001: -20251001, -2024-08-06, -2512
	preview bool
	latest  bool // it names whichever edition is the newest
}

// parseName takes a name apart. Digits make the version, also behind letters: k3, o4; but not before them: 4o, 120b.
func parseName(text string) name {
	var n name
	var words []string
	parts := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return strings.ContainsRune("-_.:@ ", r) })
	for i := 0; i < len(parts); i++ {
		part := parts[i]
		if date, used := stamp(parts[i:]); used > 0 {
			n.stamp = date
			i += used - 1
			continue
		}
		letters := strings.TrimRightFunc(part, unicode.IsDigit)
		digits := part[len(letters):]
		if len(digits) > 3 || strings.ContainsFunc(letters, unicode.IsDigit) {
			letters, digits = part, ""
		}
		switch letters {
		case "":
		case "preview", "exp", "experimental", "beta", "alpha":
			n.preview = true
		case "latest":
			n.latest = true
		default:
			words = append(words, letters)
		}
		if digits != "" {
			v, _ := strconv.Atoi(digits) // of another script: 0
			n.version = append(n.version, v)
		}
	}
	n.family = strings.Join(words, "-")
	return n
}

// stamp is the date that parts begin with, and how many of them it takes: 20251001; 2024, 08, 06; 04, 2026; 2512.
func stamp(parts []string) (date, used int) {
	if !allDigits(parts[0]) {
		return 0, 0
	}
	year := func(s string) bool { return len(s) == 4 && strings.HasPrefix(s, "20") && allDigits(s) }
	two := func(s string) bool { return len(s) == 2 && allDigits(s) }
	text := ""
	switch n := len(parts[0]); {
	case len(parts) > 2 && year(parts[0]) && two(parts[1]) && two(parts[2]):
		text, used = parts[0]+parts[1]+parts[2], 3
	case len(parts) > 1 && two(parts[0]) && year(parts[1]):
		text, used = parts[1]+parts[0]+"00", 2
	case n == 8:
		text, used = parts[0], 1
	case n == 6:
		text, used = parts[0]+"00", 1
	case n == 4:
		text, used = "20"+parts[0]+"00", 1
	}
	date, _ = strconv.Atoi(text) // no date: 0
	return date, used
}

func allDigits(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return r < '0' || r > '9' })
}

// newer compares two names of a family: the newer version first; of one version what is no preview, then what names no
// edition, then whichever is the newest, then the newer edition.
func newer(a, b string) int {
	x, y := parseName(a), parseName(b)
	return cmp.Or(slices.Compare(y.version, x.version), order(x.preview, y.preview), order(x.stamp > 0, y.stamp > 0),
		order(x.latest, y.latest), cmp.Compare(y.stamp, x.stamp), strings.Compare(a, b))
}

// Dateless is a name without the date or the word latest at its end; the same name where it has none.
func Dateless(text string) string {
	for _, shape := range []string{"-latest", "-00000000", "-0000-00-00"} {
		if base := len(text) - len(shape); base > 0 && shaped(text[base:], shape) {
			return text[:base]
		}
	}
	return text
}

// shaped reports whether a text is a shape with any digits for its zeros.
func shaped(text, shape string) bool {
	for i := range len(shape) {
		if shape[i] != text[i] && (shape[i] != '0' || text[i] < '0' || text[i] > '9') {
			return false
		}
	}
	return true
}
