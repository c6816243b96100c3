package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// Trust is in a path and its bytes; it is kept, and can be taken back.
func TestTrustIsInPathAndBytes(t *testing.T) {
	s := NewStore(filepath.Join(t.TempDir(), "data", "parley"))
	trusted := func(path, sum string) bool {
		t.Helper()
		ok, err := s.Trusted(path, sum)
		if err != nil {
			t.Fatal(err)
		}
		return ok
	}
	if trusted("/a", Sum(nil)) || trusted("/a", "") {
		t.Errorf("an empty store trusts")
	}
	if err := s.Trust("/a", Sum([]byte("1"))); err != nil {
		t.Fatal(err)
	}
	got := []bool{
		trusted("/a", Sum([]byte("1"))), trusted("/a", Sum([]byte("2"))), trusted("/b", Sum([]byte("1"))), trusted("/b", ""),
	}
	if diff := cmp.Diff([]bool{true, false, false, false}, got); diff != "" {
		t.Errorf("trusted (-want +got):\n%s", diff)
	}
	if err := s.Distrust("/a"); err != nil || trusted("/a", Sum([]byte("1"))) {
		t.Errorf("trust that was taken back: %v", err)
	}
	stat, err := os.Stat(filepath.Join(s.dir, "trust.json"))
	if err != nil || stat.Mode().Perm() != 0o600 {
		t.Errorf("mode of trust.json: %v, %v", stat.Mode(), err)
	}
}

// A rule stands in one list of one scope.
func TestRuleStandsInOneList(t *testing.T) {
	s := NewStore(t.TempDir())
	for _, err := range []error{
		s.AddProjectRule("/w", "allow", "bash(go test:*)"),
		s.AddProjectRule("/w", "allow", "bash(a && b <c>)"),
		s.AddProjectRule("/w", "allow", "bash(go test:*)"),
		s.AddProjectRule("/v", "deny", "edit"),
		s.AddUserRule("ask", "fetch"),
		s.AddProjectRule("/w", "deny", "bash(go test:*)"),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := s.AddUserRule("permit", "x"); err == nil {
		t.Errorf("an unknown effect is taken")
	}
	found, err := s.RemoveProjectRule("/v", "edit")
	missing, err2 := s.RemoveUserRule("edit")
	if err != nil || err2 != nil || !found || missing {
		t.Errorf("removed: %t, %v; not there: %t, %v", found, err, missing, err2)
	}
	w, err := s.ProjectRules("/w")
	user, err2 := s.UserRules()
	v, err3 := s.ProjectRules("/v")
	if err != nil || err2 != nil || err3 != nil {
		t.Fatal(err, err2, err3)
	}
	want := []Permission{{Allow: []string{"bash(a && b <c>)"}, Deny: []string{"bash(go test:*)"}}, {Ask: []string{"fetch"}}, {}}
	if diff := cmp.Diff(want, []Permission{w, user, v}, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("rules (-want +got):\n%s", diff)
	}
	b, err := os.ReadFile(filepath.Join(s.dir, "rules.json"))
	if err != nil || !strings.Contains(string(b), "bash(a && b <c>)") {
		t.Errorf("the file is not for people: %v\n%s", err, b)
	}
}

// Of many writers at once none loses another's rule, and readers see whole files.
func TestConcurrentRules(t *testing.T) {
	dir := t.TempDir()
	var wait sync.WaitGroup
	const writers, each = 8, 5
	for i := range writers {
		wait.Go(func() {
			s := NewStore(dir)
			for j := range each {
				if err := s.AddUserRule("allow", fmt.Sprintf("bash(%d %d)", i, j)); err != nil {
					t.Error(err)
				}
				if _, err := s.UserRules(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	rules, err := NewStore(dir).UserRules()
	if err != nil || len(rules.Allow) != writers*each {
		t.Errorf("%d rules, want %d: %v", len(rules.Allow), writers*each, err)
	}
	left, err := filepath.Glob(filepath.Join(dir, "*.tmp"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// What cannot be read is an error that names the file; it is not replaced, and
// what it says is not guessed.
func TestDamagedStore(t *testing.T) {
	s := NewStore(t.TempDir())
	path := filepath.Join(s.dir, "rules.json")
	for text, want := range map[string]string{
		`{"version":1,"user":`: path + " is damaged",
		`{"version":2}`:        path + " has version 2, and this program knows 1",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := s.UserRules()
		for _, err := range []error{err, s.AddUserRule("allow", "x")} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %s", text, err, want)
			}
		}
		if b, _ := os.ReadFile(path); string(b) != text {
			t.Errorf("%s was replaced by %s", text, b)
		}
	}
}

// A folder that cannot be written to is a clear error, and keeps what it has.
func TestReadOnlyStore(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	err := NewStore(filepath.Join(file, "parley")).AddUserRule("allow", "x")
	if err == nil || !strings.HasPrefix(err.Error(), "keep what you decided: ") || !strings.Contains(err.Error(), file) {
		t.Errorf("a folder below a file: %v", err)
	}
}
