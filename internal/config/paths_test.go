package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Every path comes from the environment that is given, by the XDG rules.
func TestNewPaths(t *testing.T) {
	for _, test := range []struct {
		name string
		env  Env
		want Paths
		err  string
	}{
		{name: "home", env: Env{"HOME": "/home/u"}, want: Paths{
			Config: "/home/u/.config/parley/config.jsonc", Data: "/home/u/.local/share/parley", State: "/home/u/.local/state/parley", Catalog: "/home/u/.local/share/parley/models.txt",
			Store: "sqlite:/home/u/.local/share/parley", Log: "/home/u/.local/state/parley/daemon.log",
			Socket: "/tmp/parley-7/parley.sock", Private: "/tmp/parley-7",
		}},
		{name: "xdg", env: Env{
			"XDG_CONFIG_HOME": "/c", "XDG_DATA_HOME": "/d/", "XDG_STATE_HOME": "/s", "XDG_RUNTIME_DIR": "/run/user/7", "PARLEY_DEBUG": "1",
		}, want: Paths{
			Config: "/c/parley/config.jsonc", Data: "/d/parley", State: "/s/parley", Catalog: "/d/parley/models.txt",
			Store: "sqlite:/d/parley", Log: "/s/parley/daemon.log",
			Socket: "/run/user/7/parley/parley.sock", Private: "/run/user/7/parley", Debug: true,
		}},
		{name: "relative", env: Env{
			"HOME": "/h", "XDG_CONFIG_HOME": "c", "XDG_DATA_HOME": "", "XDG_RUNTIME_DIR": "run", "TMPDIR": "tmp", "PARLEY_DEBUG": "0",
		}, want: Paths{
			Config: "/h/.config/parley/config.jsonc", Data: "/h/.local/share/parley", State: "/h/.local/state/parley", Catalog: "/h/.local/share/parley/models.txt",
			Store: "sqlite:/h/.local/share/parley", Log: "/h/.local/state/parley/daemon.log",
			Socket: "/tmp/parley-7/parley.sock", Private: "/tmp/parley-7",
		}},
		{name: "own", env: Env{
			"HOME": "/h", "TMPDIR": "/t", "PARLEY_CONFIG": "/x/c.jsonc", "PARLEY_STORE": "memory:", "PARLEY_SOCKET": "/x/s",
		}, want: Paths{
			Config: "/x/c.jsonc", Data: "/h/.local/share/parley", State: "/h/.local/state/parley", Catalog: "/h/.local/share/parley/models.txt",
			Store: "memory:", Log: "/h/.local/state/parley/daemon.log", Socket: "/x/s",
		}},
		{name: "no home", env: Env{"XDG_CONFIG_HOME": "/c", "XDG_DATA_HOME": "/d"},
			err: "neither HOME nor XDG_STATE_HOME is an absolute path: set one of them"},
		{name: "relative own", env: Env{"HOME": "/h", "PARLEY_CONFIG": "c", "PARLEY_SOCKET": "s"},
			err: "PARLEY_CONFIG is \"c\", which is not an absolute path\nPARLEY_SOCKET is \"s\", which is not an absolute path"},
	} {
		got, err := NewPaths(test.env, 7)
		if text := errorText(err); text != test.err {
			t.Errorf("%s: error %s, want %s", test.name, text, test.err)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// A socket path is refused exactly where the system would refuse or cut it.
func TestCheckSocket(t *testing.T) {
	if err := CheckSocket("/" + strings.Repeat("x", maxSocket-2)); err != nil {
		t.Errorf("the longest path: %v", err)
	}
	err := CheckSocket("/" + strings.Repeat("x", maxSocket-1))
	if err == nil || !strings.Contains(err.Error(), "set PARLEY_SOCKET, or XDG_RUNTIME_DIR, to a shorter path") {
		t.Errorf("a byte more: %v", err)
	}
	if CheckSocket("/a\x00b") == nil {
		t.Errorf("a NUL byte is taken")
	}
}

// The folder of the socket is the user's alone, or there is no socket.
func TestMakePrivate(t *testing.T) {
	tmp := t.TempDir()
	uid := os.Getuid()
	at := func(name string) string { return filepath.Join(tmp, name) }
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(MakePrivate(at("new"), uid))
	must(MakePrivate(at("new"), uid))
	if stat, err := os.Stat(at("new")); err != nil || stat.Mode().Perm() != 0o700 {
		t.Errorf("the new folder: %v, %v", stat.Mode(), err)
	}
	must(os.Symlink(at("new"), at("link")))
	must(os.WriteFile(at("file"), nil, 0o600))
	must(os.Mkdir(at("open"), 0o700))
	must(os.Chmod(at("open"), 0o750))
	for name, want := range map[string]string{
		"link": "is a link", "file": "is not a folder", "open": "is open to other users (mode 0750): chmod 700 ", "a/b": "no such file or directory",
	} {
		if err := MakePrivate(at(name), uid); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
	if err := MakePrivate(at("new"), uid+1); err == nil || !strings.Contains(err.Error(), "belongs to the user id") {
		t.Errorf("another's folder: %v", err)
	}
}

// A repository may put anything in the place of a file; it is not waited for.
func TestFileIsNotWaitedFor(t *testing.T) {
	root := t.TempDir()
	file := filepath.Join(root, workspaceFile)
	if err := os.MkdirAll(file, 0o755); err != nil {
		t.Fatal(err)
	}
	_, _, err := Load(Sources{Root: root, Dir: root})
	if want := file + ": it is not a file"; errorText(err) != want {
		t.Errorf("a folder: %v, want %s", err, want)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/dev/zero", file); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Load(Sources{Root: root, Dir: root}); errorText(err) != file+": it is not a file" {
		t.Errorf("an endless device: %v", err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, make([]byte, maxFile+1), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Load(Sources{Root: root, Dir: root}); errorText(err) != file+": the file is larger than 1048576 bytes" {
		t.Errorf("a huge file: %v", err)
	}
}
