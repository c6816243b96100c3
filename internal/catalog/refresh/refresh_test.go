package refresh

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"parley/internal/catalog"
)

var update = flag.Bool("update", false, "rewrite goldens")

var december = time.Date(2026, 12, 24, 10, 0, 0, 0, time.UTC)

// small is the package of testdata.
func small(t testing.TB) []txtar.File {
	t.Helper()
	a, err := txtar.ParseFile("testdata/package.txtar")
	if err != nil {
		t.Fatal(err)
	}
	return a.Files
}

func pack(t testing.TB, files []txtar.File) []byte {
	t.Helper()
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	w := tar.NewWriter(zip)
	for _, f := range files {
		err := w.WriteHeader(&tar.Header{Name: f.Name, Mode: 0o644, Size: int64(len(f.Data)), Typeflag: tar.TypeReg})
		if _, err2 := w.Write(f.Data); err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
	}
	if err := errors.Join(w.Close(), zip.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func sum(b []byte) string {
	s := sha512.Sum512(b)
	return "sha512-" + base64.StdEncoding.EncodeToString(s[:])
}

func released(tarball []byte) Release {
	return Release{Name: Package, Version: "2.0.0", Licence: "MIT", Integrity: sum(tarball), Published: december.Add(-36 * time.Hour)}
}

// What becomes of each kind of entry is the golden file.
func TestMake(t *testing.T) {
	tarball := pack(t, small(t))
	r := released(tarball)
	got, err := Make(r, tarball)
	if err != nil {
		t.Fatal(err)
	}
	got = strings.Replace(got, r.Integrity, "sha512-OF-THE-TARBALL", 1) // gzip's bytes are not promised
	const file = "testdata/models.golden"
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(file); err != nil || got != string(want) {
		t.Errorf("%s is not what came (%v):\n%s", file, err, got)
	}
}

// The same files make the same bytes, in whatever order they are packed, and however often.
func TestMakeTwice(t *testing.T) {
	files := small(t)
	var first string
	for range 20 {
		rand.Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
		tarball := pack(t, files)
		r := released(tarball)
		got, err := Make(r, tarball)
		if err != nil {
			t.Fatal(err)
		}
		got = strings.Replace(got, r.Integrity, "", 1)
		if first == "" {
			first = got
		}
		if got != first {
			t.Fatalf("two files:\n%s\n%s", first, got)
		}
	}
}

// Nothing is made of a tarball that is not the registry's, not under the licence, or not what it should be.
func TestRefused(t *testing.T) {
	good := pack(t, small(t))
	with := func(name, data string) []byte {
		return pack(t, append(slices.Clip(small(t)), txtar.File{Name: name, Data: []byte(data)}))
	}
	for _, c := range []struct {
		what    string
		tarball []byte
		change  func(*Release)
		want    string
	}{
		{"another tarball", append(slices.Clone(good), 0), func(r *Release) { r.Integrity = sum(good) }, "is not the registry's: its sum is sha512-"},
		{"no sum", good, func(r *Release) { r.Integrity = "" }, "is not the registry's"},
		{"another licence", good, func(r *Release) { r.Licence = "UNLICENSED" }, `under the licence "UNLICENSED", not MIT`},
		{"no date", good, func(r *Release) { r.Published = time.Time{} }, "does not tell when"},
		{"no tarball", []byte("<html>no such package</html>"), nil, "gzip"},
		{"half a tarball", good[:len(good)/2], nil, "EOF"},
		{"no data", pack(t, small(t)[:1]), nil, "there are no models in package/dist/providers/data/"},
		{"a file that is no JSON", with(folder+"new.json", "<html>"), nil, "new: invalid character"},
		{"a file of another form", with(folder+"new.json", "[1]"), nil, "new: json: cannot unmarshal array"},
		{"a window below 0", with(folder+"new.json", `{"openai-completions":{"a":{"type":"chat","id":"a","baseUrl":"https://a","contextWindow":-5}}}`), nil, "out of bounds"},
		{"a name with a line feed", with(folder+"new.json", `{"openai-completions":{"a":{"type":"chat","id":"a\nb","baseUrl":"https://a"}}}`), nil, "not a model's line"},
		{"a model that is there twice", with(folder+"new.json", `{"openai-completions":{"a":{"type":"chat","id":"a","baseUrl":"https://a"},"b":{"type":"chat","id":"a","baseUrl":"https://a"}}}`), nil, "new/a is out of order"},
		{"a file that is large when unpacked", with(folder+"new.json", strings.Repeat(" ", mostFile+1)), nil, "is larger than"},
	} {
		r := released(c.tarball)
		if c.change != nil {
			c.change(&r)
		}
		if text, err := Make(r, c.tarball); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %q, %v; want %s", c.what, brief(text), err, c.want)
		}
	}
}

func brief(text string) string { return text[:min(len(text), 40)] }

// source is an in-memory source.
func source(r Release, tarball []byte) Source {
	return Source{
		Latest:  func(context.Context, string) (Release, error) { return r, nil },
		Tarball: func(context.Context, Release) ([]byte, error) { return tarball, nil },
	}
}

// current is a catalog of which the package of testdata is the next version.
func current(t *testing.T) *catalog.Catalog {
	t.Helper()
	files := map[string][]byte{}
	for _, f := range small(t) {
		if provider, ok := strings.CutPrefix(f.Name, folder); ok && provider[0] != '.' {
			files[strings.TrimSuffix(provider, ".json")] = bytes.ReplaceAll(f.Data, []byte(`"input":2,"output":10`), []byte(`"input":3,"output":15`))
		}
	}
	files["anthropic"] = bytes.ReplaceAll(files["anthropic"], []byte("claude-haiku-4-5"), []byte("claude-haiku-4"))
	r := Release{Name: Package, Version: "1.9.9", Licence: "MIT", Integrity: "sha512-x", Published: december.AddDate(0, -1, 0)}
	text, err := r.compose(files)
	if err != nil {
		t.Fatal(err)
	}
	c, err := catalog.Open(text)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// A newer version is taken, with what it changes; the same and an older one change nothing.
func TestRefresh(t *testing.T) {
	tarball := pack(t, small(t))
	r := released(tarball)
	text, changes, err := Refresh(t.Context(), source(r, tarball), current(t), december)
	if err != nil {
		t.Fatal(err)
	}
	want := `anthropic/claude-haiku-4: gone
anthropic/claude-haiku-4-5: new
anthropic/claude-sonnet-9: price 3 15 0.1 2.5 → 2 10 0.1 2.5
openai/gpt-9-sol: price 3 15 0.1 - → 2 10 0.1 -
`
	var got strings.Builder
	for _, c := range changes {
		fmt.Fprintln(&got, c)
	}
	if got.String() != want {
		t.Errorf("got\n%swant\n%s", got.String(), want)
	}
	path := filepath.Join(t.TempDir(), "models.txt")
	if err := catalog.Save(path, text); err != nil {
		t.Fatal(err)
	}
	kept, word := catalog.Load(path)
	if kept.Version != "2.0.0" || word != "" {
		t.Errorf("what is loaded then is %s %s", kept.Version, word)
	}
	for what, change := range map[string]func(*Release){
		"the same version": func(r *Release) { r.Version = "1.9.9" },
		"an older one":     func(r *Release) { r.Published = december.AddDate(0, -2, 0) },
	} {
		old := r
		change(&old)
		from := source(old, nil)
		from.Tarball = func(context.Context, Release) ([]byte, error) { t.Error("it was fetched"); return nil, nil }
		if text, changes, err := Refresh(t.Context(), from, current(t), december); text != "" || changes != nil || err != nil {
			t.Errorf("%s: %q %v %v", what, brief(text), changes, err)
		}
	}
	if _, _, err := Refresh(t.Context(), source(r, tarball), catalog.Embedded(), december); err == nil || !strings.Contains(err.Error(), "it has 11 models, the current one") {
		t.Errorf("one with fewer than half of the models: %v", err)
	}
}

// A catalog that cannot be is not taken, though it can be read.
func TestPlausible(t *testing.T) {
	tarball := pack(t, small(t))
	good, err := Make(released(tarball), tarball)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what, text string
		now        time.Time
		want       string
	}{
		{"good", good, december, ""},
		{"of tomorrow, where the clock is behind", good, december.Add(-50 * time.Hour), ""},
		{"of next month", good, december.AddDate(0, -1, 0), "which is not yet"},
		{"older", strings.Replace(good, "dated 2026-12-22", "dated 2026-01-01", 1), december, "older than the current one"},
		{"cut", good[:len(good)-30], december, "its end is missing"},
		{"damaged", strings.Replace(good, "\t2 10 0.1 2.5", "\t2 10 0.1", 1), december, "its price is not one"},
		{"without a default", strings.ReplaceAll(good, "\ngpt-9", "\nopt-9"), december, "default of openai"},
	} {
		fresh, err := Plausible(c.text, current(t), c.now)
		if (c.want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), c.want) || err == nil && fresh.Version != "2.0.0" {
			t.Errorf("%s: %v; want %q", c.what, err, c.want)
		}
	}
}

// An npm registry that is asked over HTTP, with the form of its answers.
func TestHTTP(t *testing.T) {
	tarball := pack(t, small(t))
	r := released(tarball)
	var server *httptest.Server
	elsewhere := ""
	server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		switch q.URL.EscapedPath() {
		case "/npm/@earendil-works%2fpi-ai":
			at := server.URL
			if elsewhere != "" {
				at = elsewhere
			}
			err := json.NewEncoder(w).Encode(map[string]any{
				"name": Package, "dist-tags": map[string]string{"latest": "2.0.0", "beta": "3.0.0-1"},
				"time": map[string]time.Time{"created": december, "2.0.0": r.Published},
				"versions": map[string]any{"2.0.0": map[string]any{"license": "MIT",
					"dist": map[string]any{"integrity": r.Integrity, "tarball": at + "/npm/@earendil-works/pi-ai/-/pi-ai-2.0.0.tgz"}}},
			})
			if err != nil {
				t.Error(err)
			}
		case "/npm/@earendil-works/pi-ai/-/pi-ai-2.0.0.tgz":
			_, _ = w.Write(tarball)
		default:
			http.NotFound(w, q)
		}
	}))
	defer server.Close()
	ask := func(address string) error {
		text, _, err := Refresh(t.Context(), HTTP(server.Client(), address), current(t), december)
		if err == nil && !strings.Contains(text, "package "+Package+" 2.0.0") {
			t.Errorf("got %q", brief(text))
		}
		return err
	}
	if err := ask(server.URL + "/npm/"); err != nil {
		t.Error(err)
	}
	if err := ask(server.URL + "/other"); err == nil || !strings.Contains(err.Error(), "answers with status 404") {
		t.Errorf("a registry without the package: %v", err)
	}
	for _, elsewhere = range []string{"http://elsewhere.example", strings.Replace(server.URL, "http", "https", 1), "file://", "::"} {
		if err := ask(server.URL + "/npm"); err == nil || !strings.Contains(err.Error(), "the registry sends elsewhere") {
			t.Errorf("a tarball at %s: %v", elsewhere, err)
		}
	}
}

// npm in memory: what it was run with, and what it writes.
type fakeNPM struct {
	answers map[string]string
	tarball []byte
}

func (n fakeNPM) run(_ context.Context, dir, program string, args ...string) ([]byte, error) {
	line := program + " " + strings.Join(args, " ")
	if strings.HasPrefix(line, "npm pack ") {
		return nil, os.WriteFile(filepath.Join(dir, "earendil-works-pi-ai-2.0.0.tgz"), n.tarball, 0o600)
	}
	answer, ok := n.answers[line]
	if !ok {
		return nil, fmt.Errorf("no answer to %q of %q", line, slices.Collect(maps.Keys(n.answers)))
	}
	return []byte(answer), nil
}

// npm is asked by exact version, in the words that it answers in, and nothing of it is left behind.
func TestNPM(t *testing.T) {
	tarball := pack(t, small(t))
	dir := t.TempDir()
	view := "npm view --json " + Package
	npm := fakeNPM{map[string]string{
		view + " dist-tags.latest": `"2.0.0"`,
		view + "@2.0.0 name version license dist.integrity time": `{"name":"@earendil-works/pi-ai","version":"2.0.0","license":"MIT","dist.integrity":"` + sum(tarball) + `",
"time":{"created":"2026-05-07T13:41:19+00:00","modified":"2026-11-10T12:20:47+00:00","1.5.2":"2026-11-10T12:20:46+00:00","2.0.0":"2026-12-22T22:00:00+00:00"}}`,
	}, tarball}
	text, _, err := Refresh(t.Context(), NPM(npm.run, dir), current(t), december)
	if err != nil || !strings.Contains(text, "\ndated 2026-12-22\n") {
		t.Errorf("%v: %q", err, brief(text))
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
	npm.answers[view+" dist-tags.latest"] = `"9.9.9"`
	if _, _, err := Refresh(t.Context(), NPM(npm.run, dir), current(t), december); err == nil || !strings.Contains(err.Error(), "npm view "+Package+"@9.9.9") {
		t.Errorf("a version that is not there: %v", err)
	}
}

// Whatever a provider's file holds, it is refused, or what is made of it can be read and is the same again.
func FuzzConvert(f *testing.F) {
	for _, file := range small(f) {
		if strings.HasPrefix(file.Name, folder) {
			f.Add(file.Data)
		}
	}
	r := Release{Name: Package, Version: "1", Licence: "MIT", Integrity: "sha512-x", Published: december}
	f.Fuzz(func(t *testing.T, data []byte) {
		text, err := r.compose(map[string][]byte{"anthropic": data})
		if err != nil {
			return
		}
		c, err := catalog.Open(text)
		if err != nil || c.Check() != nil {
			t.Fatalf("%v %v", err, c.Check())
		}
		if again, err := r.compose(map[string][]byte{"anthropic": data}); again != text || err != nil {
			t.Errorf("%s\n%s\n%v", text, again, err)
		}
	})
}
