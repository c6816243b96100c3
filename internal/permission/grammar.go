package permission

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
)

// Kind says what the pattern of a rule on a tool means, and so what its calls
// are judged by.
type Kind string

// The kinds.
const (
	KindName    Kind = ""        // one name, or nothing but the tool itself
	KindCommand Kind = "command" // the words of a command
	KindPath    Kind = "path"    // a glob
	KindHost    Kind = "host"    // a host
)

// The families whose rules hold for more than the tools of them: for the files
// that a command line opens. Shell is the one tool that is known by name; what
// its commands may do about the fence has names like those of tools.
const (
	FamilyRead = "read"
	FamilyEdit = "edit"
	Shell      = "bash"
	Outside    = "outside" // run a command outside of the fence
	Connect    = "connect" // let a command in the fence connect to a host
)

// Tool is what rules need to know of a tool.
type Tool struct {
	Kind Kind
	// Family is the name whose rules hold for the tool too: read(…) also covers
	// ls. It is empty for a tool on its own.
	Family string
}

// Grammar says how rules are read: what there is to know of the tools that they
// may be on, by name. Rules on the families and on the shell can be read by any.
type Grammar map[string]Tool

// builtin is what every grammar knows.
var builtin = Grammar{
	FamilyRead: {Kind: KindPath}, FamilyEdit: {Kind: KindPath}, Shell: {Kind: KindCommand},
	Outside: {Kind: KindCommand}, Connect: {Kind: KindHost},
}

func (g Grammar) tool(name string) (Tool, bool) {
	if t, ok := g[name]; ok {
		return t, true
	}
	t, ok := builtin[name]
	return t, ok
}

// Rule reads a rule as a user writes it. The error says what is wrong with the
// text and shows one that is right. A rule on a tool that is not known is read as
// one on a name, and read again once its tool is called.
func (g Grammar) Rule(text string) (Rule, error) {
	r, err := g.rule(strings.TrimSpace(text))
	if err != nil {
		return Rule{}, fmt.Errorf("rule %q: %w", text, err)
	}
	return r, nil
}

// MustRule is [Grammar.Rule] for rules that are part of the program.
func (g Grammar) MustRule(text string) Rule {
	r, err := g.Rule(text)
	if err != nil {
		panic(err)
	}
	return r
}

// Rules reads rule texts that share an effect, a scope and an origin. The
// error joins one for each text that is not a rule; the others are returned.
func (g Grammar) Rules(effect Effect, scope Scope, origin string, texts ...string) ([]Scoped, error) {
	var rules []Scoped
	var errs []error
	for _, text := range texts {
		rule, err := g.Rule(text)
		if err != nil {
			if origin != "" {
				err = fmt.Errorf("%s: %w", origin, err)
			}
			errs = append(errs, err)
			continue
		}
		rules = append(rules, Scoped{Rule: rule, Effect: effect, Scope: scope, Origin: origin})
	}
	return rules, errors.Join(errs...)
}

func (g Grammar) rule(s string) (Rule, error) {
	if s == "" {
		return Rule{}, errors.New("it is empty; an example: bash(git status:*)")
	}
	if s == "*" {
		return Rule{tool: "*"}, nil
	}
	name, rest, found := strings.Cut(s, "(")
	r, err := g.named(strings.TrimSpace(name))
	if err != nil || !found {
		return r, err
	}
	pattern, ok := strings.CutSuffix(rest, ")")
	if !ok {
		return Rule{}, fmt.Errorf("the closing parenthesis is missing; an example: %s", r.example())
	}
	if strings.TrimSpace(pattern) == "" {
		return Rule{}, fmt.Errorf("the parentheses are empty; %s alone means every call of it, %s some", r.tool, r.example())
	}
	return r.with(strings.TrimSpace(pattern))
}

// named is the rule on every call of a tool.
func (g Grammar) named(name string) (Rule, error) {
	if name == "*" {
		return Rule{}, errors.New("* takes no pattern; an example: *")
	}
	if !toolName.MatchString(name) {
		return Rule{}, fmt.Errorf("%q is not the name of a tool; an example: edit(src/**)", name)
	}
	// Other agents write Bash(…) and Read(…).
	for _, name := range []string{name, strings.ToLower(name)} {
		if t, ok := g.tool(name); ok {
			return Rule{tool: name, kind: t.Kind, family: familyOf(name, t.Family)}, nil
		}
	}
	for _, tools := range []Grammar{g, builtin} {
		for known, t := range tools {
			if nearly(strings.ToLower(name), known) {
				return Rule{}, fmt.Errorf("there is no tool %q; did you mean %s?", name, Rule{tool: known, kind: t.Kind}.example())
			}
		}
	}
	return Rule{tool: name, family: name, unread: true}, nil
}

func familyOf(name, family string) string { return cmp.Or(family, name) }

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
