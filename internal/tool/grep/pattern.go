package grep

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
)

// Private characters that stand for \b and \B while a pattern is printed.
const (
	edge   = '\U000f5a5a'
	inside = '\U000f5a5b'
)

// compile makes the pattern for both engines from one syntax tree, so that they agree on what it means: a
// line is matched by itself, ^ and $ are its ends, \d, \w, \s and \b are about ASCII.
func compile(pattern string) (ours *regexp.Regexp, foreign string, err error) {
	const flags = syntax.Perl &^ syntax.OneLine
	tree, err := syntax.Parse(pattern, flags)
	if err != nil {
		return nil, "", explain(pattern, err)
	}
	if !single(tree) {
		return nil, "", errors.New(`the pattern holds a newline, but grep matches line by line`)
	}
	ours, err = regexp.Compile(tree.String())
	if err != nil {
		return nil, "", explain(pattern, err)
	}
	boundaries(tree)
	ascii := strings.NewReplacer(fmt.Sprintf(`\x{%x}`, edge), `(?-u:\b)`, fmt.Sprintf(`\x{%x}`, inside), `(?-u:\B)`)
	return ours, ascii.Replace(tree.String()), nil
}

func explain(pattern string, err error) error {
	var bad *syntax.Error
	if !errors.As(err, &bad) {
		return fmt.Errorf("the pattern %q is malformed: %w", pattern, err)
	}
	hint := ""
	switch {
	case strings.HasPrefix(bad.Expr, "(?=") || strings.HasPrefix(bad.Expr, "(?!") || strings.HasPrefix(bad.Expr, "(?<"):
		hint = "; RE2 has no look-around"
	case bad.Code == syntax.ErrInvalidEscape && len(bad.Expr) == 2 && bad.Expr[1] >= '1' && bad.Expr[1] <= '9':
		hint = "; RE2 has no back references"
	case bad.Code == syntax.ErrMissingParen, bad.Code == syntax.ErrUnexpectedParen, bad.Code == syntax.ErrMissingBracket,
		bad.Code == syntax.ErrMissingRepeatArgument:
		hint = `; to search for the character itself put \ before it`
	}
	return fmt.Errorf("the pattern %q is malformed: %s %q%s", pattern, bad.Code, bad.Expr, hint)
}

// single says that the pattern can match within one line, and turns the ends of the text into those of a
// line.
func single(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpLiteral:
		if slices.Contains(re.Rune, '\n') {
			return false
		}
	case syntax.OpBeginText:
		re.Op = syntax.OpBeginLine
	case syntax.OpEndText:
		re.Op, re.Flags = syntax.OpEndLine, re.Flags&^syntax.WasDollar
	}
	for _, sub := range re.Sub {
		if !single(sub) {
			return false
		}
	}
	return true
}

// boundaries puts the stand-ins where the tree has \b and \B.
func boundaries(re *syntax.Regexp) {
	switch re.Op {
	case syntax.OpWordBoundary:
		*re = syntax.Regexp{Op: syntax.OpLiteral, Rune: []rune{edge}}
	case syntax.OpNoWordBoundary:
		*re = syntax.Regexp{Op: syntax.OpLiteral, Rune: []rune{inside}}
	}
	for _, sub := range re.Sub {
		boundaries(sub)
	}
}
