package fence_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/internal/fence"
	"parley/test/need"
)

// requires says that a test is about a fence that this machine may not have.
func requires(t *testing.T, kind fence.Kind) {
	t.Helper()
	state := fence.Detect()
	if state.Kind == fence.Full || state.Kind == kind {
		return
	}
	need.No(t, fmt.Errorf("this machine has no fence of kind %s: %s. %s", kind, state.Why, state.Fix))
}

// A hostile program in a fence reaches what the promises say, and nothing else. What root has more rights
// for than the promises speak of, only the ordinary user's run tries.
func TestPromises(t *testing.T) {
	for _, kind := range []fence.Kind{fence.Full, fence.Files} {
		t.Run(string(kind), func(t *testing.T) {
			requires(t, kind)
			for _, promise := range fence.Promises {
				want := promise.Full
				if kind == fence.Files {
					want = promise.Files
				}
				if os.Getuid() == 0 && (kind == fence.Files || want == fence.Bounded) {
					continue
				}
				t.Run(promise.Attempt, func(t *testing.T) {
					if attempts[promise.Attempt] == nil {
						t.Fatal("nobody tries it")
					}
					w := newWorld(t)
					w.serve()
					w.victims()
					p := w.profile()
					if promise.Attempt == "make repository" {
						w.place.Root += "-empty"
						p = w.profile()
					}
					r := w.try(promise.Attempt, kind, p)
					if got := w.outcome(promise.Attempt, r); got != want {
						t.Errorf("%s, not %s: %s", got, want, r.output)
					}
				})
			}
		})
	}
}

// beyond are attempts in which an ordinary user fails without a fence too, or only on some machines.
var beyond = []string{"mount", "raw", "make devices", "vsock", "setuid", "terminal", "namespaces", "dangerous calls"}

// Without a fence the same program gets through: the attempts are real ones. Root gets through more, so
// that only the ordinary user's run tells.
func TestAttempts(t *testing.T) {
	if os.Getuid() == 0 {
		return
	}
	for _, promise := range fence.Promises {
		t.Run(promise.Attempt, func(t *testing.T) {
			w := newWorld(t)
			w.serve()
			w.victims()
			r := w.try(promise.Attempt, fence.None, w.profile())
			if promise.Attempt == "stay" {
				r.through = running(w.Mark)
			}
			if !r.through && !slices.Contains(beyond, promise.Attempt) {
				t.Errorf("it fails without a fence: %s", r.output)
			}
			t.Log(r.through, r.output)
		})
	}
}

// outcome looks from outside at what a program that got through has reached.
func (w *world) outcome(attempt string, r result) fence.Outcome {
	if !r.through {
		if attempt == "fork bomb" {
			return fence.Bounded
		}
		return fence.Refused
	}
	switch attempt {
	case "stay":
		if !running(w.Mark) {
			return fence.Refused
		}
	case "write cache":
		if text, err := os.ReadFile(w.Cache); err == nil && string(text) == "secret\n" {
			return fence.Private
		}
	case "lead git elsewhere", "make repository":
		path := w.Root + "/.git/commondir"
		if attempt == "make repository" {
			path = w.Root + "-empty/.git"
		}
		if _, err := os.Lstat(path); err != nil && len(r.told.Aside) == 1 {
			return fence.Undone
		}
	case "change what runs later":
		if slices.Equal(r.told.Changed, []string{".husky/pre-commit", "AGENTS.md", "Makefile"}) {
			return fence.Reported
		}
	}
	return fence.Reached
}

// running says whether a process has a text among its arguments, and ends it.
func running(mark string) bool {
	paths, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	found := false
	for _, path := range paths {
		if line, _ := os.ReadFile(path); strings.HasPrefix(string(line), "sleep\x00"+mark) {
			found = true
			end(filepath.Base(filepath.Dir(path)))
		}
	}
	return found
}
