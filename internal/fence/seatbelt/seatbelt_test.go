package seatbelt_test

import (
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/fence/seatbelt"
)

var update = flag.Bool("update", false, "rewrite the golden file")

// The profile of a usual workspace, as text; and what a path can do to it.
func TestText(t *testing.T) {
	got := seatbelt.Text(seatbelt.Rules{
		Write: []string{"/Users/u/work", "/Users/u/Library/Caches/go-build"},
		Guard: []string{"/Users/u/work/.git/hooks", "/Users/u/work/.git/config", "/Users/u/work/.envrc"},
		Hide:  []string{"/Users/u/.ssh", `/Users/u/odd " \ name`},
	})
	const file = "testdata/usual.sb"
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if d := cmp.Diff(string(want), got); d != "" || err != nil {
		t.Error(d, err)
	}
}

// A program keeps its arguments, and gets the profile before them.
func TestWrap(t *testing.T) {
	got := seatbelt.Wrap(seatbelt.Rules{Write: []string{"/w"}}, "/bin/bash", []string{"bash", "-c", "x"})
	want := []string{"sandbox-exec", "-p", seatbelt.Text(seatbelt.Rules{Write: []string{"/w"}}), "/bin/bash", "-c", "x"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"sandbox-exec", "-p", seatbelt.Text(seatbelt.Rules{}), "/bin/true"}, seatbelt.Wrap(seatbelt.Rules{}, "/bin/true", nil)); d != "" {
		t.Error(d)
	}
}
