package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tailscale/hujson"

	"parley/internal/near"
)

// setting is one value of a layer: the path to it and where it stands. A list
// has one setting for each element, with the path of the list.
type setting struct {
	path   []string
	value  any // string, bool, float64 or int
	many   bool
	origin Origin
}

func (s setting) key() string { return Key(s.path...) }

// maxFile bounds a configuration file, in bytes.
const maxFile = 1 << 20

// maxDepth bounds nesting; the parser recurses. No key is deeper than 5.
const maxDepth = 64

// grammar is what this package has to be told to know a good value.
type grammar struct {
	kinds Kinds
	rule  func(text string) error // what is wrong with a permission rule; nil: nothing
	quiet bool                    // no word of the text is repeated: it may be a link to what the folder must not make us show
}

// parser turns one text into settings, and collects what is wrong with it.
type parser struct {
	grammar
	text     []byte
	origin   Origin // of the file, without a line
	settings []setting
	problems Problems
}

// parse reads a layer. Comments and trailing commas are allowed.
func parse(text []byte, origin Origin, g grammar) ([]setting, Problems) {
	p := &parser{grammar: g, text: text, origin: origin}
	if len(text) > maxFile {
		p.problems = Problems{{Place: origin.place(), Text: fmt.Sprintf("the file is larger than %d bytes", maxFile)}}
		return nil, p.problems
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if i := deep(text); i >= 0 {
		p.problem(i, "it is nested too deeply")
		return nil, p.problems
	}
	p.text = text
	if blank(text) {
		return nil, nil
	}
	// hujson keeps slices of its input.
	v, err := hujson.Parse(bytes.Clone(text))
	if err != nil {
		p.syntax(err)
		return nil, p.problems
	}
	p.value(v, reflect.TypeFor[Config](), nil, "")
	slices.SortStableFunc(p.problems, func(a, b Problem) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
	return p.settings, p.problems
}

// blank reports whether a file says nothing, perhaps in comments.
func blank(text []byte) bool {
	return hujson.Extra(append(bytes.Clone(text), '\n')).IsValid()
}

// deep returns where brackets nest deeper than maxDepth, or -1. Brackets in
// strings and comments count too: nobody has that many.
func deep(text []byte) int {
	depth := 0
	for i, c := range text {
		switch c {
		case '{', '[':
			if depth++; depth > maxDepth {
				return i
			}
		case '}', ']':
			depth--
		}
	}
	return -1
}

var syntaxPlace = regexp.MustCompile(`^hujson: line (\d+), column (\d+): (.*)$`)

func (p *parser) syntax(err error) {
	problem := Problem{Place: p.origin.place(), Line: 1, Column: 1, Text: "it is not JSON: " + err.Error()}
	if m := syntaxPlace.FindStringSubmatch(err.Error()); m != nil {
		line, _ := strconv.Atoi(m[1])
		column, _ := strconv.Atoi(m[2])
		problem.Line, problem.Column, problem.Text = line, column, "it is not JSON: "+m[3]
	}
	if p.quiet {
		problem.Text = "it is not JSON; the file is not trusted, so nothing of it is shown"
	}
	p.problems = append(p.problems, problem)
}

// position is the line and column of a byte offset.
func (p *parser) position(offset int) (line, column int) {
	before := p.text[:min(offset, len(p.text))]
	line = 1 + bytes.Count(before, []byte("\n"))
	column = 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
	return line, column
}

func (p *parser) problem(offset int, format string, args ...any) {
	line, column := p.position(offset)
	text := fmt.Sprintf(format, args...)
	// A word that is nearly one of ours is no secret.
	if p.quiet && !strings.Contains(text, "did you mean") {
		text = "this is wrong; the file is not trusted, so nothing of it is shown"
	}
	p.problems = append(p.problems, Problem{p.origin.place(), line, column, text})
}

func (p *parser) value(v hujson.Value, t reflect.Type, path []string, tag reflect.StructTag) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem() // a value that may be absent and 0
	}
	switch {
	case t == reflect.TypeFor[Secret](), t == reflect.TypeFor[Duration](), t.Kind() == reflect.String:
		p.words(v, t, path, tag)
		return
	}
	switch t.Kind() {
	case reflect.Struct:
		if o, ok := v.Value.(*hujson.Object); ok {
			p.object(o, t, path)
			return
		}
		p.wrong(v, path, "an object { }")
	case reflect.Map:
		if o, ok := v.Value.(*hujson.Object); ok {
			p.members(o, t, path)
			return
		}
		p.wrong(v, path, "an object { }")
	case reflect.Slice:
		if a, ok := v.Value.(*hujson.Array); ok {
			for _, e := range a.Elements {
				before := len(p.settings)
				p.value(e, t.Elem(), path, tag)
				for i := range p.settings[before:] {
					p.settings[before+i].many = true
				}
			}
			return
		}
		p.wrong(v, path, "a list [ ]")
	case reflect.Bool:
		if k := v.Value.Kind(); k == 't' || k == 'f' {
			p.set(v, path, k == 't')
			return
		}
		p.wrong(v, path, "true or false")
	default:
		p.number(v, t, path, tag)
	}
}

func (p *parser) object(o *hujson.Object, t reflect.Type, path []string) {
	fields := fieldsOf(t)
	seen := map[string]bool{}
	for _, m := range o.Members {
		name := literal(m.Name)
		at := slices.IndexFunc(fields, func(f field) bool { return f.name == name })
		switch {
		case at < 0:
			p.unknown(m.Name.StartOffset, name, namesOf(fields), path)
		case seen[name]:
			p.problem(m.Name.StartOffset, "the key %q is here twice", name)
		default:
			p.value(m.Value, fields[at].kind, append(path[:len(path):len(path)], name), fields[at].tag)
		}
		seen[name] = true
	}
}

func (p *parser) unknown(offset int, name string, known, path []string) {
	p.problem(offset, "%s", unknownKey(name, known, path))
}

func (p *parser) members(o *hujson.Object, t reflect.Type, path []string) {
	seen := map[string]bool{}
	for _, m := range o.Members {
		name := literal(m.Name)
		inner := append(path[:len(path):len(path)], name)
		switch {
		case seen[name]:
			p.problem(m.Name.StartOffset, "the key %q is here twice", name)
			continue
		case !named(path, name):
			p.problem(m.Name.StartOffset, "%q cannot be a name in %s", name, Key(path...))
			continue
		}
		seen[name] = true
		if object, ok := m.Value.Value.(*hujson.Object); ok && len(object.Members) == 0 && t.Elem().Kind() == reflect.Struct && t.Elem() != reflect.TypeFor[Secret]() {
			// An entry counts even if it says nothing more.
			p.setAt(m.Name.StartOffset, inner, map[string]any{})
		}
		p.value(m.Value, t.Elem(), inner, "")
	}
}

var (
	providerName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)
	headerName   = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$") // RFC 9110, 5.6.2
	variableName = regexp.MustCompile(`^[A-Z_][A-Z0-9_]{0,63}$`)       // lower case is likely a key
)

// named reports whether a name fits where it stands.
func named(path []string, name string) bool {
	switch path[len(path)-1] {
	case "providers":
		return providerName.MatchString(name)
	case "headers":
		return headerName.MatchString(name)
	}
	return name != "" && !strings.ContainsAny(name, "\n\r\x00")
}

func (p *parser) words(v hujson.Value, t reflect.Type, path []string, tag reflect.StructTag) {
	if v.Value.Kind() != '"' {
		p.wrong(v, path, "a text in quotes")
		return
	}
	text := literal(v)
	if err := p.check(text, t, path, tag); err != nil {
		p.problem(v.StartOffset, "%s: %v", Key(path...), err)
		return
	}
	p.set(v, path, text)
}

// check reports what is wrong with a text; it never repeats a secret.
func (p *parser) check(text string, t reflect.Type, path []string, tag reflect.StructTag) error {
	if t == reflect.TypeFor[Secret]() {
		if strings.ContainsAny(text, "\r\n\x00") {
			return errors.New("a header is one line")
		}
		return nil
	}
	if t == reflect.TypeFor[Duration]() {
		var d Duration
		return d.UnmarshalText([]byte(text))
	}
	if values := p.kinds.values(tag); values != nil {
		if slices.Contains(values, text) {
			return nil
		}
		if best, ok := near.Word(text, values); ok {
			return fmt.Errorf("%q is not one of its values: did you mean %q?", text, best)
		}
		return fmt.Errorf("%q is not one of its values: %s", text, strings.Join(values, ", "))
	}
	switch {
	case tag.Get("format") == "url":
		return checkURL(text)
	case tag.Get("format") == "rule" && p.rule != nil:
		return p.rule(text)
	case path[len(path)-1] == "api_key_env" && text != "" && !variableName.MatchString(text):
		// Whoever writes the key itself here must not see it in an error.
		return errors.New("this is the name of an environment variable, not a key; an example: OPENAI_API_KEY")
	case path[len(path)-1] == "model":
		_, _, err := ParseModel(text)
		return err
	}
	return nil
}

func checkURL(text string) error {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return errors.New("this is not an address; an example: https://example.org/v1")
	case u.User != nil:
		return errors.New("an address has no password in it; name an environment variable in api_key_env, or in headers as ${NAME}")
	case u.RawQuery != "" || u.Fragment != "":
		return errors.New("an address has no query; an example: https://example.org/v1")
	}
	return nil
}

func (p *parser) number(v hujson.Value, t reflect.Type, path []string, tag reflect.StructTag) {
	whole := t.Kind() == reflect.Int
	want := "a number"
	if whole {
		want = "a whole number"
	}
	if v.Value.Kind() != '0' {
		p.wrong(v, path, want)
		return
	}
	raw := string(v.Value.(hujson.Literal))
	n, err := strconv.ParseFloat(raw, 64)
	i, intErr := strconv.Atoi(raw)
	if err != nil || whole && intErr != nil {
		p.wrong(v, path, want)
		return
	}
	low, lowErr := strconv.ParseFloat(tag.Get("min"), 64)
	high, highErr := strconv.ParseFloat(tag.Get("max"), 64)
	switch {
	case lowErr == nil && n < low && highErr == nil, highErr == nil && n > high:
		p.problem(v.StartOffset, "%s: %s is not between %s and %s", Key(path...), raw, tag.Get("min"), tag.Get("max"))
	case lowErr == nil && n < low:
		p.problem(v.StartOffset, "%s: %s is less than %s", Key(path...), raw, tag.Get("min"))
	case whole:
		p.set(v, path, i)
	default:
		p.set(v, path, n)
	}
}

func (p *parser) wrong(v hujson.Value, path []string, want string) {
	kinds := map[hujson.Kind]string{'n': "null", 't': "true", 'f': "false", '"': "a text", '0': "a number", '{': "an object", '[': "a list"}
	got := kinds[v.Value.Kind()]
	if v.Value.Kind() == '0' {
		got = "the number " + string(v.Value.(hujson.Literal))
	}
	if len(path) == 0 {
		p.problem(v.StartOffset, "the configuration is %s, not %s", want, got)
		return
	}
	p.problem(v.StartOffset, "%s wants %s, not %s", Key(path...), want, got)
}

func (p *parser) set(v hujson.Value, path []string, value any) { p.setAt(v.StartOffset, path, value) }

func (p *parser) setAt(offset int, path []string, value any) {
	origin := p.origin
	if origin.File != "" {
		origin.Line, _ = p.position(offset)
	}
	p.settings = append(p.settings, setting{path: path, value: value, origin: origin})
}

// literal is the text of a JSON string.
func literal(v hujson.Value) string {
	lit, ok := v.Value.(hujson.Literal)
	if !ok {
		return ""
	}
	var s string
	if json.Unmarshal(lit, &s) != nil {
		return ""
	}
	return s
}
