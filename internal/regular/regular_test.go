package regular_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"parley/internal/regular"
)

// A pipe in the place of log.db hung the daemon, and /proc/kmsg a run: neither can be ended from outside.
func TestReadsThatWaitForNobody(t *testing.T) {
	dir := t.TempDir()
	pipe, plain := filepath.Join(dir, "pipe"), filepath.Join(dir, "plain")
	if err := errors.Join(syscall.Mkfifo(pipe, 0o600), os.WriteFile(plain, []byte("text"), 0o600), os.Symlink(plain, filepath.Join(dir, "link"))); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{pipe, "/dev/null", dir} {
		if _, err := regular.Read(path, 10); !errors.Is(err, regular.ErrSpecial) {
			t.Errorf("%s: %v", path, err)
		}
	}
	for _, name := range []string{"plain", "link"} {
		if text, err := regular.Read(filepath.Join(dir, name), 3); string(text) != "tex" || err != nil {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
	if f, err := regular.Open("/proc/kmsg"); err == nil { // Linux, as root
		defer f.Close()
		for range 1 << 20 {
			if _, err = f.Read(make([]byte, 64<<10)); err != nil {
				break
			}
		}
		if !errors.Is(err, syscall.EAGAIN) && !errors.Is(err, syscall.EPERM) {
			t.Errorf("at the end of what there is: %v", err)
		}
	}
}
