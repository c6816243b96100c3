package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"parley/test/need"
)

// The files of one session fail: its clients are told, in words; the other
// session of the same daemon does not notice; the first goes on afterwards.
func TestOtherSessionsGoOnWhenOneFails(t *testing.T) {
	t.Parallel()
	home := afresh(t)
	d, log, err := traced(t, home, filepath.Join(home.Store, "sessions", string(sessionA)), "-at", "20", "-do", "ENOSPC", "-keep")
	if err != nil {
		t.Fatal(err)
	}
	a := visitTo(home, sessionA)
	if want := fmt.Sprintf("limit: cannot write to %s: the disk is full: make room on it", sessionA); a.refused == nil || a.refused.Error() != want {
		t.Errorf("refused with %v, want %s", a.refused, want)
	}
	if b := visitTo(home, sessionB); b.refused != nil {
		t.Errorf("the other session: %v", b.refused)
	}
	out, err := home.Run("run", "--session", string(sessionA), "--model", "script/model.ndjson", "errand")
	if err != nil || out.Code != 1 || out.Out != "" || !strings.Contains(out.Err, "the disk is full") {
		t.Errorf("run: exit %d, stdout %q, stderr %q, %v", out.Code, out.Out, out.Err, err)
	}
	// What is kept can be read meanwhile.
	if out, err = home.Run("check", string(sessionA)); err != nil || out.Code != 0 {
		t.Errorf("check: exit %d, %s%s, %v", out.Code, out.Out, out.Err, err)
	}
	heal(t, d, log)
	if again := goOn(home, sessionA); again.refused != nil {
		t.Errorf("afterwards: %v", again.refused)
	}
	problems, err := a.problems(home)
	if err != nil || len(problems) > 0 {
		t.Errorf("%v\n%s", err, strings.Join(problems, "\n"))
	}
}

// Whatever happened to the files of one session: the daemon starts, says what is
// wrong with it, and all others are as they were.
func TestDaemonStartsBesideDamagedSession(t *testing.T) {
	t.Parallel()
	home := afresh(t)
	d, err := home.Serve()
	if err != nil {
		t.Fatal(err)
	}
	if a, b := visitTo(home, sessionA), visitTo(home, sessionB); a.refused != nil || b.refused != nil {
		t.Fatal(a.refused, b.refused)
	}
	// The last write is in the write-ahead log then, and not in the file.
	if err := d.Kill(); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(home.Store, "sessions", string(sessionA))
	kept := t.TempDir()
	if err := os.CopyFS(kept, os.DirFS(folder)); err != nil {
		t.Fatal(err)
	}
	for _, damage := range []struct {
		name string
		do   func(t *testing.T)
		lost bool // the session cannot be opened any more
	}{
		{"the last write is torn", func(t *testing.T) { cut(t, filepath.Join(folder, "log.db-wal"), -100) }, false},
		{"the write-ahead log ends early", func(t *testing.T) { cut(t, filepath.Join(folder, "log.db-wal"), -40000) }, false},
		{"the index of the write-ahead log is gone", func(t *testing.T) { remove(t, filepath.Join(folder, "log.db-shm")) }, false},
		{"the file is cut off", func(t *testing.T) {
			remove(t, filepath.Join(folder, "log.db-wal"))
			cut(t, filepath.Join(folder, "log.db"), 6000)
		}, true},
		{"the file is empty", func(t *testing.T) { cut(t, filepath.Join(folder, "log.db"), 0) }, true},
		{"the file is gone", func(t *testing.T) { remove(t, filepath.Join(folder, "log.db")) }, true},
		{"the file is something else", func(t *testing.T) { overwrite(t, filepath.Join(folder, "log.db"), 0, "these are words, and no data") }, true},
		{"a page is overwritten", func(t *testing.T) {
			remove(t, filepath.Join(folder, "log.db-wal"))
			overwrite(t, filepath.Join(folder, "log.db"), 4096, strings.Repeat("nonsense", 512))
		}, true},
	} {
		t.Run(damage.name, func(t *testing.T) {
			if err := os.RemoveAll(folder); err != nil {
				t.Fatal(err)
			}
			if err := os.CopyFS(folder, os.DirFS(kept)); err != nil {
				t.Fatal(err)
			}
			damage.do(t)
			d, err := home.Serve()
			if err != nil {
				t.Fatal(err)
			}
			defer d.Stop()
			list, err := home.Run("sessions", "list")
			if err != nil || list.Code != 0 || !strings.Contains(list.Out, string(sessionA)) || !strings.Contains(list.Out, string(sessionB)) {
				t.Errorf("list: exit %d, %s%s, %v", list.Code, list.Out, list.Err, err)
			}
			if b := goOn(home, sessionB); b.refused != nil {
				t.Errorf("the other session: %v", b.refused)
			}
			out, err := home.Run("check", string(sessionA))
			if err != nil {
				t.Fatal(err)
			}
			if !damage.lost {
				if a := goOn(home, sessionA); out.Code != 0 || a.refused != nil {
					t.Errorf("check: exit %d, %s%s; afterwards: %v", out.Code, out.Out, out.Err, a.refused)
				}
				return
			}
			if out.Code != 1 || out.Out != "" || !strings.Contains(out.Err, string(sessionA)+": its file is damaged") {
				t.Errorf("check: exit %d, stdout %q, stderr %q", out.Code, out.Out, out.Err)
			}
			if a := goOn(home, sessionA); a.refused == nil {
				t.Error("a session that cannot be read takes prompts")
			}
		})
	}
	// It can be thrown away.
	d, err = home.Serve()
	if err != nil {
		t.Fatal(err)
	}
	defer d.Stop()
	out, err := home.Run("sessions", "rm", string(sessionA))
	if err != nil || out.Code != 0 {
		t.Errorf("rm: exit %d, %s, %v", out.Code, out.Err, err)
	}
	if _, err := os.Stat(folder); !os.IsNotExist(err) {
		t.Errorf("its folder: %v", err)
	}
}

// cut shortens a file to n bytes, or by -n.
func cut(t *testing.T, path string, n int64) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if n < 0 {
		n += info.Size()
	}
	if n > info.Size() {
		t.Fatalf("%s has only %d bytes", path, info.Size())
	}
	if err := os.Truncate(path, n); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

func overwrite(t *testing.T, path string, at int64, text string) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err == nil {
		_, err = file.WriteAt([]byte(text), at)
	}
	if err == nil {
		err = file.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A file system that is read-only, for real: the daemon does not start, and says
// why; what is kept is not touched.
func TestDaemonRefusesReadOnlyStore(t *testing.T) {
	t.Parallel()
	if out, err := exec.Command("unshare", "-rm", "true").CombinedOutput(); err != nil {
		need.No(t, fmt.Errorf("no process gets a file system of its own here: %w %s", err, out))
	}
	home := afresh(t)
	d, err := home.Serve()
	if err != nil {
		t.Fatal(err)
	}
	if a := visitTo(home, sessionA); a.refused != nil {
		t.Fatal(a.refused)
	}
	if err := d.Stop(); err != nil {
		t.Fatal(err)
	}
	const script = `mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && exec "$2" run --model script/model.ndjson errand`
	cmd := home.Through("unshare", "-rm", "sh", "-c", script, "sh", home.Store, home.Parley())
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if code := cmd.ProcessState.ExitCode(); err == nil || code != 1 || len(out) > 0 || !strings.Contains(stderr.String(), syscall.EROFS.Error()) {
		t.Errorf("exit %d, stdout %q, stderr %q", code, out, stderr.String())
	}
	if d, err = home.Serve(); err != nil {
		t.Fatal(err)
	}
	defer d.Stop()
	if a := goOn(home, sessionA); a.refused != nil {
		t.Error(a.refused)
	}
}
