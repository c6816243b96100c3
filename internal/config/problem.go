package config

import (
	"fmt"
	"strings"
)

// Problem is one thing that is wrong in the configuration.
type Problem struct {
	// Place is a file, a flag or an environment variable, as an [Origin] prints it.
	Place string
	// Line and Column count from 1, the column in characters; both are 0 where
	// the place has no lines.
	Line, Column int
	Text         string
}

func (p Problem) String() string {
	if p.Line == 0 {
		return p.Place + ": " + p.Text
	}
	return fmt.Sprintf("%s:%d:%d: %s", p.Place, p.Line, p.Column, p.Text)
}

// Problems is the error of [Load]: everything that is wrong, a line each.
type Problems []Problem

// Error joins the problems with newlines.
func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i, problem := range p {
		lines[i] = problem.String()
	}
	return strings.Join(lines, "\n")
}

// resembling returns the known word nearest to the given one, if it is near
// enough to be what was meant.
func resembling(word string, known []string) (string, bool) {
	best, bestDistance := "", 1+max(1, len(word)/3)
	for _, k := range known {
		if d := distance(strings.ToLower(word), strings.ToLower(k)); d < bestDistance {
			best, bestDistance = k, d
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

// distance is the number of letters to insert, remove, change or swap with
// their neighbour to make b of a (optimal string alignment).
func distance(a, b string) int {
	const most = 64
	if len(a) > most || len(b) > most {
		return most
	}
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
