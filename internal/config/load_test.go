package config

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// ruleCheck stands for package permission, which this one does not know.
func ruleCheck(text string) error {
	if strings.Count(text, "(") != strings.Count(text, ")") {
		return fmt.Errorf("rule %q: the closing parenthesis is missing", text)
	}
	return nil
}

// Each file of testdata/load shows some layers, and what they come to: the
// values that are not built-in, where they are from, what is withheld, and
// what is wrong.
func TestLoad(t *testing.T) {
	names, err := filepath.Glob("testdata/load/*.txtar")
	if err != nil || len(names) < 10 {
		t.Fatalf("%d files: %v", len(names), err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) { testLoad(t, name) })
	}
}

// section is a part of a txtar file; the first has no name: the comment.
type section struct{ name, text string }

func readArchive(t *testing.T, name string) []section {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	sections := []section{{}}
	for line := range strings.Lines(string(b)) {
		trimmed := strings.TrimSuffix(line, "\n")
		if name, ok := strings.CutPrefix(trimmed, "-- "); ok && strings.HasSuffix(name, " --") {
			sections = append(sections, section{name: strings.TrimSuffix(name, " --")})
			continue
		}
		sections[len(sections)-1].text += line
	}
	return sections
}

func formatArchive(sections []section) []byte {
	var b strings.Builder
	for i, s := range sections {
		if i > 0 {
			fmt.Fprintf(&b, "-- %s --\n", s.name)
		}
		b.WriteString(s.text)
	}
	return []byte(b.String())
}

func testLoad(t *testing.T, name string) {
	archive := readArchive(t, name)
	work := t.TempDir()
	files := map[string]string{}
	for _, f := range archive[1:] {
		files[f.name] = f.text
		if strings.HasSuffix(f.name, ".jsonc") {
			path := filepath.Join(work, f.name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(f.text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	trust := map[string]string{}
	for path := range strings.FieldsSeq(files["trust"]) {
		trust[filepath.Join(work, path)] = Sum([]byte(files[path]))
	}
	sources := Sources{
		Env:     NewEnv(strings.Split(files["env"], "\n")),
		User:    filepath.Join(work, "user.jsonc"),
		Root:    filepath.Join(work, "ws"),
		Dir:     filepath.Join(work, "ws", "sub"),
		Kinds:   known,
		Rule:    ruleCheck,
		Trusted: func(path, sum string) (bool, error) { return trust[path] == sum, nil },
	}
	for line := range strings.Lines(files["flags"]) {
		parts := strings.SplitN(strings.TrimSpace(line), " ", 3)
		sources.Flags = append(sources.Flags, Flag{parts[0], parts[1], parts[2]})
	}
	c, origins, err := Load(sources)

	base, _, _ := Load(Sources{Kinds: known})
	got := map[string]string{"error": "", "want": changes(t, base, c), "origins": listed(origins.Entries), "withheld": listed(origins.Withheld)}
	if err != nil {
		got["error"] = err.Error() + "\n"
		var problems Problems
		if !errors.As(err, &problems) {
			t.Errorf("the error is a %T", err)
		}
	}
	for i, f := range archive {
		text, ok := got[f.name]
		if !ok {
			continue
		}
		text = strings.ReplaceAll(text, work, "$WORK")
		if *update {
			archive[i].text = text
		} else if diff := cmp.Diff(f.text, text); diff != "" {
			t.Errorf("%s (-want +got):\n%s", f.name, diff)
		}
	}
	if _, shown := files["error"]; !shown && err != nil {
		t.Error(err)
	}
	if *update {
		if err := os.WriteFile(name, formatArchive(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// changes is the configuration as JSON, without what is built in.
func changes(t *testing.T, base, c Config) string {
	t.Helper()
	tree := func(c Config) (m map[string]any) {
		b, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(b, &m); err != nil {
			t.Fatal(err)
		}
		return m
	}
	var prune func(a, b map[string]any) map[string]any
	prune = func(a, b map[string]any) map[string]any {
		out := map[string]any{}
		for k, v := range b {
			inner, isMap := v.(map[string]any)
			old, wasMap := a[k].(map[string]any)
			switch {
			case isMap && wasMap:
				if p := prune(old, inner); len(p) > 0 {
					out[k] = p
				}
			case !cmp.Equal(a[k], v):
				out[k] = v
			}
		}
		return out
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(prune(tree(base), tree(c))); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func listed(entries []Entry) string {
	var b strings.Builder
	for _, e := range entries {
		if e.Origin.Layer != LayerBuiltin {
			fmt.Fprintf(&b, "%s = %s (%s, %s)\n", e.Key, e.Value, e.Origin, e.Origin.Layer)
		}
	}
	return b.String()
}
