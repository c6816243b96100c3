// Package tooltest is the suite that every tool passes: that it says clearly what it takes, refuses what it
// does not, fails as a Result, stays within the workspace and within its bounds.
//
// It works on real files in a temporary folder. What a tool is for is tested beside the tool.
package tooltest

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"parley/internal/event"
	"parley/internal/printout"
	"parley/internal/tool"
	"parley/internal/tool/local"
	"parley/internal/workspace"
)

// Suite says how to try a tool.
type Suite struct {
	Tool tool.Tool
	// World makes the World of a workspace; nil: [World].
	World func(t testing.TB, root string) tool.World
	// Calls are arguments that succeed in the workspace that Files makes.
	Calls []string
	// Path is the argument that names a file or directory, "" if there is none.
	Path string
	// Directory says that Path names a directory.
	Directory bool
}

// Files is what the suite's workspace holds, by path.
var Files = map[string]string{
	"README.md":      "# Greetings\n\nSay hello.\n",
	"src/hello.go":   "package main\n\nfunc main() {\n\tprintln(\"hello\")\n}\n",
	"src/data/a.txt": "alpha\nbeta\n",
	".gitignore":     "out/\n",
	"out/ignored.go": "package ignored // hello\n",
}

// Outside is what a file beside the workspace holds, which no call may read or change unasked.
const Outside = "hello, this is outside\n"

// Make writes Files to a new folder and returns it, with a file and a folder beside it that are outside,
// and links to both inside.
func Make(t testing.TB) (root, outside string) {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root, outside = filepath.Join(base, "workspace"), filepath.Join(base, "outside")
	for name, content := range Files {
		put(t, filepath.Join(root, name), content)
	}
	put(t, filepath.Join(outside, "hello.go"), Outside)
	for name, target := range map[string]string{"linked.go": outside + "/hello.go", "linked": outside, "src/up": "../.."} {
		if err := os.Symlink(target, filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	return root, outside
}

func put(t testing.TB, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
}

// World is the real World of a workspace, with whole outputs kept beside it.
func World(t testing.TB, root string) tool.World {
	t.Helper()
	r, err := workspace.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	jobs := tool.NewJobs(nil)
	t.Cleanup(jobs.Close)
	return local.World(local.Options{
		Root: r, Env: os.Environ(), Spill: filepath.Join(t.TempDir(), "outputs"), Seen: tool.NewSeen(), Jobs: jobs,
	})
}

// Run runs the suite.
func Run(t *testing.T, s Suite) {
	if s.World == nil {
		s.World = World
	}
	t.Run("spec", s.spec)
	t.Run("title", s.title)
	t.Run("arguments", s.arguments)
	t.Run("spellings", s.spellings)
	t.Run("calls", s.calls)
	t.Run("zero world", s.zero)
	t.Run("broken world", s.broken)
	t.Run("ended", s.ended)
	if s.Path != "" {
		t.Run("bounds", s.bounds)
	}
}

func (s Suite) call(arguments string) tool.Call {
	return tool.Call{ID: "call/../1", Name: s.Tool.Spec().Name, Arguments: json.RawMessage(arguments)}
}

// run runs a call and checks what holds for every result.
func (s Suite) run(t *testing.T, ctx context.Context, w tool.World, arguments string) tool.Result {
	t.Helper()
	var grown strings.Builder
	r := s.Tool.Run(ctx, w, s.call(arguments), func(stream tool.Stream, chunk string) {
		if stream != tool.Stdout && stream != tool.Stderr || !utf8.ValidString(chunk) || chunk == "" {
			t.Errorf("bad chunk %q on %q", chunk, stream)
		}
		grown.WriteString(chunk)
	})
	Check(t, r, grown.String())
	return r
}

// settled is what the end of a call repeats of what was shown live: all of it, but for what a terminal would have changed
// by then.
func settled(grown string) string {
	if !strings.ContainsAny(grown, "\r\b\x1b\a") {
		return grown
	}
	var p printout.Printout
	return p.Write(grown)
}

// Check fails the test where a result breaks the contract; grown is all that was shown live.
func Check(t testing.TB, r tool.Result, grown string) {
	t.Helper()
	switch {
	case r.Status != tool.Success && r.Status != tool.Error && r.Status != tool.Aborted:
		t.Errorf("status %q", r.Status)
	case r.Text == "" || len(r.Text) > tool.MaxText || !utf8.ValidString(r.Text):
		t.Errorf("a text of %d bytes, valid %v", len(r.Text), utf8.ValidString(r.Text))
	case r.Summary == "" || strings.Contains(r.Summary, "\n") || len(r.Summary) > 100:
		t.Errorf("summary %q", r.Summary)
	case !strings.HasPrefix(r.Text, settled(grown)):
		t.Errorf("what was shown live is not the beginning of the text:\n%s", cmp.Diff(grown, r.Text))
	}
}

func (s Suite) spec(t *testing.T) {
	spec := s.Tool.Spec()
	if spec.Name == "" || spec.Name != strings.ToLower(spec.Name) || len(spec.Description) < 20 {
		t.Errorf("name %q, description %q", spec.Name, spec.Description)
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal(spec.Schema, &schema); err != nil {
		t.Fatal(err)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	if schema.Type != "object" || schema.AdditionalProperties == nil {
		t.Error("the schema is not that of a closed object")
	}
	for name, p := range schema.Properties {
		if p.Description == "" && p.Type != "array" && p.Enum == nil {
			t.Errorf("%s has no description", name)
		}
	}
	for _, arguments := range s.Calls {
		var value any
		if err := json.Unmarshal([]byte(arguments), &value); err != nil {
			t.Fatal(err)
		}
		if err := resolved.Validate(value); err != nil {
			t.Errorf("%s does not fit the schema: %v", arguments, err)
		}
	}
	if d := cmp.Diff(spec, s.Tool.Spec()); d != "" {
		t.Errorf("the spec is not constant: %s", d)
	}
}

// title: a call that succeeds is told in a few words, one without arguments is told without, and nonsense harms nobody.
func (s Suite) title(t *testing.T) {
	titled, ok := s.Tool.(tool.Titled)
	if !ok {
		t.Fatal("it has no title")
	}
	for _, arguments := range s.Calls {
		title := tool.Title(s.Tool, json.RawMessage(arguments))
		if title != event.Title(title) || title == "" && arguments != "{}" {
			t.Errorf("%s: title %q", arguments, title)
		}
	}
	for _, arguments := range []string{``, `{}`, `null`, `[]`, `{"path":7,"command":{},"description":[1]}`, "\xff"} {
		titled.Title(json.RawMessage(arguments))
	}
}

// arguments: whatever does not fit is refused by Targets and by Run, in words that name what is wrong.
func (s Suite) arguments(t *testing.T) {
	root, _ := Make(t)
	w := s.World(t, root)
	var good map[string]json.RawMessage
	if err := json.Unmarshal([]byte(s.Calls[0]), &good); err != nil {
		t.Fatal(err)
	}
	type bad struct{ arguments, want string }
	cases := []bad{
		{`[]`, "must be an object"}, {`"x"`, "must be an object"}, {`null`, "must be an object"}, {`{`, "not valid JSON"},
		{`{} {}`, "not valid JSON"}, {strings.Repeat(`{"a":`, 1000) + `1` + strings.Repeat(`}`, 1000), "not valid JSON"},
		{with(good, "zzzzzzzz", `1`), "unknown argument zzzzzzzz"},
	}
	for _, name := range slices.Sorted(maps.Keys(good)) {
		cases = append(cases,
			bad{with(good, strings.ToUpper(name), `1`), strings.ToUpper(name) + " and " + name + " are one argument with two values"},
			bad{strings.Replace(with(good, name, string(good[name])), `{`, `{"`+name+`":`+string(good[name])+`,`, 1), "twice"},
			bad{with(good, name, `{"x":1}`), name + " must be"},
		)
	}
	var schema struct{ Required []string }
	if err := json.Unmarshal(s.Tool.Spec().Schema, &schema); err != nil {
		t.Fatal(err)
	}
	for _, name := range schema.Required {
		less := maps.Clone(good)
		delete(less, name)
		cases = append(cases, bad{with(less, "", ""), name + " is missing"})
	}
	for _, c := range cases {
		_, err := s.Tool.Targets(w, s.call(c.arguments))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Targets of %.200s: %v, want %q", c.arguments, err, c.want)
		}
		if r := s.run(t, context.Background(), w, c.arguments); r.Status != tool.Error || !strings.Contains(r.Text, c.want) {
			t.Errorf("Run of %.200s: %s %q, want %q", c.arguments, r.Status, r.Text, c.want)
		}
	}
}

// with is a call with one more or another argument.
func with(arguments map[string]json.RawMessage, name, value string) string {
	more := maps.Clone(arguments)
	if name != "" {
		more[name] = json.RawMessage(value)
	}
	out, err := json.Marshal(more)
	if err != nil {
		panic(err)
	}
	return string(out)
}

// calls: each of the suite's calls succeeds, also after it was granted just what it says it touches.
func (s Suite) calls(t *testing.T) {
	for _, arguments := range s.Calls {
		for _, granted := range []bool{false, true} {
			root, _ := Make(t)
			w := s.World(t, root)
			targets, err := s.Tool.Targets(w, s.call(arguments))
			if err != nil {
				t.Fatalf("%s: %v", arguments, err)
			}
			for _, p := range targets.Paths {
				if !p.Inside || p.Rel == "" || p.Write && s.Tool.Spec().ReadOnly {
					t.Errorf("%s: %+v", arguments, p)
				}
			}
			if p, ok := s.Tool.(tool.Previewer); ok {
				if preview, err := p.Preview(context.Background(), w, s.call(arguments)); err != nil || preview.Summary == "" {
					t.Errorf("%s: preview %+v, %v", arguments, preview, err)
				}
			}
			if granted {
				w = w.Grant(targets)
			}
			if r := s.run(t, context.Background(), w, arguments); r.Status != tool.Success {
				t.Errorf("%s: %+v", arguments, r)
			}
		}
	}
}

// zero: a World without effects refuses, and nothing panics.
func (s Suite) zero(t *testing.T) {
	for _, arguments := range s.Calls {
		r := s.run(t, context.Background(), tool.World{}, arguments)
		if r.Status != tool.Error || !strings.Contains(r.Text, tool.ErrRefused.Error()) {
			t.Errorf("%s: %+v", arguments, r)
		}
		if p, ok := s.Tool.(tool.Previewer); ok {
			if _, err := p.Preview(context.Background(), tool.World{}, s.call(arguments)); err == nil {
				t.Errorf("%s: a preview of nothing", arguments)
			}
		}
	}
}

// broken: an effect that panics fails the call alone.
func (s Suite) broken(t *testing.T) {
	root, _ := Make(t)
	w := s.World(t, root)
	w.Resolve = func(string) (tool.Target, error) { panic("a bug") }
	w.LookPath = func(string) (string, error) { panic("a bug") }
	w.Spawn = func(context.Context, tool.Agent) (tool.Result, error) { panic("a bug") }
	w.Now = func() time.Time { panic("a bug") }
	w.Dial = nil
	if r := s.run(t, context.Background(), w, s.Calls[0]); r.Status != tool.Error {
		t.Errorf("%+v", r)
	}
}

// ended: a call whose context is over does nothing and is aborted.
func (s Suite) ended(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	root, _ := Make(t)
	before := snapshot(t, root)
	for _, arguments := range s.Calls {
		if r := s.run(t, ctx, s.World(t, root), arguments); r.Status != tool.Aborted {
			t.Errorf("%s: %+v", arguments, r)
		}
	}
	if d := cmp.Diff(before, snapshot(t, root)); d != "" {
		t.Errorf("an aborted call changed files: %s", d)
	}
}

// bounds: no way of writing a path gets out unasked, a grant opens what it names, and a link that is put
// in place after the grant leads nowhere.
func (s Suite) bounds(t *testing.T) {
	var good map[string]json.RawMessage
	if err := json.Unmarshal([]byte(s.Calls[0]), &good); err != nil {
		t.Fatal(err)
	}
	root, outside := Make(t)
	w := s.World(t, root)
	beside := snapshot(t, outside)
	file := "/hello.go"
	if s.Directory {
		file = ""
	}
	at := func(path string) string {
		quoted, _ := json.Marshal(path)
		return with(good, s.Path, string(quoted))
	}
	for _, path := range []string{
		"../outside" + file, outside + file, "linked" + file, "src/up/outside" + file, "src/../linked" + file,
		"linked/../outside" + file, root + "/linked" + file, "/etc", "/", "..",
	} {
		targets, err := s.Tool.Targets(w, s.call(at(path)))
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range targets.Paths {
			if p.Inside || p.Rel != "" || p.Path == "" {
				t.Errorf("%s: %+v", path, p)
			}
		}
		r := s.run(t, context.Background(), w, at(path))
		if r.Status != tool.Error || strings.Contains(r.Text, "this is outside") || len(r.Images) > 0 {
			t.Errorf("%s: %+v", path, r)
		}
	}
	if d := cmp.Diff(beside, snapshot(t, outside)); d != "" {
		t.Fatalf("a refused call changed files outside: %s", d)
	}

	targets, err := s.Tool.Targets(w, s.call(at("linked"+file)))
	if err != nil {
		t.Fatal(err)
	}
	r := s.run(t, context.Background(), w.Grant(targets), at("linked"+file))
	if strings.Contains(r.Text, "outside the workspace") || strings.Contains(r.Text, "not what was permitted") {
		t.Errorf("granted: %+v", r)
	}

	inside := "src"
	if !s.Directory {
		inside = "src/hello.go"
	}
	targets, err = s.Tool.Targets(w, s.call(at(inside)))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(root, "src"), filepath.Join(root, "moved")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(root, "src")); err != nil {
		t.Fatal(err)
	}
	beside = snapshot(t, outside)
	r = s.run(t, context.Background(), w.Grant(targets), at(inside))
	if r.Status != tool.Error || !strings.Contains(r.Text, "not what was permitted") {
		t.Errorf("swapped: %+v", r)
	}
	if d := cmp.Diff(beside, snapshot(t, outside)); d != "" {
		t.Errorf("a swapped link changed files outside: %s", d)
	}
}

// snapshot is the content of every file below dir.
func snapshot(t testing.TB, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(path)
		files[path] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// Fuzz feeds a tool any arguments in a World without effects: it must answer with a result that keeps the
// contract.
func Fuzz(f *testing.F, tl tool.Tool, seeds ...string) {
	for _, seed := range append(seeds, `{}`, `null`, `{"path":null}`, `[{"path":"\u0000"}]`) {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, arguments []byte) {
		once(t, tl, arguments)
		c := tool.Call{Name: tl.Spec().Name, Arguments: tool.Normalise(tl, arguments)}
		_, _ = tl.Targets(tool.World{}, c)
		if p, ok := tl.(tool.Previewer); ok {
			_, _ = p.Preview(context.Background(), tool.World{}, c)
		}
		var grown strings.Builder
		r := tl.Run(context.Background(), tool.World{}, c, func(_ tool.Stream, chunk string) { grown.WriteString(chunk) })
		Check(t, r, grown.String())
		if strings.Contains(r.Text, "broke:") {
			t.Fatal(r.Text)
		}
	})
}
