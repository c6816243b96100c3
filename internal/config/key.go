package config

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"parley/internal/near"
)

// Key is the text for the path to a value: dots between names, and names that
// hold a dot in brackets, as in providers.mine.models["qwen-3.8"].context.
func Key(path ...string) string {
	var b strings.Builder
	for i, name := range path {
		switch {
		case name == "" || strings.ContainsAny(name, `."[]`) || strings.TrimSpace(name) != name:
			fmt.Fprintf(&b, "[%q]", name)
		case i > 0:
			b.WriteString("." + name)
		default:
			b.WriteString(name)
		}
	}
	return b.String()
}

// ParseKey reads a key as [Key] writes it, back into its path. It does not know
// which keys there are; see [CheckKey].
func ParseKey(text string) ([]string, error) {
	wrong := fmt.Errorf("%q is not a key; examples: model, limits.steps, providers.mine.models[\"qwen-3.8\"].context", text)
	var path []string
	for rest := text; rest != "" || len(path) == 0; {
		if inner, ok := strings.CutPrefix(rest, "["); ok {
			quoted, err := strconv.QuotedPrefix(inner)
			if err != nil || !strings.HasPrefix(quoted, `"`) || !strings.HasPrefix(inner[len(quoted):], "]") {
				return nil, wrong
			}
			name, err := strconv.Unquote(quoted)
			if err != nil {
				return nil, wrong
			}
			path, rest = append(path, name), inner[len(quoted)+1:]
			continue
		}
		if len(path) > 0 {
			var ok bool
			if rest, ok = strings.CutPrefix(rest, "."); !ok {
				return nil, wrong
			}
		}
		end := strings.IndexAny(rest, ".[")
		if end < 0 {
			end = len(rest)
		}
		if end == 0 || strings.ContainsAny(rest[:end], `"]`) {
			return nil, wrong
		}
		path, rest = append(path, rest[:end]), rest[end:]
	}
	return path, nil
}

// CheckKey reports that no configuration can have a value at that path, nor
// below it, with the known name that it resembles.
func CheckKey(path ...string) error {
	t := reflect.TypeFor[Config]()
	for i, name := range path {
		switch {
		case t.Kind() == reflect.Map && named(path[:i], name):
			t = t.Elem()
		case t.Kind() == reflect.Map:
			return fmt.Errorf("%q cannot be a name in %s", name, Key(path[:i]...))
		case t.Kind() == reflect.Struct && leaf(t):
			return fmt.Errorf("%s has no parts", Key(path[:i]...))
		case t.Kind() == reflect.Struct:
			fields := fieldsOf(t)
			at := slices.IndexFunc(fields, func(f field) bool { return f.name == name })
			if at < 0 {
				return errors.New(unknownKey(name, namesOf(fields), path[:i]))
			}
			t = fields[at].kind
		default:
			return fmt.Errorf("%s has no parts", Key(path[:i]...))
		}
	}
	return nil
}

// Keys are all keys that a configuration can have, in the order of the schema;
// NAME stands for a name that the user chooses.
func Keys() []string { return keysBelow(reflect.TypeFor[Config](), nil) }

func keysBelow(t reflect.Type, path []string) []string {
	switch {
	case t.Kind() == reflect.Map:
		return keysBelow(t.Elem(), append(path[:len(path):len(path)], "NAME"))
	case t.Kind() == reflect.Struct && !leaf(t):
		var out []string
		for _, f := range fieldsOf(t) {
			out = append(out, keysBelow(f.kind, append(path[:len(path):len(path)], f.name))...)
		}
		return out
	}
	return []string{Key(path...)}
}

// leaf reports whether a struct is one value in a file.
func leaf(t reflect.Type) bool { return t == reflect.TypeFor[Secret]() }

type field struct {
	name string
	kind reflect.Type
	tag  reflect.StructTag
}

// fieldsOf are the keys of an object.
func fieldsOf(t reflect.Type) []field {
	var out []field
	for i := range t.NumField() {
		if f := t.Field(i); f.IsExported() {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			out = append(out, field{name, f.Type, f.Tag})
		}
	}
	return out
}

func namesOf(fields []field) []string {
	out := make([]string, len(fields))
	for i, f := range fields {
		out[i] = f.name
	}
	return out
}

// unknownKey says that a name is none of the known ones at a path, and which
// was likely meant.
func unknownKey(name string, known, path []string) string {
	in := ""
	if len(path) > 0 {
		in = " in " + Key(path...)
	}
	if best, ok := near.Word(name, known); ok {
		return fmt.Sprintf("unknown key %q%s: did you mean %q?", name, in, best)
	}
	if full, ok := keyElsewhere[name]; ok && full != Key(append(path[:len(path):len(path)], name)...) {
		return fmt.Sprintf("unknown key %q%s: did you mean %s?", name, in, full)
	}
	known = slices.DeleteFunc(slices.Clone(known), func(k string) bool { return k == "$schema" })
	return fmt.Sprintf("unknown key %q%s; there are: %s", name, in, strings.Join(known, ", "))
}

// keyElsewhere finds the full key for the last name of it.
var keyElsewhere = func() map[string]string {
	out := map[string]string{}
	for _, f := range fieldsOf(reflect.TypeFor[Config]()) {
		outer, inner := f.name, f.kind
		if inner.Kind() == reflect.Map {
			outer, inner = outer+".NAME", inner.Elem()
		}
		if inner.Kind() != reflect.Struct {
			continue
		}
		for _, f := range fieldsOf(inner) {
			out[f.name] = outer + "." + f.name
		}
	}
	return out
}()
