package tool

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
)

// Nearest returns up to three of the known names that look like a wrong one, best first: a few letters
// away, a part of it, or the same but for the extension.
func Nearest(wrong string, known []string) []string {
	type guess struct {
		name     string
		distance int
	}
	fold := func(s string) string { return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(s)) }
	stem := func(s string) string { return strings.TrimSuffix(s, filepath.Ext(s)) }
	a := fold(wrong)
	var guesses []guess
	for _, k := range known {
		b := fold(k)
		d := distance(a, b)
		switch {
		case d <= max(1, min(len(a), len(b))/2):
		case len(b) >= 3 && strings.Contains(a, b), len(a) >= 3 && strings.Contains(b, a):
			d = 2
		case stem(a) != "" && stem(a) == stem(b):
		default:
			continue
		}
		guesses = append(guesses, guess{k, d})
	}
	slices.SortFunc(guesses, func(a, b guess) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.name, b.name))
	})
	var names []string
	for _, g := range guesses[:min(3, len(guesses))] {
		names = append(names, g.name)
	}
	return names
}

// distance is Levenshtein's, on bytes: names are short.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
