// Package near finds what was meant by a word that is not one of those that there are: a key of a file, the name of a
// provider or of a model.
//
// Its functions are pure and take any text. They do not know what the words are for, and correct nothing: what was
// meant is told to a person.
package near

import "strings"

// longest is the length in bytes of a word that is compared; nobody types a longer one by hand.
const longest = 64

// Word returns the known word that is nearest to the given one, if it is near enough to be what was meant: a third of
// its letters may be wrong, or it is the beginning of the other.
func Word(word string, known []string) (string, bool) {
	best, least := "", 1+max(1, len(word)/3)
	for _, k := range known {
		if d := Distance(strings.ToLower(word), strings.ToLower(k)); d < least {
			best, least = k, d
		}
	}
	if best != "" || len(word) < 4 {
		return best, best != ""
	}
	for _, k := range known {
		if strings.HasPrefix(k, strings.ToLower(word)) {
			return k, true
		}
	}
	return "", false
}

// Distance is the number of letters to insert, remove, change or swap with their neighbour to make b of a (optimal
// string alignment). Long texts are far from each other.
func Distance(a, b string) int {
	if len(a) > longest || len(b) > longest {
		return longest
	}
	var rows [3][longest + 1]int // the one being made, and the two above it
	for j := range len(b) + 1 {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		row, above, before := &rows[i%3], &rows[(i+2)%3], &rows[(i+1)%3]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			changed := above[j-1]
			if a[i-1] != b[j-1] {
				changed++
			}
			row[j] = min(above[j]+1, row[j-1]+1, changed)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return rows[len(a)%3][len(b)]
}
