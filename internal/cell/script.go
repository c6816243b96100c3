package cell

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// TabSign begins a tab in text that keeps its columns. [Escape] leaves no other.
const TabSign = "⇥"

// doubles are signs that look like one of ASCII and have no mapping to it.
const doubles = "‐⁃−⁄∕⧸∖⧵⧹∗⁎∶ǀ∣ǃ⁓∼‚‥⸱" + TabSign

// double reports whether a character looks like another one wherever it stands:
// its normal form is another, or ASCII, or it is of a script or a block that
// nobody writes in but to deceive or to transcribe sounds.
func double(r rune) bool {
	switch {
	case r < 0x80:
		return false
	case strings.ContainsRune(doubles, r), unicode.Is(phonetic, r), unicode.Is(parts, r):
		return true
	case unicode.Is(unicode.L, r) && !unicode.In(r, unicode.Common) && scriptOf(r) == nil:
		return true
	}
	text := string(r)
	return !norm.NFC.IsNormalString(text) || folds(r, norm.NFKC.String(text))
}

// folds reports whether a character stands for one of ASCII, or for letters of it.
func folds(r rune, text string) bool {
	return ascii(text) == len(text) && (len(text) == 1 || unicode.In(r, unicode.L, unicode.Nl))
}

// phonetic are the blocks of phonetic letters and of Latin ones for special uses;
// parts those of what letters are made of: Hangul jamo, which join where they meet,
// and Chinese radicals.
var (
	phonetic = ranges(0x250, 0x2ff, 0x1d00, 0x1dbf, 0x2c60, 0x2c7f, 0xa720, 0xa7ff, 0xab30, 0xab6f)
	parts    = ranges(0x1100, 0x11ff, 0x2e80, 0x2fdf, 0xa960, 0xa97f, 0xd7b0, 0xd7ff)
)

// ranges makes a table of pairs: the first and the last of each range.
func ranges(ends ...uint16) *unicode.RangeTable {
	t := &unicode.RangeTable{}
	for i := 0; i < len(ends); i += 2 {
		t.R16 = append(t.R16, unicode.Range16{Lo: ends[i], Hi: ends[i+1], Stride: 1})
	}
	return t
}

// The scripts of Unicode's recommendation for identifiers (UAX #31, table 5).
// Those of East Asia are written together, and count as one.
var (
	latin   = []*unicode.RangeTable{unicode.Latin}
	asian   = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo}
	scripts = [][]*unicode.RangeTable{latin, asian, {unicode.Cyrillic}, {unicode.Greek}, {unicode.Arabic}, {unicode.Hebrew}, {unicode.Armenian},
		{unicode.Bengali}, {unicode.Devanagari}, {unicode.Ethiopic}, {unicode.Georgian}, {unicode.Gujarati}, {unicode.Gurmukhi},
		{unicode.Kannada}, {unicode.Khmer}, {unicode.Lao}, {unicode.Malayalam}, {unicode.Myanmar}, {unicode.Oriya}, {unicode.Sinhala},
		{unicode.Tamil}, {unicode.Telugu}, {unicode.Thaana}, {unicode.Thai}, {unicode.Tibetan}}
)

// scriptOf returns the script of a letter or a mark: nil for what has none of the
// recommended ones.
func scriptOf(r rune) []*unicode.RangeTable {
	for _, s := range scripts {
		if unicode.In(r, s...) {
			return s
		}
	}
	return nil
}

// lookalikes are the letters of other scripts that look like Latin ones.
const lookalikes = "аеорсухіјѕԁһӏԛԝүАВЕЅІЈКМНОРСТУХԚԜҮӀ" + "οανιρυκχϲϳΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹͿ" + "օսոհցզյՕՏԼ" + "סו" + "ഠ൦०০੦૦೦୦௦๐໐၀"

// escapeWord writes a word: letters, marks and digits.
func escapeWord(b *strings.Builder, word string) {
	first, mixed, hasLatin, unlike := 0, false, false, false
	composed := norm.NFC.IsNormalString(word)
	for _, r := range word {
		s := index(scriptOf(r))
		if s < 0 {
			continue
		}
		hasLatin = hasLatin || s == 0
		unlike = unlike || !strings.ContainsRune(lookalikes, r)
		if first == 0 {
			first = s + 1
		}
		mixed = mixed || first != s+1
	}
	const east = 1
	before := rune(0)
	for _, r := range word {
		s := index(scriptOf(r))
		foreign := s >= 0 && (!unlike || mixed && (hasLatin && s > east || !hasLatin && s+1 != first))
		if r >= 0x80 && (foreign || hidden(r) || double(r) || unicode.Is(unicode.M, r) && (!composed || loose(before, r))) {
			number(b, r)
		} else {
			b.WriteRune(r)
		}
		before = r
	}
}

// index returns the place of a script, -1 for none.
func index(s []*unicode.RangeTable) int {
	for i := range scripts {
		if len(s) > 0 && s[0] == scripts[i][0] {
			return i
		}
	}
	return -1
}

// loose reports whether a mark stands on what it does not belong to: on nothing,
// or on a character of another script. Accents on Latin, Greek and Cyrillic
// letters have letters of their own.
func loose(before, mark rune) bool {
	return scriptOf(mark) == nil || index(scriptOf(mark)) != index(scriptOf(before))
}
