package fence_test

import (
	"os/exec"
	"testing"

	"parley/internal/fence"
)

// What a fence costs each command: compare with "plain".
func BenchmarkTrue(b *testing.B) {
	b.Run("plain", func(b *testing.B) {
		for b.Loop() {
			if err := exec.Command("/bin/true").Run(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("files", func(b *testing.B) {
		w := newWorld(b)
		p := fence.Standard(w.place)
		for b.Loop() {
			cmd := exec.Command("/bin/true")
			end, err := fence.Confine(cmd, p)
			if err != nil {
				b.Fatal(err)
			}
			if err := cmd.Wait(); err != nil {
				b.Fatal(err)
			}
			end()
		}
	})
	b.Run("full", func(b *testing.B) {
		w := newWorld(b)
		p := fence.Standard(w.place)
		for b.Loop() {
			run, err := w.fence.Start(fence.Command{Path: "/bin/true", Args: []string{"true"}, Dir: w.Root, Env: w.place.Env}, p)
			if err != nil {
				b.Fatal(err)
			}
			if exit := run.Wait(); exit.Code != 0 {
				b.Fatal(exit)
			}
		}
	})
}
