package fetch_test

import (
	"os"
	"path/filepath"
	"testing"

	"parley/internal/tool"
	"parley/internal/tool/local"
	"parley/internal/workspace"
)

// world is the real World of a workspace, with whole outputs kept beside it.
func world(t testing.TB, root string) tool.World {
	t.Helper()
	r, err := workspace.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	jobs := tool.NewJobs(nil)
	t.Cleanup(jobs.Close)
	return local.World(local.Options{
		Root: r, Env: os.Environ(), Spill: filepath.Join(t.TempDir(), "outputs"), Seen: tool.NewSeen(), Jobs: jobs,
	})
}
