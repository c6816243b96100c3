package permission

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

func parsePathPattern(s string) (Rule, error) {
	if strings.ContainsAny(s, "\n\r\x00") {
		return Rule{}, errors.New("a path glob is one line; an example: edit(src/**)")
	}
	if s == "*" || s == "**/*" {
		s = "**"
	}
	for strings.HasPrefix(s, "./") {
		s = strings.TrimLeft(s[1:], "/")
	}
	if s == "" || s == "." {
		s = "**"
	}
	if strings.HasSuffix(s, "/") {
		s += "**"
	}
	for _, part := range strings.Split(s, "/") {
		if part == ".." {
			return Rule{}, errors.New("a glob is below the workspace, or starts with / or ~/: no .. in it; an example: read(/etc/hosts)")
		}
	}
	if strings.HasPrefix(s, "~") && s != "~" && !strings.HasPrefix(s, "~/") {
		return Rule{}, errors.New("~ stands for your own home only; an example: read(~/notes/**)")
	}
	if !doublestar.ValidatePattern(s) {
		return Rule{}, fmt.Errorf("%q is not a glob (unclosed bracket or brace?); an example: edit(src/**/*.go)", s)
	}
	return Rule{pattern: s}, nil
}

// guarded are the names in a workspace that decide what later runs there, without anybody having started it (git
// hooks, direnv, the agent's own configuration): edit(**) does not reach them.
var guarded = []string{".git", ".parley", ".husky", ".envrc"}

// matchPath reports whether a path glob matches. A lenient match is for rules
// that take away: it ignores case, because some file systems do.
func matchPath(pattern string, p Path, home string, lenient bool) bool {
	name := p.Rel
	switch {
	case pattern == "~" || strings.HasPrefix(pattern, "~/"):
		if home == "" {
			return false
		}
		pattern = escapeGlob(strings.TrimSuffix(home, "/")) + pattern[1:]
		name = p.Abs
	case strings.HasPrefix(pattern, "/"):
		name = p.Abs
	case !p.Inside:
		return false
	default:
		if name == "" {
			name = "."
		}
		if !lenient && p.Write && inGuarded(name) && !namesGuarded(pattern) {
			return false
		}
	}
	if pattern == "**" {
		return true
	}
	return matchGlob(pattern, path.Clean(name), lenient)
}

func matchGlob(pattern, name string, lenient bool) bool {
	if doublestar.MatchUnvalidated(pattern, name) {
		return true
	}
	return lenient && doublestar.MatchUnvalidated(strings.ToLower(pattern), strings.ToLower(name))
}

func inGuarded(rel string) bool {
	for part := range strings.SplitSeq(rel, "/") {
		for _, g := range guarded {
			if strings.EqualFold(part, g) {
				return true
			}
		}
	}
	return false
}

func namesGuarded(pattern string) bool {
	for part := range strings.SplitSeq(pattern, "/") {
		for _, g := range guarded {
			if part == g {
				return true
			}
		}
	}
	return false
}

func escapeGlob(s string) string {
	return globEscaper.Replace(s)
}

var globEscaper = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`, `]`, `\]`, `{`, `\{`, `}`, `\}`)

// coversGlob reports whether a matches whatever b matches, as far as the text
// of the two tells; it may say no wrongly.
func coversGlob(a, b string) bool {
	if a == b {
		return true
	}
	absolute := func(s string) bool { return strings.HasPrefix(s, "/") || strings.HasPrefix(s, "~") }
	if absolute(a) != absolute(b) || strings.ContainsAny(b, `{[\`) {
		return false
	}
	if a == "**" {
		return true
	}
	for _, deep := range []string{"x", "x/y/z"} {
		sample := strings.NewReplacer("**", deep, "*", "x", "?", "x").Replace(b)
		if !doublestar.MatchUnvalidated(a, sample) {
			return false
		}
	}
	return true
}
