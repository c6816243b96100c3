package tooltest

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"parley/internal/tool"
)

// spellings: however a model spells a call, permission, the person and the tool see the same bytes.
func (s Suite) spellings(t *testing.T) {
	root, _ := Make(t)
	w := s.World(t, root)
	rapid.Check(t, func(t *rapid.T) {
		arguments := rapid.SampledFrom(s.Calls).Draw(t, "call")
		want := canonical(t, arguments)
		written := misspelt(t, s.Tool.Spec(), want)
		got := tool.Normalise(s.Tool, written)
		if d := cmp.Diff(string(want), string(canonical(t, string(got)))); d != "" {
			t.Fatalf("%s is read in another way: %s", written, d)
		}
		once(t, s.Tool, written)
		targets, err := s.Tool.Targets(w, s.call(string(want)))
		if err != nil {
			t.Fatal(err)
		}
		again, err := s.Tool.Targets(w, s.call(string(got)))
		if d := cmp.Diff(targets, again); d != "" || err != nil {
			t.Fatalf("%s: permission sees another call: %v %s", written, err, d)
		}
		if a, b := tool.Title(s.Tool, want), tool.Title(s.Tool, got); a != b {
			t.Fatalf("%s: the title is %q, not %q", written, b, a)
		}
	})
}

// once checks that a second reading changes nothing.
func once(t rapid.TB, tl tool.Tool, arguments []byte) {
	first := tool.Normalise(tl, arguments)
	if second := tool.Normalise(tl, first); !bytes.Equal(first, second) {
		t.Fatalf("%s: read as %s, then as %s", arguments, first, second)
	}
}

func canonical(t rapid.TB, arguments string) json.RawMessage {
	var v any
	if err := json.Unmarshal([]byte(arguments), &v); err != nil {
		t.Fatal(err)
	}
	return text(v)
}

func text(v any) json.RawMessage {
	out, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return out
}

// misspelt is a call as some model might write it.
func misspelt(t *rapid.T, spec tool.Spec, arguments json.RawMessage) json.RawMessage {
	var object map[string]any
	if err := json.Unmarshal(arguments, &object); err != nil {
		t.Fatal(err)
	}
	out := renamed(t, spec, "", object)
	if rapid.IntRange(0, 9).Draw(t, "whole") == 0 {
		return text(string(text(out)))
	}
	return text(out)
}

// renamed misspells the names and the values of an object; in is the list that it is an item of.
func renamed(t *rapid.T, spec tool.Spec, in string, object map[string]any) map[string]any {
	out := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		items, list := object[name].([]any)
		var written []any
		for _, item := range items {
			if inner, ok := item.(map[string]any); ok {
				item = renamed(t, spec, name, inner)
			}
			written = append(written, item)
		}
		if list && len(written) == 1 {
			if item, ok := written[0].(map[string]any); ok && rapid.Bool().Draw(t, "beside") && aliased(spec, name) {
				maps.Copy(out, item)
				continue
			}
		}
		value := object[name]
		if list {
			value = written
		}
		if _, ok := value.(string); !ok {
			value = otherwise(t, value)
		}
		out[another(t, spec, in, name)] = value
	}
	return out
}

// otherwise is a value that is no text, in another spelling.
func otherwise(t *rapid.T, v any) any {
	items, _ := v.([]any)
	switch rapid.IntRange(0, 2).Draw(t, "as") {
	case 1:
		return string(text(v))
	case 2:
		if len(items) == 1 {
			return items[0]
		}
	}
	return v
}

func aliased(spec tool.Spec, list string) bool {
	return slices.ContainsFunc(spec.Aliases, func(a tool.Alias) bool { return strings.HasPrefix(a.Of, list+".") })
}

// another is one of the names of an argument.
func another(t *rapid.T, spec tool.Spec, in, name string) string {
	names := []string{name, strings.ToUpper(name), strings.ReplaceAll(name, "_", "")}
	for _, a := range spec.Aliases {
		if strings.TrimPrefix(a.Of, in+".") == name && a.Unit == tool.Milliseconds {
			names = append(names, a.Names...)
		}
	}
	return rapid.SampledFrom(names).Draw(t, "name")
}
