package permission

import (
	"errors"
	"regexp"
	"strings"
)

// Rule names the calls of one tool, or some of them. It is comparable; two
// rules that mean the same text, read by one grammar, are equal. The zero Rule
// matches nothing.
type Rule struct {
	tool    string
	kind    Kind   // of the pattern
	family  string // of the tool
	pattern string // canonical; empty: every call of the tool
	prefix  bool   // a command: the pattern's words may be followed by others
	unread  bool   // the tool was not known when the rule was read
}

var toolName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]*$`)

// with is the rule with a pattern, read as the kind says.
func (r Rule) with(pattern string) (Rule, error) {
	parse := parseNamePattern
	switch r.kind {
	case KindCommand:
		parse = parseCommandPattern
	case KindPath:
		parse = parsePathPattern
	case KindHost:
		parse = parseHostPattern
	case KindName:
	}
	read, err := parse(pattern)
	if err != nil {
		return Rule{}, err
	}
	r.pattern, r.prefix = read.pattern, read.prefix
	return r, nil
}

// of is the rule as it is read where its tool is called: the tool may not have
// been known when the rule was. ok is false where the pattern is none for the tool.
func (r Rule) of(c Call) (_ Rule, ok bool) {
	if r.tool != c.Tool || !r.unread {
		return r, true
	}
	again := bare(c)
	if r.pattern == "" {
		return again, true
	}
	read, err := again.with(r.text())
	if err != nil {
		return again, false
	}
	return read, true
}

// survives reports whether the rule's text reads as the rule again.
func (r Rule) survives() bool {
	if !toolName.MatchString(r.tool) {
		return false
	}
	if r.pattern == "" {
		return true
	}
	again, err := Rule{tool: r.tool, kind: r.kind, family: r.family}.with(strings.TrimSpace(r.text()))
	return err == nil && again == r
}

// example is a rule with a pattern on the same tool.
func (r Rule) example() string {
	switch r.kind {
	case KindCommand:
		return r.tool + "(go test:*)"
	case KindHost:
		return r.tool + "(example.org)"
	case KindPath:
		return r.tool + "(src/**)"
	case KindName:
	}
	return r.tool + "(name)"
}

func parseNamePattern(s string) (Rule, error) {
	if strings.ContainsAny(s, "\n\r\x00") {
		return Rule{}, errors.New("a name is one line; an example: task(research)")
	}
	if s == "*" {
		return Rule{}, nil
	}
	return Rule{pattern: s}, nil
}

// text is the pattern as it is written.
func (r Rule) text() string {
	if r.prefix {
		return r.pattern + ":*"
	}
	return r.pattern
}

// String is the canonical text; the grammar that read it reads it back to an
// equal rule.
func (r Rule) String() string {
	if r.pattern == "" {
		return r.tool
	}
	return r.tool + "(" + r.text() + ")"
}

// Tool is the name of the tool that the rule is on; "*" for all.
func (r Rule) Tool() string { return r.tool }

// Bare reports whether the rule covers every call of its tool.
func (r Rule) Bare() bool { return r.pattern == "" && r.tool != "" }
