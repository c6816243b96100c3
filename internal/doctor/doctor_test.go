package doctor

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/google/go-cmp/cmp"

	"parley/internal/event/eventtest"
	"parley/internal/fence"
	"parley/internal/journal"
	"parley/internal/journal/sqlite"
	"parley/internal/runtime"
)

func status(code int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", "https://elsewhere.example.org/v1/models")
		w.WriteHeader(code)
		fmt.Fprint(w, body)
	}
}

// lists is a server that lists some models, in the forms of all wires, and tells no window.
func lists(names ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, q *http.Request) {
		if !strings.HasSuffix(q.URL.Path, "/models") || strings.HasPrefix(q.URL.Path, "/api") {
			http.NotFound(w, q)
			return
		}
		var ids, google []string
		for _, name := range names {
			ids, google = append(ids, `{"id":"`+name+`"}`), append(google, `{"name":"models/`+name+`"}`)
		}
		fmt.Fprintf(w, `{"data":[%s],"models":[%s]}`, strings.Join(ids, ","), strings.Join(google, ","))
	}
}

// What is said of each thing that can be broken, and whether that breaks it.
func TestFindings(t *testing.T) {
	for _, tt := range []struct {
		name   string
		hurt   func(p *patient)
		want   []string // parts of the report
		broken bool
	}{
		{"nothing", func(*patient) {}, []string{
			"✓ config: ROOT/home/.config/parley/config.jsonc", "✓ mine: HOST takes the key in MINE_KEY",
			"✓ providers: not set up: openai (OPENAI_API_KEY), ", "✓ model: mine/large, from ROOT/home/.config/parley/config.jsonc:1",
			"✓ catalog: 1262 models, of 2026-11-10, 12 days old", "✓ window: of mine/large: 65k tokens, from the server (max_model_len)",
			"✓ store: ROOT/home/.local/share/parley will be made", "✓ disk: 1.0 TiB left", "✓ socket: ROOT/parley/parley.sock; nobody listens yet",
			"✓ daemon: none runs", "✓ bash: /usr/bin/bash", "✓ git: /usr/bin/git", "✓ rg: /usr/bin/rg",
		}, false},

		// Keys and servers.
		{"a wrong key", func(p *patient) {
			p.answer = status(401, `{"error":{"message":"Incorrect API key provided: planted-key"}}`)
		},
			[]string{"✗ mine: HOST refuses the key (status 401) in MINE_KEY\n  → put a valid key into MINE_KEY"}, true},
		{"a forbidden key", func(p *patient) { p.answer = status(403, "") }, []string{"✗ mine: HOST refuses the key (status 403)"}, true},
		{"a wrong key of Gemini", func(p *patient) {
			p.settings = ""
			p.Env["GEMINI_API_KEY"], p.Env["GOOGLE_GEMINI_BASE_URL"] = "planted-key", p.server.URL
			p.answer = func(w http.ResponseWriter, q *http.Request) {
				if q.Header.Get("X-Goog-Api-Key") != "planted-key" || q.URL.Path != "/v1beta/models" {
					t.Errorf("asked %s with %q", q.URL, q.Header)
				}
				status(400, `{"error":{"status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}}`)(w, q)
			}
		}, []string{"✗ gemini: HOST refuses the key (status 400) in GEMINI_API_KEY"}, true},
		{"a key of Anthropic", func(p *patient) {
			p.settings = ""
			p.Env["ANTHROPIC_API_KEY"], p.Env["ANTHROPIC_BASE_URL"] = "planted-key", p.server.URL
			p.answer = func(w http.ResponseWriter, q *http.Request) {
				if strings.HasPrefix(q.URL.Path, "/api") || q.URL.Path == "/props" {
					http.NotFound(w, q)
					return
				}
				if q.Header.Get("X-Api-Key") != "planted-key" || q.Header.Get("Anthropic-Version") == "" || q.URL.Path != "/v1/models" {
					t.Errorf("asked %s with %q", q.URL, q.Header)
				}
				fmt.Fprint(w, `{"data":[{"type":"model","id":"claude-sonnet-5-5"},{"type":"model","id":"claude-opus-5-5"}],"has_more":false}`)
			}
		}, []string{"✓ anthropic: HOST takes the key in ANTHROPIC_API_KEY", "✓ model: anthropic/claude-sonnet-5-5, which is anthropic/default, the newest claude-sonnet that the server lists; of the first provider that is ready",
			"✓ window: of anthropic/claude-sonnet-5-5: 1.0M tokens, from the catalog (anthropic/claude-sonnet-5-5, of 2026-11-10)"}, false},
		{"no key", func(p *patient) { delete(p.Env, "MINE_KEY") }, []string{"✗ mine: MINE_KEY is not set\n  → set it to a key of http://HOST"}, true},
		{"no key for what is not used", func(p *patient) {
			p.settings = strings.Replace(p.settings, `{"mine"`, `{"other": {"type": "anthropic", "api_key_env": "OTHER_KEY"}, "mine"`, 1)
		}, []string{"! other: OTHER_KEY is not set"}, false},
		{"no variable for a header", func(p *patient) {
			p.settings = strings.Replace(p.settings, `"api_key_env"`, `"headers": {"X": "${TEAM}"}, "api_key_env"`, 1)
		}, []string{"✗ mine: provider mine: the header X wants the environment variable TEAM, which is not set"}, true},
		{"no provider", func(p *patient) { p.settings = ""; p.Env["OLLAMA_HOST"] = "127.0.0.1:1" },
			[]string{"! ollama: 127.0.0.1:1: connection refused", "✗ model: there is none: no provider is ready"}, true},
		{"a server that is down", func(p *patient) { p.server.Close() }, []string{"✗ mine: HOST: connection refused\n  → start the server, or correct providers.mine.base_url"}, true},
		{"a server that says nothing", func(p *patient) {
			p.wait = 50 * time.Millisecond
			over := make(chan bool)
			p.t.Cleanup(func() { close(over) })
			p.answer = func(http.ResponseWriter, *http.Request) { <-over }
		}, []string{"✗ mine: HOST: no answer within 50ms"}, true},
		{"a server without a list", func(p *patient) { p.answer = status(404, "not found") }, []string{"! mine: HOST answers, but has no list of models (status 404)"}, false},
		{"a server in trouble", func(p *patient) { p.answer = status(503, "planted-key") }, []string{"! mine: HOST answers with status 503"}, false},
		{"another server", func(p *patient) { p.answer = status(200, "<html>planted-key") }, []string{"! mine: HOST answers, but not with a list of models"}, false},
		{"a redirect", func(p *patient) { p.answer = status(302, "") }, []string{"! mine: HOST redirects to elsewhere.example.org (status 302), which is not followed"}, false},
		{"an address that is none", func(p *patient) {
			p.settings = ""
			p.Env["OPENAI_API_KEY"], p.Env["OPENAI_BASE_URL"] = "planted-key", "localhost"
		},
			[]string{"! openai: the base URL is not an http or https address"}, false},

		// Models and what is known of them.
		{"a model that its server does not list", func(p *patient) { p.settings = strings.Replace(p.settings, "mine/large", "mine/larg", 1) },
			[]string{"! model: mine/larg, from ROOT/home/.config/parley/config.jsonc:1: its server does not list larg; near to it: large\n  → name one that it has, such as mine/default"}, false},
		{"an entry that its server does not list", func(p *patient) {
			p.settings = strings.Replace(p.settings, `"api_key_env"`, `"models": {"large": {}, "tiny": {"context": 5}}, "api_key_env"`, 1)
		}, []string{"! mine: mine/tiny is configured, and its server does not list tiny; 'parley models mine' shows what it lists\n  → correct providers.mine.models.tiny"}, false},
		{"a window that nobody tells", func(p *patient) { p.answer = lists("large") },
			[]string{"! window: of mine/large: 128k tokens, a guess: neither the configuration, the server nor the catalog tells it\n  → say it in providers.mine.models.large.context"}, false},
		{"a model that ends soon", func(p *patient) {
			p.settings = `{"model": "openai/gpt-5"}`
			p.Env["OPENAI_API_KEY"], p.Env["OPENAI_BASE_URL"] = "planted-key", p.server.URL
			p.answer = lists("gpt-5", "gpt-6-sol")
		}, []string{"! model: openai/gpt-5, from ROOT/home/.config/parley/config.jsonc:1: its vendor ends it on 2026-12-10\n  → name another one, such as openai/default"}, false},
		{"a model that has ended", func(p *patient) {
			p.settings = `{"model": "gemini/gemini-2.5-pro"}`
			p.Env["GEMINI_API_KEY"], p.Env["GOOGLE_GEMINI_BASE_URL"] = "planted-key", p.server.URL
			p.answer = lists("gemini-3.1-pro-preview")
		}, []string{"! model: gemini/gemini-2.5-pro, from ROOT/home/.config/parley/config.jsonc:1: its server does not list gemini-2.5-pro (its vendor ends it on 2026-10-16); near to it: gemini-3.1-pro-preview"}, false},
		{"a catalog that is old", func(p *patient) { p.Now = func() time.Time { return november().AddDate(0, 9, 0) } },
			[]string{"! catalog: 1262 models, of 2026-11-10, 9 months old: `parley models --refresh` gets a newer one\n  → parley models --refresh"}, false},
		{"a refreshed catalog that is damaged", func(p *patient) {
			p.Models = runtime.NewModels(runtime.Builtin, p.write("home/.local/share/parley/models.txt", "parley-catalog 1\n", 0o600), november)
		}, []string{"! catalog: the catalog of models in ROOT/home/.local/share/parley/models.txt cannot be used", "✓ catalog: 1262 models, of 2026-11-10"}, false},

		// Configuration.
		{"a bad file", func(p *patient) { p.settings = "{\n  \"modle\": \"mine/large\",\n}" },
			[]string{"✗ config: ROOT/home/.config/parley/config.jsonc:2:3: unknown key \"modle\": did you mean \"model\"?"}, true},
		{"a rule that is none", func(p *patient) { p.settings = `{"permission": {"allow": ["bash(git"]}}` },
			[]string{"✗ config: ROOT/home/.config/parley/config.jsonc:1:27: permission.allow: "}, true},
		{"no file where one is named", func(p *patient) { p.settings = ""; p.Env["PARLEY_CONFIG"] = p.path("none.jsonc") },
			[]string{"! config: ROOT/none.jsonc, which PARLEY_CONFIG names, is not there"}, true},
		{"a workspace's own file", func(p *patient) {
			p.write("project/.parley/config.jsonc", "{\"permission\": {\"allow\": [\"*\"]},\n\"fetch\": {\"private\": true}}", 0o600)
		}, []string{"! config: ROOT/project/.parley/config.jsonc is not trusted; what it says of fetch.private, permission.allow does not count\n  → read it, then: parley config trust ROOT/project/.parley/config.jsonc"}, false},
		{"a file for everybody", func(p *patient) {
			p.Env["PARLEY_CONFIG"] = p.write("c.jsonc", strings.ReplaceAll(p.settings, "SERVER", p.server.URL), 0o666)
		}, []string{"✗ config: ROOT/c.jsonc can be written by any user (mode 0666)\n  → chmod 600 ROOT/c.jsonc"}, true},
		{"a secret for everybody", func(p *patient) {
			p.Env["PARLEY_CONFIG"] = p.write("c.jsonc", strings.ReplaceAll(strings.Replace(p.settings, `"api_key_env"`, `"headers": {"X": "planted-key"}, "api_key_env"`, 1), "SERVER", p.server.URL), 0o644)
		}, []string{"! config: ROOT/c.jsonc holds a header's value and can be read by others (mode 0644)"}, false},
		{"damaged rules", func(p *patient) { p.write("home/.local/share/parley/rules.json", "{", 0o600) }, []string{"✗ rules: read what you decided: ROOT/home/.local/share/parley/rules.json is damaged"}, true},
		{"a rule of another version", func(p *patient) {
			p.write("home/.local/share/parley/rules.json", `{"version": 1, "user": {"allow": ["bash(git"]}}`, 0o600)
		}, []string{"✗ rules: ", "→ parley config rules rm 'bash(git'"}, true},
		{"trust that is not known", func(p *patient) {
			p.write("project/.parley/config.jsonc", `{"model": "mine/small"}`, 0o600)
			p.write("home/.local/share/parley/trust.json", "{", 0o600)
		}, []string{"✗ config: ROOT/project/.parley/config.jsonc: whether it is trusted is not known"}, true},

		// The fence.
		{"a full fence", func(p *patient) { p.detect = func() fence.State { return fence.State{Kind: fence.Full} } }, []string{"✓ fence: full: commands can change the workspace only, and connect to what is allowed"}, false},
		{"a fence for files", func(p *patient) {
			p.detect = func() fence.State { return fence.State{Kind: fence.Files, Why: "no namespaces", Fix: "allow them"} }
		}, []string{"! fence: files only: no namespaces. Commands can change nothing outside of the workspace; nothing holds on the network, or on what they read\n  → allow them"}, false},
		{"no fence", func(p *patient) {
			p.detect = func() fence.State { return fence.State{Kind: fence.None, Why: "no Linux"} }
		}, []string{"! fence: none: no Linux. Commands that are allowed have all of your rights"}, false},
		{"a fence that is off", func(p *patient) {
			p.settings = strings.Replace(p.settings, "{", `{"sandbox": {"fence": "off"}, `, 1)
		}, []string{"! fence: it is switched off: commands that are allowed have all of your rights\n  → remove sandbox.fence from the configuration"}, false},

		// The store and its disk.
		{"a store", func(p *patient) { p.store() }, []string{"✓ store: ROOT/home/.local/share/parley; nobody has it open", "✓ sessions: 1, whose files look well"}, false},
		{"a store that is read whole", func(p *patient) { p.store(); p.Deep = true }, []string{"✓ sessions: 1, whose files are well"}, false},
		{"a store in memory", func(p *patient) { p.Env["PARLEY_STORE"] = "memory:" }, []string{"✓ store: in memory"}, false},
		{"a store of another kind", func(p *patient) { p.Env["PARLEY_STORE"] = "postgres:db" }, []string{`✗ store: "postgres:db" is no store`}, true},
		{"a store that is a file", func(p *patient) { p.Env["PARLEY_STORE"] = p.write("file", "", 0o600) }, []string{"✗ store: ROOT/file is not a folder"}, true},
		{"a store below a file", func(p *patient) { p.Env["PARLEY_STORE"] = p.write("file", "", 0o600) + "/store" }, []string{"✗ store: ROOT/file/store: not a directory"}, true},
		{"sessions for everybody", func(p *patient) {
			path, _ := p.store()
			if err := os.Chmod(filepath.Join(path, "sessions"), 0o755); err != nil {
				t.Fatal(err)
			}
		}, []string{"! store: other users can read your sessions (mode 0755)"}, false},
		{"a full disk", func(p *patient) {
			p.space = func(string) (space, error) { return space{free: 3 << 20}, nil }
		}, []string{"✗ disk: the disk of ROOT/home is full: 3.0 MiB left\n  → make room"}, true},
		{"a disk that is nearly full", func(p *patient) {
			p.store()
			p.space = func(string) (space, error) { return space{free: 100 << 20}, nil }
		}, []string{"! disk: the disk of ROOT/home/.local/share/parley has 100 MiB left"}, false},
		{"a disk without files", func(p *patient) {
			p.space = func(string) (space, error) { return space{free: 1 << 40, files: 3, countsFiles: true}, nil }
		}, []string{"✗ disk: the disk of ROOT/home takes no more than 3 files"}, true},
		{"a session's file that is none", func(p *patient) {
			_, file := p.store()
			if err := os.WriteFile(file, []byte("lost"), 0o600); err != nil {
				t.Fatal(err)
			}
		}, []string{"✗ sessions: ROOT/home/.local/share/parley/sessions/SESSION/log.db: damaged: it is not a SQLite file\n  → take it from a backup, or: parley sessions rm SESSION"}, true},
		{"a session's file that was cut", func(p *patient) {
			_, file := p.store()
			if err := os.Truncate(file, 5000); err != nil {
				t.Fatal(err)
			}
		}, []string{"log.db: damaged: it has 5000 bytes of "}, true},
		{"a session without a file", func(p *patient) {
			_, file := p.store()
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
		}, []string{"log.db: no such file or directory"}, true},
		{"a page that is damaged, at a glance", func(p *patient) { _, file := p.store(); scribble(t, file) }, []string{"✓ sessions: 1, whose files look well"}, false},
		{"a page that is damaged", func(p *patient) { _, file := p.store(); scribble(t, file); p.Deep = true }, []string{"✗ sessions: ROOT/home/.local/share/parley/sessions/SESSION/log.db: damaged: "}, true},
		{"a store that another daemon has", func(p *patient) {
			path, _ := p.store()
			s, err := sqlite.Open(path, journal.Options{})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { s.Close() })
			if err := journal.Announce(path, journal.Holder{PID: 4711, Listen: []string{"native+/there"}}); err != nil {
				t.Fatal(err)
			}
			p.Deep = true
		}, []string{"✓ store: ROOT/home/.local/share/parley; pid 4711 has it open and listens on native+/there", "✓ sessions: 1, whose files are well"}, false},

		// The socket and the daemon.
		{"a stale socket", func(p *patient) {
			l, err := net.Listen("unix", p.socketPath())
			if err != nil {
				t.Fatal(err)
			}
			l.(*net.UnixListener).SetUnlinkOnClose(false)
			if err := errors.Join(os.Chmod(p.socketPath(), 0o600), l.Close()); err != nil {
				t.Fatal(err)
			}
		}, []string{"✗ socket: ROOT/parley/parley.sock is stale: nobody listens, its daemon did not end by itself\n  → rm ROOT/parley/parley.sock", "✓ daemon: none runs"}, true},
		{"a file in the socket's place", func(p *patient) { p.socketPath(); p.write("parley/parley.sock", "", 0o600) }, []string{"✗ socket: ROOT/parley/parley.sock is there and is not a socket"}, true},
		{"a socket for everybody", func(p *patient) {
			p.wait = 50 * time.Millisecond
			p.listen(p.socketPath())
			if err := os.Chmod(p.socketPath(), 0o666); err != nil {
				t.Fatal(err)
			}
		}, []string{"✗ socket: other users can connect to ROOT/parley/parley.sock (mode 0666)\n  → chmod 600 ROOT/parley/parley.sock"}, true},
		{"a socket of somebody else", func(p *patient) {
			p.wait = 50 * time.Millisecond
			p.listen(p.socketPath())
			p.Env["PARLEY_SOCKET"] = p.socketPath()
			p.uid++
		}, []string{"✗ socket: ROOT/parley/parley.sock belongs to another user"}, true},
		{"a folder for everybody", func(p *patient) {
			if err := os.Chmod(p.mkdir("parley"), 0o755); err != nil {
				t.Fatal(err)
			}
		}, []string{"✗ socket: ROOT/parley is open to other users (mode 0755): chmod 700 ROOT/parley"}, true},
		{"a folder that is a link", func(p *patient) {
			if err := os.Symlink(p.mkdir("elsewhere"), p.path("parley")); err != nil {
				t.Fatal(err)
			}
		}, []string{"✗ socket: ROOT/parley is a link"}, true},
		{"no folder for it", func(p *patient) { p.Env["XDG_RUNTIME_DIR"] = p.path("gone/deep") }, []string{"✗ socket: ROOT/gone/deep is not there\n  → make that folder"}, true},
		{"a path that is too long", func(p *patient) { p.Env["PARLEY_SOCKET"] = p.path(strings.Repeat("long/", 30) + "s") }, []string{"✗ socket: socket path: ROOT/long/", "→ set PARLEY_SOCKET to a shorter path"}, true},
		{"a daemon that does not answer", func(p *patient) { p.wait = 50 * time.Millisecond; p.listen(p.socketPath()) },
			[]string{"✓ socket: ROOT/parley/parley.sock", "✗ daemon: it takes the connection, but does not answer within 50ms"}, true},
		{"no daemon where one is named", func(p *patient) { p.Socket, p.Chosen = p.path("own.sock"), true }, []string{"✗ daemon: none runs on ROOT/own.sock\n  → parley serve --socket ROOT/own.sock"}, true},

		// What is around it.
		{"no programs", func(p *patient) { p.look = func(string) (string, error) { return "", exec.ErrNotFound } },
			[]string{"✗ bash: neither bash nor sh is on the PATH", "! git: not on the PATH", "! rg: not on the PATH; grep is slower"}, true},
		{"only sh", func(p *patient) {
			p.look = func(name string) (string, error) {
				if name == "bash" {
					return "", exec.ErrNotFound
				}
				return "/bin/" + name, nil
			}
		}, []string{"! bash: not on the PATH; commands run in /bin/sh"}, false},
		{"another locale", func(p *patient) { p.Env["LC_ALL"] = "de_DE.ISO-8859-1" }, []string{`! locale: "de_DE.ISO-8859-1" is not UTF-8`}, false},
		{"a proxy", func(p *patient) { p.Env["HTTPS_PROXY"] = "http://user:planted-key@127.0.0.1:1" }, []string{"✓ proxy: servers of models are called by way of HTTPS_PROXY"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newPatient(t)
			p.t = t
			tt.hurt(p)
			got, broken := p.examined()
			if strings.Contains(got, "planted-key") {
				t.Error("the key is shown")
			}
			got = strings.NewReplacer(p.root, "ROOT", strings.TrimPrefix(p.server.URL, "http://"), "HOST", string(eventtest.Session), "SESSION").Replace(got)
			for _, want := range tt.want {
				if !strings.Contains(got, want) {
					t.Errorf("not said: %s", want)
				}
			}
			if broken != tt.broken {
				t.Errorf("broken: %t", broken)
			}
			if t.Failed() {
				t.Logf("it says:\n%s", got)
			}
		})
	}
}

// The doctor leaves everything as it was, also with --deep.
func TestExamineChangesNothing(t *testing.T) {
	p := newPatient(t)
	p.store()
	p.Deep = true
	p.write("home/.config/parley/config.jsonc", strings.ReplaceAll(p.settings, "SERVER", p.server.URL), 0o600)
	before := snapshot(t, p.root)
	if got, broken := p.examined(); broken {
		t.Fatal(got)
	}
	if diff := cmp.Diff(before, snapshot(t, p.root)); diff != "" {
		t.Errorf("files (-before +after):\n%s", diff)
	}
}

// snapshot is all files below a folder, with what they hold.
func snapshot(t *testing.T, root string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.Walk(root, func(path string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		out[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// What the environment and the size of a terminal make of it; one that is too
// small is said to be.
func TestExamineTerminal(t *testing.T) {
	for _, tt := range []struct {
		env         map[string]string
		rows, width uint16
		want        string
	}{
		{map[string]string{"TERM": "xterm-256color"}, 24, 80, "✓ terminal: xterm-256color, 80 columns, 24 rows, 256 colours\n✓ terminal: it is asked what it can do when it opens"},
		{map[string]string{"TERM": "xterm", "COLORTERM": "truecolor", "TMUX": "/tmp/tmux,1,0"}, 24, 80, "✓ terminal: xterm, 80 columns, 24 rows, true colour, in tmux\n"},
		{map[string]string{"TERM": "xterm", "NO_COLOR": "1"}, 24, 80, "✓ terminal: xterm, 80 columns, 24 rows, no colours (NO_COLOR)\n"},
		{map[string]string{"TERM": "xterm"}, 5, 30, "! terminal: xterm, 30 columns, 5 rows, 16 colours: that is little"},
		{map[string]string{"TERM": "dumb"}, 24, 80, "! terminal: TERM is \"dumb\": no colours"},
	} {
		p := newPatient(t)
		maps.Copy(p.Env, tt.env)
		screen, tty, err := pty.Open()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { screen.Close(); tty.Close() })
		if err := pty.Setsize(screen, &pty.Winsize{Rows: tt.rows, Cols: tt.width}); err != nil {
			t.Fatal(err)
		}
		p.Out = tty
		if got, _ := p.examined(); !strings.Contains(got, tt.want) {
			t.Errorf("%v: not said: %q; it says:\n%s", tt.env, tt.want, got)
		}
	}
}
