package doctor

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/internal/client"
	"parley/internal/config"
	"parley/internal/event/eventtest"
	"parley/internal/journal"
	"parley/internal/journal/sqlite"
	"parley/internal/runtime"
	"parley/internal/wire"
)

// A patient is a world in which nothing is broken, until a test breaks it.
type patient struct {
	*examination
	t        *testing.T
	root     string
	server   *httptest.Server
	answer   http.HandlerFunc // of the server
	settings string           // the user's configuration; SERVER stands for its address
}

// november is when these tests play: what is known of models has a date.
func november() time.Time { return time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC) }

func newPatient(t *testing.T) *patient {
	t.Helper()
	root, err := os.MkdirTemp("", "parley-t-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(root); err != nil {
			t.Error(err)
		}
	})
	p := &patient{t: t, root: root, settings: `{"model": "mine/large", "providers": {"mine": {"type": "openai-chat", "base_url": "SERVER", "api_key_env": "MINE_KEY"}}}`}
	p.answer = func(w http.ResponseWriter, q *http.Request) {
		if q.Header.Get("Authorization") != "Bearer planted-key" {
			t.Errorf("asked %s with %q", q.URL, q.Header)
		}
		if q.URL.Path != "/v1/models" {
			http.NotFound(w, q) // it is not one of those that tell a window elsewhere
			return
		}
		fmt.Fprint(w, `{"data":[{"id":"large","max_model_len":65536}]}`)
	}
	p.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) { p.answer(w, q) }))
	t.Cleanup(p.server.Close)
	p.examination = newExamination(Options{Providers: runtime.Builtin, Models: runtime.NewModels(runtime.Builtin, "", november), Now: november, In: os.Stdin, Dir: filepath.Join(root, "project"), Build: "patient", Env: config.Env{
		"HOME": filepath.Join(root, "home"), "XDG_RUNTIME_DIR": root, "PATH": os.Getenv("PATH"), "LANG": "C.UTF-8", "MINE_KEY": "planted-key",
	}})
	p.wait, p.asked = 5*time.Minute, 5*time.Minute // who answers has all the time that it needs
	p.Find = func(ctx context.Context) (*client.Conn, error) {
		return client.Dial(ctx, client.Options{Socket: p.Socket, AnyBuild: true, Hello: wire.Hello{Name: "patient", Version: "1", Build: p.Build, Cwd: p.Dir}})
	}
	p.space = func(string) (space, error) { return space{free: 1 << 40, files: 1 << 20, countsFiles: true}, nil }
	p.look = func(name string) (string, error) { return "/usr/bin/" + name, nil }
	p.mkdir("project")
	return p
}

func (p *patient) path(name string) string { return filepath.Join(p.root, name) }

func (p *patient) mkdir(name string) string {
	p.t.Helper()
	if err := os.MkdirAll(p.path(name), 0o700); err != nil {
		p.t.Fatal(err)
	}
	return p.path(name)
}

func (p *patient) write(name, text string, mode os.FileMode) string {
	p.t.Helper()
	p.mkdir(filepath.Dir(name))
	if err := os.WriteFile(p.path(name), []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
	// Not subject to the umask, as the mode of WriteFile is.
	if err := os.Chmod(p.path(name), mode); err != nil {
		p.t.Fatal(err)
	}
	return p.path(name)
}

// examined is what is found, as text, and whether any of it is broken.
func (p *patient) examined() (text string, broken bool) {
	p.t.Helper()
	if p.settings != "" {
		p.write("home/.config/parley/config.jsonc", strings.ReplaceAll(p.settings, "SERVER", p.server.URL), 0o600)
	}
	var err error
	if p.Paths, err = config.NewPaths(p.Env, p.uid); err != nil {
		p.t.Fatal(err)
	}
	if !p.Chosen {
		p.Socket = p.Paths.Socket
	}
	p.examine(p.t.Context())
	for _, f := range p.found {
		text += map[Condition]string{Good: "✓", Poor: "!", Broken: "✗"}[f.State] + " " + f.Name + ": " + f.What + "\n"
		if f.Do != "" {
			text += "  → " + f.Do + "\n"
		}
		broken = broken || f.State == Broken
	}
	return text, broken
}

// socket makes the socket's folder and returns the socket's path.
func (p *patient) socketPath() string { return filepath.Join(p.mkdir("parley"), "parley.sock") }

// listen takes connections and never says a word.
func (p *patient) listen(path string) {
	p.t.Helper()
	l, err := net.Listen("unix", path)
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { l.Close() })
	if err := os.Chmod(path, 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// store makes a store with one session.
func (p *patient) store() (path, file string) {
	p.t.Helper()
	path = p.path("home/.local/share/parley")
	s, err := sqlite.Open(path, journal.Options{})
	if err != nil {
		p.t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			p.t.Fatal(err)
		}
	}()
	log, err := s.Create(p.t.Context(), eventtest.Session)
	if err != nil {
		p.t.Fatal(err)
	}
	if err := log.Close(); err != nil {
		p.t.Fatal(err)
	}
	return path, filepath.Join(path, "sessions", string(eventtest.Session), "log.db")
}

// scribble spoils every page but the first, which the header is in.
func scribble(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if len(text) < 2*4096 {
		t.Fatalf("%s has %d bytes", file, len(text))
	}
	for i := 4096; i < len(text); i++ {
		text[i] ^= 0x5a
	}
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
}
