package shell

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/shell/shelltest"
	"parley/test/need"
)

// What needs no rule reads no file and makes none, as the real programs show that are here: whatever words are put together, also
// where one of them is the name of a file.
func TestFiltersReadNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), []byte("SECRET of the file\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	g := &shelltest.Generator{Rand: rand.New(rand.NewPCG(5, 0))}
	names := make([]string, 0, len(filterUses))
	for name := range filterUses {
		if _, err := exec.LookPath(name); err == nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	if len(names) == 0 {
		need.Program(t, "grep")
	}
	free, ran := often(50, 100, 500), 0
	for tries := 0; ran < free && tries < 1000*free; tries++ {
		args := []string{shelltest.Pick(g, names...)}
		for range 1 + g.IntN(4) {
			args = append(args, filterWord(g, filterUses[args[0]]))
		}
		if filters(args) {
			ran++
			readsNothing(t, dir, args)
		}
	}
	t.Logf("%d commands of %d programs", ran, len(names))
}

// filterWord is an option of the program in one of its forms, something else that its manual may know, or the name of a file.
func filterWord(g *shelltest.Generator, u *table) string {
	options := make([]string, 0, len(u.options))
	for name := range u.options {
		options = append(options, name)
	}
	slices.Sort(options)
	option := shelltest.Pick(g, options...)
	switch g.IntN(6) {
	case 0:
		return "file"
	case 1:
		return option + "=file"
	case 2:
		return option + "file"
	case 3:
		return shelltest.Pick(g, "-", "--", "-5", "+5", "", "x", "-f", "-r", "-o", "-rfile", "-ofile", "--file=file", "--files0-from=file", "-T", "--output=new", "-no", "1", "2", "a-z")
	}
	return option
}

func readsNothing(t *testing.T, dir string, args []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdin = dir, []string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + dir}, strings.NewReader("b\nfile\na\n")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	_ = cmd.Run() // most say that this is no sense, which is as good
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 || ctx.Err() != nil || strings.Contains(out.String(), "SECRET") {
		t.Fatalf("%q needs no rule: %v %v %v\n%s", args, entries, err, ctx.Err(), out.String())
	}
}
