package permission

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// Rule names the calls of one tool, or some of them. It is comparable; two
// rules that mean the same text are equal. The zero Rule matches nothing.
type Rule struct {
	tool    string
	pattern string // canonical; empty: every call of the tool
	prefix  bool   // bash: the pattern's words may be followed by others
}

var toolName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]*$`)

// patternOf says how the pattern of a rule on that tool is read. Tools that
// are not in it take any name.
var patternOf = map[string]func(string) (Rule, error){
	"bash":  parseCommandPattern,
	"read":  parsePathPattern,
	"ls":    parsePathPattern,
	"glob":  parsePathPattern,
	"grep":  parsePathPattern,
	"edit":  parsePathPattern,
	"write": parsePathPattern,
	"fetch": parseHostPattern,
	"task":  parseNamePattern,
}

// ParseRule reads a rule as a user writes it. The error says what is wrong
// with the text and shows one that is right.
func ParseRule(text string) (Rule, error) {
	r, err := parseRule(strings.TrimSpace(text))
	if err != nil {
		return Rule{}, fmt.Errorf("rule %q: %w", text, err)
	}
	return r, nil
}

// MustRule is [ParseRule] for rules that are part of the program.
func MustRule(text string) Rule {
	r, err := ParseRule(text)
	if err != nil {
		panic(err)
	}
	return r
}

func parseRule(s string) (Rule, error) {
	if s == "" {
		return Rule{}, errors.New("it is empty; an example: bash(git status:*)")
	}
	if s == "*" {
		return Rule{tool: "*"}, nil
	}
	name, rest, found := strings.Cut(s, "(")
	tool, err := parseTool(strings.TrimSpace(name))
	if err != nil {
		return Rule{}, err
	}
	if !found {
		return Rule{tool: tool}, nil
	}
	pattern, ok := strings.CutSuffix(rest, ")")
	if !ok {
		return Rule{}, fmt.Errorf("the closing parenthesis is missing; an example: %s", example(tool))
	}
	if strings.TrimSpace(pattern) == "" {
		return Rule{}, fmt.Errorf("the parentheses are empty; %s alone means every call of it, %s some", tool, example(tool))
	}
	parse := patternOf[tool]
	if parse == nil {
		parse = parseNamePattern
	}
	r, err := parse(strings.TrimSpace(pattern))
	if err != nil {
		return Rule{}, err
	}
	r.tool = tool
	return r, nil
}

func parseTool(name string) (string, error) {
	if name == "*" {
		return "", errors.New("* takes no pattern; an example: *")
	}
	if !toolName.MatchString(name) {
		return "", fmt.Errorf("%q is not the name of a tool; an example: edit(src/**)", name)
	}
	// Other agents write Bash(…) and Read(…).
	if lower := strings.ToLower(name); patternOf[lower] != nil {
		return lower, nil
	}
	for known := range patternOf {
		if nearly(strings.ToLower(name), known) {
			return "", fmt.Errorf("there is no tool %q; did you mean %s?", name, example(known))
		}
	}
	return name, nil
}

// nearly reports whether one letter more, less, other or swapped makes a of b.
// Short names are too close to each other to tell.
func nearly(a, b string) bool {
	if min(len(a), len(b)) < 4 {
		return false
	}
	if len(a) > len(b) {
		a, b = b, a
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	switch len(b) - len(a) {
	case 0:
		swapped := i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
		return i == len(a) || a[i+1:] == b[i+1:] || swapped
	case 1:
		return a[i:] == b[i+1:]
	}
	return false
}

func example(tool string) string {
	switch {
	case tool == "bash":
		return "bash(go test:*)"
	case tool == "fetch":
		return "fetch(example.org)"
	case tool == "task":
		return "task(research)"
	case pathTools[tool]:
		return tool + "(src/**)"
	}
	return tool + "(name)"
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

// String is the canonical text; [ParseRule] reads it back to an equal rule.
func (r Rule) String() string {
	if r.pattern == "" {
		return r.tool
	}
	tail := ""
	if r.prefix {
		tail = ":*"
	}
	return r.tool + "(" + r.pattern + tail + ")"
}

// Tool is the name of the tool that the rule is on; "*" for all.
func (r Rule) Tool() string { return r.tool }

// Bare reports whether the rule covers every call of its tool.
func (r Rule) Bare() bool { return r.pattern == "" && r.tool != "" }

// MarshalText is [Rule.String].
func (r Rule) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText is [ParseRule].
func (r *Rule) UnmarshalText(b []byte) error {
	parsed, err := ParseRule(string(b))
	if err == nil {
		*r = parsed
	}
	return err
}
