package tool_test

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"

	"parley/internal/tool"
)

// stuck is a file of a server that is gone.
type stuck struct{ until <-chan struct{} }

func (s stuck) Read([]byte) (int, error) {
	<-s.until
	return 0, io.EOF
}

// A read of /proc/kmsg or of a hung disk could not be ended: the run could not be stopped, nor the daemon.
func TestHungFileHoldsNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gone := make(chan struct{})
		defer close(gone)
		ctx, cancel := context.WithCancel(t.Context())
		read := make(chan error)
		go func() {
			_, err := io.ReadAll(tool.Ending(ctx, stuck{gone}))
			read <- err
		}()
		look := tool.Definition[struct{}]{
			Spec:    tool.Spec{Name: "look", Schema: []byte(`{"type":"object"}`), Pattern: tool.PatternPath},
			Targets: func(tool.World, struct{}) (tool.Targets, error) { return tool.Targets{}, nil },
			Run: func(_ context.Context, _ tool.World, _ tool.Call, _ struct{}, grow tool.Grow) tool.Result {
				<-gone // where the open itself hangs, no context helps
				grow(tool.Stdout, "late")
				return tool.Result{}
			},
		}.Tool()
		ran := make(chan tool.Result)
		go func() {
			ran <- look.Run(ctx, tool.World{}, tool.Call{Name: "look"}, func(tool.Stream, string) { t.Error("output after the end") })
		}()
		synctest.Wait()
		cancel()
		if err := <-read; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if r := <-ran; r.Status != tool.Aborted {
			t.Errorf("%+v", r)
		}
	})
}
