package local

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/tool"
)

// Without a process table an abort still ends the process group.
func TestNoProcessTable(t *testing.T) {
	m := machine{Options: Options{Grace: time.Millisecond, Linger: time.Millisecond}, table: func() []process { return nil }}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	exit, err := m.exec(ctx, tool.Command{
		Args: []string{"/bin/sh", "-c", "trap '' TERM; echo ready; sleep 99; sleep 99"}, Dir: "/", Env: os.Environ(),
		Output: func(tool.Stream, []byte) { cancel() },
	})
	if d := cmp.Diff(tool.Exit{Code: 137, Signal: "killed"}, exit); d != "" || err != nil {
		t.Error(d, err)
	}
}

// The variable that marks a process is found as a whole assignment only.
func TestMarkIsAWholeAssignment(t *testing.T) {
	environ := []byte("A=1\x00PARLEY_CALL=abc\x00B=PARLEY_CALL=xyz\x00")
	for mark, want := range map[string]bool{
		"PARLEY_CALL=abc": true, "A=1": true, "PARLEY_CALL=ab": false, "PARLEY_CALL=xyz": false, "CALL=abc": false,
	} {
		if contains(environ, mark) != want {
			t.Errorf("%s: %v", mark, !want)
		}
	}
}
