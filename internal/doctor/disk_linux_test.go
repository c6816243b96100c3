package doctor

import (
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"

	"parley/test/need"
)

// mount puts a small file system of its own at a folder of the patient.
func (p *patient) mount(name, options string) string {
	p.t.Helper()
	path := p.mkdir(name)
	if err := syscall.Mount("tmpfs", path, "tmpfs", 0, options); errors.Is(err, syscall.EPERM) {
		need.No(p.t, err)
	} else if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() {
		if err := syscall.Unmount(path, 0); err != nil {
			p.t.Error(err)
		}
	})
	return path
}

// A disk that is really full, and a store that really cannot be written.
func TestExamineRealDisk(t *testing.T) {
	for _, tt := range []struct {
		name string
		hurt func(p *patient)
		want []string
	}{
		{"full", func(p *patient) {
			p.space = diskSpace
			store := p.mount("small", "size=64k,mode=700")
			p.Env["PARLEY_STORE"] = store
			// The rest of it goes to this file.
			if err := os.WriteFile(store+"/rest", make([]byte, 1<<20), 0o600); !errors.Is(err, syscall.ENOSPC) {
				p.t.Fatalf("a megabyte went into 64 KiB: %v", err)
			}
		}, []string{"✗ disk: the disk of ROOT/small is full: 0 bytes left\n  → make room"}},
		{"full of files", func(p *patient) {
			p.space = diskSpace
			p.Env["PARLEY_STORE"] = p.mount("small", "size=64m,nr_inodes=20,mode=700")
		}, []string{"✗ disk: the disk of ROOT/small takes no more than "}},
		{"read only", func(p *patient) {
			p.Env["PARLEY_STORE"] = p.mount("fixed", "size=64m,mode=700,ro")
		}, []string{"✗ store: ROOT/fixed cannot be written: read-only file system\n  → let it be written by you"}},
		{"read only, and not there yet", func(p *patient) {
			p.Env["PARLEY_STORE"] = p.mount("fixed", "size=64m,mode=700,ro") + "/store"
		}, []string{"✗ store: ROOT/fixed/store cannot be made: ROOT/fixed: read-only file system"}},
		{"no place for the log or the socket", func(p *patient) {
			p.Env["XDG_STATE_HOME"] = p.mount("fixed", "size=64m,mode=700,ro")
			p.Env["XDG_RUNTIME_DIR"] = p.Env["XDG_STATE_HOME"]
		}, []string{"! log: ROOT/fixed/parley/daemon.log cannot be written: read-only file system; the daemon runs without a log", "✗ socket: no socket can be made in ROOT/fixed: read-only file system"}},
		{"a folder of somebody else", func(p *patient) {
			p.Env["PARLEY_STORE"] = p.mkdir("mine")
			if err := os.Chmod(p.path("mine"), 0o500); err != nil {
				p.t.Fatal(err)
			}
			need.Asked(p.t, os.Getuid() != 0, "anybody but root, who can write everywhere")
		}, []string{"✗ store: ROOT/mine cannot be written: permission denied"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newPatient(t)
			p.t = t
			tt.hurt(p)
			got, broken := p.examined()
			got = strings.ReplaceAll(got, p.root, "ROOT")
			for _, want := range tt.want {
				if !strings.Contains(got, want) {
					t.Errorf("not said: %s", want)
				}
			}
			if !broken || t.Failed() {
				t.Errorf("broken: %t; it says:\n%s", broken, got)
			}
		})
	}
}
