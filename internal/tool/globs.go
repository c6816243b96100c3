package tool

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Glob is a pattern for paths below a directory: *, **, ?, [a-z], {a,b}. One without a slash is about the
// last name of a path, at any depth.
type Glob struct {
	pattern string
	named   bool
}

// maxBraces bounds the alternatives of a pattern, which multiply.
const maxBraces = 6

// ParseGlob checks a pattern; its errors are for a model.
func ParseGlob(pattern string) (Glob, error) {
	g := Glob{pattern: strings.TrimPrefix(pattern, "./")}
	g.named = !strings.Contains(g.pattern, "/")
	switch {
	case strings.HasPrefix(g.pattern, "/"), strings.HasPrefix(g.pattern, "~"), slices.Contains(strings.Split(g.pattern, "/"), ".."):
		return Glob{}, fmt.Errorf("the pattern %q must be relative; set path to search elsewhere", pattern)
	case strings.Count(g.pattern, "{") > maxBraces:
		return Glob{}, fmt.Errorf("the pattern %q has more than %d alternatives in braces", pattern, maxBraces)
	case g.pattern == "" || !doublestar.ValidatePattern(g.pattern):
		return Glob{}, fmt.Errorf("the pattern %q is malformed", pattern)
	}
	return g, nil
}

// Match says whether a path relative to the directory fits.
func (g Glob) Match(below string) bool {
	if g.named {
		below = path.Base(below)
	}
	return doublestar.MatchUnvalidated(g.pattern, below)
}

// String is the pattern without a leading "./".
func (g Glob) String() string { return g.pattern }
