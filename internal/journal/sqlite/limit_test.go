package sqlite_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/command"
	"parley/internal/journal"
	"parley/internal/journal/journaltest"
	"parley/internal/journal/sqlite"
	"parley/internal/transcript"
)

// A real file that cannot grow, at many sizes: the process may write files of
// that size only, so the write that fails is each time another one of SQLite's.
func TestFileCannotGrow(t *testing.T) {
	t.Parallel()
	cmd, out := run(t, "limit", t.TempDir())
	said, err := io.ReadAll(out)
	if err := errors.Join(err, cmd.Wait()); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	if refused := strings.Count(string(said), "refused"); refused < 30 || strings.Contains(string(said), "wrong") {
		t.Errorf("%d refusals:\n%s", refused, said)
	}
}

func limited(dir string) {
	signal.Ignore(syscall.SIGXFSZ)
	var whole syscall.Rlimit
	must(syscall.Getrlimit(syscall.RLIMIT_FSIZE, &whole))
	for n := range 24 {
		limit := 34<<10 + n*11003
		func() {
			s, err := sqlite.Open(fmt.Sprintf("%s/%d", dir, n), journal.Options{})
			must(err)
			defer s.Close()
			l, err := s.Create(ctx, id)
			must(err)
			must(syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: uint64(limit), Max: whole.Max}))
			live := fill(n, l, command.Internal)
			must(syscall.Setrlimit(syscall.RLIMIT_FSIZE, &whole))
			out, err := l.Append(ctx, note("well again"))
			if err != nil {
				fmt.Printf("%d: wrong: still refused: %v\n", n, err)
				return
			}
			live.Apply(out[0])
			verify(n, s, l, live)
		}()
	}
}

// verify compares what a log holds, before and after it is opened again.
func verify(n int, s journal.Store, l journal.Log, live *transcript.State) {
	same(n, "the state", live, l.State())
	must(l.Close())
	l, err := s.Open(ctx, id)
	must(err)
	same(n, "the state after opening again", live, l.State())
	read := transcript.New()
	for e, err := range l.After(ctx, 0) {
		must(err)
		read.Apply(e)
		if e.Seq == l.Head() {
			break
		}
	}
	same(n, "a reader", live, read)
}

// fill appends until the disk has refused a few times, and returns the fold of
// what was accepted.
func fill(n int, l journal.Log, code command.Code) *transcript.State {
	f := journaltest.NewFeed(id, uint64(n))
	f.Words = 40
	live := transcript.New()
	for refused := 0; refused < 3; {
		head := l.Head()
		batch := f.Next(live)
		if n%2 == 0 && live.Step == nil && live.Session != "" {
			batch = append(batch, note(strings.Repeat("long ", 3000)))
		}
		out, err := l.Append(ctx, batch...)
		if err != nil {
			refused++
			var fault *command.Fault
			fmt.Printf("%d: refused: %v\n", n, err)
			if !errors.As(err, &fault) || fault.Code != code || l.Head() != head {
				fmt.Printf("%d: wrong: no fault %s, or head %d after %d\n", n, code, l.Head(), head)
			}
			same(n, "the state of a refused batch", live, l.State())
			continue
		}
		for _, e := range out {
			live.Apply(e)
		}
	}
	return live
}

func same(n int, what string, want, got *transcript.State) {
	want, got = want.Clone(), got.Clone()
	want.Counts.Events, got.Counts.Events = 0, 0
	if want.Seq != got.Seq || answers(want) != answers(got) {
		fmt.Printf("%d: wrong: %s: %d %d\n%s\n", n, what, want.Seq, got.Seq, cmp.Diff(answers(want), answers(got)))
	}
}

// answers is all text of a state.
func answers(s *transcript.State) string {
	var b strings.Builder
	for _, e := range s.Entries {
		fmt.Fprintln(&b, e.ID, e.Content.Text, e.Content.Answer())
	}
	if s.Step != nil && s.Step.Response != nil && s.Step.Response.Block != nil {
		fmt.Fprintln(&b, s.Step.Response.Block.Text)
	}
	return b.String()
}

// A store on a disk that cannot be written says so.
func TestCannotBeMade(t *testing.T) {
	file := t.TempDir() + "/file"
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if s, err := sqlite.Open(file+"/store", journal.Options{}); s != nil || !errors.Is(err, syscall.ENOTDIR) {
		t.Errorf("%v, %v", s, err)
	}
}
