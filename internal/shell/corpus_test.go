package shell

import (
	"cmp"
	"errors"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"parley/internal/shell/shelltest"
)

// Shares of the corpus that are read whole, in percent, below which a change has lost something: usually, and where an environment of
// Python in the workspace comes first on the PATH, whose programs the agent can write.
const (
	corpusFloor = 88.5
	venvFloor   = 84.5
)

// corpusTree is what stands in the workspace of the corpus.
const corpusTree = `README.md CHANGELOG.md LICENSE Makefile VERSION go.mod package.json package-lock.json pyproject.toml
	requirements.txt Cargo.toml app.log test.log a.txt b.txt names.txt data.csv notes.txt notes.md hello.txt list.txt tmp_a.py
	a.tmp repro.py setup.py bin/app bin/rails cmd/app/main.go internal/server/server.go internal/server/server_test.go
	internal/cache/cache.go src/app.py src/models.py src/list.c src/tree.c src/index.ts src/utils/date.ts
	src/components/Button.tsx src/components/Button.test.tsx include/list.h include/tree.h tests/test_models.py
	tests/list_test.c docs/index.md docs/Makefile scripts/build.sh scripts/check.js frontend/package.json
	backend/manage.py backend/settings.py crates/core/src/lib.rs crates/core/src/parser.rs crates/cli/src/main.rs
	build/tests build/Makefile target/debug/tool target/release/tool out/a.txt logs/ demo list_test configure gradlew
	vendor/bin/phpunit .env .venv/bin/python .venv/bin/pytest .github/workflows/ci.yml`

// corpusWorld has every program that a line may name, and the tree of the corpus. An environment of Python is active in it or not.
func corpusWorld(venv bool) World {
	m := newMemory(corpusTree, "")
	m.env = []string{"PATH=/usr/bin"}
	if venv {
		m.env = []string{"PATH=/w/.venv/bin:/usr/bin"}
	}
	w := m.world()
	w.Follow = func(name string) (string, Kind, []string) {
		file, below := strings.CutPrefix(name, "/w/")
		if path.Dir(name) == "/usr/bin" || below && m.kinds[file] == KindFile {
			return name, KindProgram, []string{"/", path.Dir(name)}
		}
		return "", KindMissing, nil
	}
	return w
}

// Of what coding agents issue, at least so much is read whole. -v lists what is not, by reason.
func TestCorpus(t *testing.T) {
	t.Run("usual", func(t *testing.T) { readCorpus(t, corpusWorld(false), corpusFloor) })
	t.Run("venv", func(t *testing.T) { readCorpus(t, corpusWorld(true), venvFloor) })
}

func readCorpus(t *testing.T, world World, floor float64) {
	lines := shelltest.Corpus()
	if len(lines) < 400 {
		t.Fatalf("the corpus holds %d lines only", len(lines))
	}
	reasons := map[string][]string{}
	read := 0
	for _, text := range lines {
		_, err := planned(world, text)
		var u *Unread
		if err == nil {
			read++
			checkRead(t, text)
		} else if errors.As(err, &u) {
			reasons[u.Reason] = append(reasons[u.Reason], text)
		} else {
			t.Errorf("%q: %v", text, err)
		}
	}
	share := 100 * float64(read) / float64(len(lines))
	t.Logf("%d of %d lines are read whole, %.1f %%", read, len(lines), share)
	byCount := slices.SortedFunc(maps.Keys(reasons), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(reasons[b]), len(reasons[a])), cmp.Compare(a, b))
	})
	for _, reason := range byCount {
		t.Logf("%3d %s", len(reasons[reason]), reason)
		for _, text := range reasons[reason] {
			t.Logf("        %.90q", text)
		}
	}
	if share < floor {
		t.Errorf("%.1f %% of the corpus is read whole, the floor is %.1f %%", share, floor)
	}
}
