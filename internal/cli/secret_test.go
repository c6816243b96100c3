package cli

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"parley/test/need"
	"parley/test/rig"
)

// planted are the secrets of the test: each in the environment or in the user's
// configuration, and used in requests. What must not be seen is their core.
var planted = []struct{ where, core, value string }{
	{"OPENAI_API_KEY", "k7Qw3nZt8RfYb2", "sk-planted-k7Qw3nZt8RfYb2"},
	{"GEMINI_API_KEY", "m4Vx9cJd6HsLp1", "planted-m4Vx9cJd6HsLp1"},
	{"TEAM_KEY", "e5Tg1uWo7KiXa3", "planted-e5Tg1uWo7KiXa3"},
	{"TEAM_TOKEN", "z8Bn2yCv5MqRd0", "planted-z8Bn2yCv5MqRd0"},
	{"header X-Literal", "h6Pj4sFe9GkUw7", "planted-h6Pj4sFe9GkUw7"},
}

// leaks names the secrets that a text holds, as they are or in base64.
func leaks(text string) []string {
	var out []string
	for _, s := range planted {
		if strings.Contains(text, s.core) || strings.Contains(text, base64.StdEncoding.EncodeToString([]byte(s.value))[:16]) {
			out = append(out, s.where)
		}
	}
	return out
}

// around is what stands beside the first secret of a text.
func around(text string) string {
	at := len(text)
	for _, s := range planted {
		if i := strings.Index(text, s.core); i >= 0 {
			at = min(at, i)
		}
	}
	return text[max(0, at-300):min(len(text), at+100)]
}

// modelServer speaks chat completions. It keeps what it was asked, and who it
// was told is asking.
type modelServer struct {
	*httptest.Server
	mu     sync.Mutex
	bodies []string
	seen   map[string]bool // secrets that came in headers
}

func newModelServer(t *testing.T, serve func(w http.ResponseWriter, q *http.Request, body string)) *modelServer {
	s := &modelServer{seen: map[string]bool{}}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		body, err := io.ReadAll(q.Body)
		if err != nil {
			t.Errorf("read a request: %v", err)
		}
		s.mu.Lock()
		s.bodies = append(s.bodies, string(body))
		for _, where := range leaks(fmt.Sprint(q.Header)) {
			s.seen[where] = true
		}
		s.mu.Unlock()
		serve(w, q, string(body))
	}))
	t.Cleanup(s.Close)
	return s
}

// refuse answers as servers do that repeat the key, and more than that.
func refuse(w http.ResponseWriter, q *http.Request, _ string) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Echo", q.Header.Get("Authorization"))
	w.WriteHeader(http.StatusUnauthorized)
	fmt.Fprintf(w, `{"error":{"message":"Incorrect API key provided: %s. You sent %s, %s and %s.","type":"invalid_request_error","code":"invalid_api_key"}}`,
		strings.TrimPrefix(q.Header.Get("Authorization"), "Bearer "), q.Header.Get("X-Literal"), q.Header.Get("X-Team"), q.Header.Get("X-Goog-Api-Key"))
}

// answer plays a call of bash and, once its output is there, an end.
func answer(command string) func(w http.ResponseWriter, q *http.Request, body string) {
	return func(w http.ResponseWriter, q *http.Request, body string) {
		if strings.HasSuffix(q.URL.Path, "/models") {
			fmt.Fprint(w, `{"object":"list","data":[{"id":"large"}]}`)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		chunk := func(delta, finish string) {
			fmt.Fprintf(w, "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"large\",\"choices\":[{\"index\":0,\"delta\":%s,\"finish_reason\":%s}]}\n\n", delta, finish)
		}
		if strings.Contains(body, `"tool_call_id"`) {
			chunk(`{"role":"assistant","content":"Done."}`, "null")
			chunk(`{}`, `"stop"`)
		} else {
			arguments := strconv.Quote(fmt.Sprintf(`{"command":%s}`, strconv.Quote(command)))
			chunk(`{"role":"assistant","tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"bash","arguments":`+arguments+`}}]}`, "null")
			chunk(`{}`, `"tool_calls"`)
		}
		fmt.Fprint(w, "data: [DONE]\n\n")
	}
}

// No secret is seen anywhere but in the headers of requests: not in what a
// command prints, nor in an export, the store, the log, a request's body or the
// list of processes.
func TestSecrets(t *testing.T) {
	need.Time(t)
	p := newHome(t)
	for _, s := range planted {
		if !strings.Contains(s.where, " ") {
			p.set(s.where, s.value)
		}
	}
	p.set("PARLEY_DEBUG", "1")
	p.set("PLAIN_VARIABLE", "is-passed-on")
	began, goOn := pipe(t, filepath.Join(p.Dir, "work", "began")), pipe(t, filepath.Join(p.Dir, "work", "go-on"))
	refusing := newModelServer(t, refuse)
	good := newModelServer(t, answer("env; echo > "+began.Name()+"; read x < "+goOn.Name()))
	p.set("OPENAI_BASE_URL", refusing.URL)
	p.set("GOOGLE_GEMINI_BASE_URL", refusing.URL)
	own := p.write("config/parley/config.jsonc", fmt.Sprintf(`{
		"model": "team/large",
		"providers": {
			"team": {"type": "openai-chat", "base_url": %q, "api_key_env": "TEAM_KEY",
				"headers": {"X-Literal": %q, "X-Team": "Bearer ${TEAM_TOKEN}"}},
			"refusing": {"type": "openai-chat", "base_url": %q, "api_key_env": "TEAM_KEY",
				"headers": {"X-Literal": %q, "X-Team": "${TEAM_TOKEN}"}, "models": {"large": {}}},
		},
	}`, good.URL, planted[4].value, refusing.URL, planted[4].value))
	p.write("work/.parley/config.jsonc", `{"providers": {"evil": {"type": "openai-chat", "base_url": "http://127.0.0.1:1", "api_key_env": "TEAM_KEY", "headers": {"X": "${TEAM_TOKEN}"}}}}`)

	printed := func(r ran, code int, args ...string) string {
		t.Helper()
		text := strings.Join(args, " ")
		if r.Code != code {
			t.Errorf("parley %s: want exit %d; %s", text, code, r)
		}
		if found := leaks(r.String()); found != nil {
			t.Errorf("parley %s shows %v: %s", text, found, around(r.String()))
		}
		return r.Out
	}
	command := func(code int, args ...string) string {
		t.Helper()
		return printed(p.run(args...), code, args...)
	}

	// The run whose command lists its environment, with a look at all processes
	// while that command waits.
	args := []string{"run", "--format", "native", "--allow", "bash", "list the environment"}
	done := make(chan ran, 1)
	go func() { done <- p.run(args...) }()
	waiting := make(chan error, 1)
	go func() {
		_, err := began.Read(make([]byte, 1))
		waiting <- err
	}()
	select {
	case err := <-waiting:
		if err != nil {
			t.Fatal(err)
		}
	case r := <-done:
		t.Fatalf("the command did not run: %s", r)
	}
	lines := commandLines(t)
	if found := leaks(lines); found != nil {
		t.Errorf("the command lines of the processes show %v", found)
	}
	for _, want := range []string{"serve\x00--auto", "read x < " + goOn.Name()} {
		if !strings.Contains(lines, want) {
			t.Errorf("no process has %q in its command line: the test looks at nothing", want)
		}
	}
	if _, err := goOn.WriteString("\n"); err != nil {
		t.Fatal(err)
	}
	log := printed(<-done, 0, args...)
	if !strings.Contains(log, "PLAIN_VARIABLE=is-passed-on") {
		t.Errorf("env printed nothing:\n%s", log)
	}

	for _, model := range []string{"refusing/large", "openai/gpt-5", "openai-chat/gpt-5", "gemini/gemini-2.5-pro"} {
		for _, format := range []string{"plain", "native"} {
			r := p.run("run", "--format", format, "--model", model, "hello")
			printed(r, 1, "run", model)
			if !strings.Contains(r.String(), "401") {
				t.Errorf("run %s: why it failed is not said: %s", model, r)
			}
		}
	}
	command(1, "doctor")
	command(1, "doctor", "--json", "--deep")
	command(0, "models")
	command(0, "models", "--json")
	command(0, "config")
	command(0, "config", "--json")
	command(0, "config", "get", "providers")
	command(0, "config", "trust", "--dry-run")
	command(0, "daemon", "status")
	command(0, "sessions", "list", "--json")
	ids := strings.Fields(command(0, "__complete", "sessions", "export", "sess-"))
	exported := 0
	for _, id := range ids {
		if strings.HasPrefix(id, "sess-") {
			exported++
			command(0, "sessions", "export", id)
			command(0, "sessions", "show", id)
		}
	}
	if exported != 9 {
		t.Errorf("%d sessions were exported, want 9: %q", exported, ids)
	}

	// Every secret was used, or the test shows nothing.
	for _, s := range planted {
		if !good.seen[s.where] && !refusing.seen[s.where] {
			t.Errorf("%s was in no request", s.where)
		}
	}
	for _, s := range []*modelServer{good, refusing} {
		for _, body := range s.bodies {
			if found := leaks(body); found != nil {
				t.Errorf("a request's body holds %v:\n%s", found, body)
			}
		}
	}
	p.searched(own)
	command(0, "daemon", "stop")
	if err := rig.Until(func() (bool, error) {
		pid, err := p.Holder()
		return pid == 0, err
	}); err != nil {
		t.Error(err)
	}
	p.searched(own)
}

// pipe makes a named pipe and opens both of its ends, so that neither side of
// the test waits for the other to open it.
func pipe(t *testing.T, name string) *os.File {
	t.Helper()
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// commandLines are those of all processes, as ps shows them to anybody.
func commandLines(t *testing.T) string {
	t.Helper()
	names, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if len(names) == 0 {
		need.No(t, errors.Join(err, errors.New("there is no /proc here")))
	}
	var all strings.Builder
	for _, name := range names {
		// A process may have ended since.
		text, err := os.ReadFile(name)
		if err == nil {
			all.Write(text)
			all.WriteByte('\n')
		}
	}
	return all.String()
}

// searched looks for secrets in every file of the home, the store and the log
// among them; own is the one file that holds one.
func (p home) searched(own string) {
	p.t.Helper()
	var names []string
	err := filepath.WalkDir(p.Dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // the daemon, which runs, has taken it away
		} else if err != nil {
			return err
		}
		names = append(names, path)
		if found := leaks(string(text)); (found != nil) != (path == own) {
			p.t.Errorf("%s holds %v", path, found)
		}
		return nil
	})
	if err != nil {
		p.t.Error(err)
	}
	all := strings.Join(names, "\n")
	for _, want := range []string{"/log.db", "/daemon.log"} {
		if !strings.Contains(all, want) {
			p.t.Errorf("no file %s was searched", want)
		}
	}
}
