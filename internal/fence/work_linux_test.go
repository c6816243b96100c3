package fence_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/fence"
	"parley/test/need"
)

// A project is small but real: its files, what is done with it, and what has to come of it.
type project struct {
	needs   string
	files   map[string]string
	prepare string // outside, before
	script  string
	want    string // in the output
	check   string // outside, afterwards: has to succeed
}

// projects are the main job.
var projects = map[string]project{
	"go test": {
		needs: "go",
		files: map[string]string{
			"go.mod": "module sum\n\ngo 1.24\n",
			"sum.go": "package sum\n\n// Of adds.\nfunc Of(a, b int) int { return a + b }\n",
			"sum_test.go": `package sum

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
)

func TestOf(t *testing.T) {
	if Of(1, 2) != 3 {
		t.Error("wrong")
	}
	if err := os.WriteFile(t.TempDir()+"/x", nil, 0o600); err != nil {
		t.Error(err)
	}
}

func TestServer(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "served") }))
	defer s.Close()
	r, err := http.Get(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	if b, err := io.ReadAll(r.Body); string(b) != "served" || err != nil {
		t.Error(string(b), err)
	}
}
`,
		},
		script: "GOFLAGS=-mod=mod GOPROXY=off go test ./... && go vet ./... && go build ./... && gofmt -l .",
		want:   "ok  \tsum",
	},
	"npm ci": {
		needs: "npm",
		files: map[string]string{
			"package.json":      `{"name": "app", "version": "1.0.0", "dependencies": {"near": "file:near"}, "scripts": {"test": "node test.js"}}`,
			"near/package.json": `{"name": "near", "version": "1.0.0", "main": "index.js"}`,
			"near/index.js":     "module.exports = () => 'near by'\n",
			"test.js":           "const server = require('http').createServer((q, r) => r.end(require('near')())).listen(0, '127.0.0.1', () => fetch('http://127.0.0.1:' + server.address().port).then(r => r.text()).then(t => { console.log(t); server.close() }))\n",
			"package-lock.json": `{"name": "app", "version": "1.0.0", "lockfileVersion": 3, "requires": true, "packages": {
				"": {"name": "app", "version": "1.0.0", "dependencies": {"near": "file:near"}},
				"near": {"version": "1.0.0"}, "node_modules/near": {"resolved": "near", "link": true}}}`,
		},
		script: "npm ci --no-audit --no-fund && npm test",
		want:   "near by",
		check:  "test -e node_modules/near/index.js",
	},
	"python": {
		needs: "python3",
		files: map[string]string{
			"test_it.py": `import http.server, multiprocessing, os, subprocess, tempfile, threading, unittest, urllib.request

def double(n): return 2 * n

class Test(unittest.TestCase):
    def test_server(self):
        s = http.server.HTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
        threading.Thread(target=s.serve_forever, daemon=True).start()
        with urllib.request.urlopen("http://127.0.0.1:%d/" % s.server_port) as r: self.assertEqual(r.status, 200)
        s.shutdown(); s.server_close()
    def test_processes(self):
        with multiprocessing.Pool(3) as pool: self.assertEqual(pool.map(double, [1, 2]), [2, 4])
    def test_files(self):
        with tempfile.NamedTemporaryFile() as f: f.write(b"x")
        self.assertEqual(subprocess.check_output(["cat", "/proc/self/comm"]), b"cat\n")

unittest.main()
`,
		},
		script: "python3 test_it.py",
		want:   "OK",
	},
	"make": {
		needs:  "make",
		files:  map[string]string{"Makefile": "all: a b\n\ta() { echo $$((1+1)); }; a | sort | tee sum\na b:\n\tdate > $@\n"},
		script: "make -j4 && cat sum && cd a 2>/dev/null || true",
		want:   "2\n",
		check:  "test -e a && test -e b",
	},
	"cc": {
		needs:  "cc",
		files:  map[string]string{"hello.c": "#include <stdio.h>\nint main(void) { puts(\"compiled\"); return 0; }\n"},
		script: "cc -O2 -o hello hello.c && ./hello",
		want:   "compiled\n",
	},
	"git commit": {
		needs:   "git",
		files:   map[string]string{"a.txt": "one\n"},
		prepare: "rm -rf .git .parley deep .env && git init -q -b main . && git config user.name A && git config user.email a@b.c && git add a.txt && git commit -qm first",
		script:  "echo two >> a.txt && git add -A . && git commit -qm second && git checkout -qb side && echo three >> a.txt && git commit -qam third && git stash list && git checkout -q main && git merge -q side && git log --oneline | wc -l && git status --short && git gc -q && git worktree list",
		want:    "3\n",
		check:   "git fsck && test $(git rev-list --count HEAD) = 3 && git diff --quiet HEAD && ! git log --name-only | grep envrc",
	},
	"git init": {
		needs:   "git",
		prepare: "rm -rf .git",
		script:  "git init -q -b main && git -c user.name=A -c user.email=a@b.c commit -q --allow-empty -m first && git log --oneline | wc -l",
		want:    "1\n",
		check:   "git log && test -d .git/hooks",
	},
	"pipeline": {
		needs:  "sh",
		script: "seq 1000 | sort -r | head -n 1 | tee /dev/stderr 2>/dev/null; mkfifo p; (echo through > p &) ; cat p; cat <<X\nhere\nX\n",
		want:   "through\nhere\n",
	},
	"terminal": {
		needs:  "python3",
		script: `python3 -c 'import pty, sys; sys.exit(pty.spawn(["sh", "-c", "test -t 0 && tty && echo on a terminal"]))' </dev/null`,
		want:   "on a terminal",
	},
}

// The main job works in a full fence, and nothing of it is told that was not stopped.
func TestMainJob(t *testing.T) {
	requires(t, fence.Full)
	for name, p := range projects {
		t.Run(name, func(t *testing.T) { work(t, p) })
	}
}

// In long runs, cargo too: it takes its time.
func TestCargo(t *testing.T) {
	requires(t, fence.Full)
	need.Asked(t, need.Long(), "make long")
	work(t, project{
		needs: "cargo",
		files: map[string]string{
			"Cargo.toml":  "[package]\nname = \"hello\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
			"src/main.rs": "fn main() { println!(\"built\"); }\n#[test]\nfn adds() { assert_eq!(1 + 1, 2) }\n",
		},
		script: "cargo build -q --offline && cargo test -q --offline && ./target/debug/hello", want: "built\n",
	})
}

func work(t *testing.T, p project) {
	t.Helper()
	w := newWorld(t)
	env := append(w.place.Env, toolchains(t)...)
	need.Program(t, p.needs)
	w.place.Env = env
	for name, text := range p.files {
		w.write(filepath.Join(w.Root, name), text)
	}
	outside := func(script string) {
		cmd := exec.Command("sh", "-e", "-c", script)
		cmd.Dir, cmd.Env = w.Root, env
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("outside: %s: %s %v", script, out, err)
		}
	}
	outside(p.prepare)
	profile := fence.Standard(w.place)
	profile.Show = []string{w.Home}
	out, exit := w.run(profile, p.script)
	if exit.Code != 0 || !strings.Contains(out, p.want) {
		t.Fatalf("%s\n%+v", out, exit)
	}
	told := exit.Told
	told.Changed = nil
	if !told.Zero() {
		t.Errorf("%+v\n%s", told, out)
	}
	outside(p.check)
}

// toolchains are the variables by which tools find their caches, where they are the real ones: to fill
// others takes minutes.
func toolchains(t *testing.T) []string {
	t.Helper()
	var env []string
	home, _ := os.UserHomeDir()
	for variable, path := range map[string]string{"GOCACHE": home + "/.cache/go-build", "GOMODCACHE": home + "/go/pkg/mod", "RUSTUP_HOME": home + "/.rustup"} {
		if _, err := os.Stat(path); err == nil {
			env = append(env, variable+"="+path)
		}
	}
	return env
}
