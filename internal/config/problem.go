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
