package sqlite_test

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/event"
	"parley/internal/journal"
	"parley/internal/journal/journaltest"
	"parley/internal/journal/sqlite"
	"parley/internal/transcript"
	"parley/test/need"
)

var (
	crashes = flag.Int("crashes", 0, "how often a process is killed; 0: 16, or 320 in long runs")
	seed    = flag.Uint64("seed", 1, "of the crashes")
)

// The test binary is also the process that gets killed.
const childEnv = "PARLEY_JOURNAL_CHILD"

func TestMain(m *testing.M) {
	switch kind, arg, _ := strings.Cut(os.Getenv(childEnv), " "); kind {
	case "append":
		child(arg)
		os.Exit(0)
	case "limit":
		limited(arg)
		os.Exit(0)
	case "full":
		full(arg)
		os.Exit(0)
	case "hold":
		if _, err := sqlite.Open(arg, journal.Options{}); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println("held")
		toBeKilled()
	}
	os.Exit(m.Run())
}

func run(t testing.TB, kind string, args ...string) (*exec.Cmd, io.Reader) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+kind+" "+strings.Join(args, " "))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	return cmd, out
}

// child appends what a feed makes and says what it saw, one line for each event
// that a reader was given; it kills itself at a point, or waits to be killed.
func child(arg string) {
	var dir string
	var seed uint64
	var points int
	if _, err := fmt.Sscanf(arg, "%s %d %d", &dir, &seed, &points); err != nil {
		panic(err)
	}
	reached := 0
	s, err := sqlite.Open(dir, journal.Options{Fail: func(journal.Point) error {
		if reached++; reached == points {
			syscall.Kill(os.Getpid(), syscall.SIGKILL)
			toBeKilled()
		}
		return nil
	}})
	must(err)
	l, err := s.Open(ctx, id)
	if err != nil {
		l, err = s.Create(ctx, id)
	}
	must(err)
	_, err = l.Append(ctx, transcript.Closing(l.State(), transcript.Why{Reason: event.ReasonRecovered})...)
	must(err)
	at := l.Head()
	f := journaltest.NewFeed(id, seed)
	f.Words = 30
	for i := range 4000 {
		_, err := l.Append(ctx, f.Next(l.State())...)
		must(err)
		for e, err := range l.After(ctx, at) {
			must(err)
			line, err := json.Marshal(e)
			must(err)
			os.Stdout.Write(append(line, '\n'))
			if at = e.Seq; at == l.Head() {
				break
			}
		}
		if i%50 == 20 {
			sum, _, _, err := l.PutBlob(ctx, strings.NewReader(strings.Repeat(strconv.Itoa(i), 5000)))
			must(err)
			fmt.Printf("blob %s\n", sum)
		}
	}
	toBeKilled()
}

// toBeKilled waits. To wait for nothing is a deadlock, which ends the process.
func toBeKilled() {
	for {
		time.Sleep(time.Hour)
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// A process is killed again and again, at any point of a write and at any other
// moment. Every durable event that anyone had seen is there, the text of what was open is
// a prefix of what was seen, no seq is used again, and the log is legal.
func TestKilledProcessLosesNothing(t *testing.T) {
	t.Parallel()
	crashes := *crashes
	switch {
	case crashes > 0:
	case need.Long():
		crashes = 320
	default:
		crashes = 16
	}
	t.Logf("%d crashes, seed %d", crashes, *seed)
	dir := t.TempDir()
	r := rand.New(rand.NewPCG(*seed, 1))
	seen := make(map[event.Seq]event.Event)
	var blobs []string
	for n := range crashes {
		points, lines := 1+r.IntN(300), 1<<30
		if n%3 == 2 {
			points, lines = 0, 1+r.IntN(300)
		}
		cmd, out := run(t, "append", dir, fmt.Sprint(*seed*1000+uint64(n)), fmt.Sprint(points))
		first, last := event.Seq(0), event.Seq(0)
		scan := bufio.NewScanner(out)
		scan.Buffer(nil, 1<<20)
		for i := 0; scan.Scan(); i++ {
			if i == lines {
				cmd.Process.Kill()
			}
			if sum, ok := strings.CutPrefix(scan.Text(), "blob "); ok {
				blobs = append(blobs, sum)
				continue
			}
			e, err := event.Decode(scan.Bytes())
			if err != nil {
				t.Fatalf("%v: %s", err, scan.Bytes())
			}
			if old, ok := seen[e.Seq]; ok {
				t.Fatalf("crash %d: seq %d was used for %s and again for %s", n, e.Seq, old.Kind(), e.Kind())
			}
			seen[e.Seq] = e
			if first == 0 {
				first = e.Seq
			}
			last = e.Seq
		}
		cmd.Wait()
		check(t, n, dir, seen, last, blobs)
	}
	if len(seen) < 20*crashes {
		t.Errorf("%d events were seen in all", len(seen))
	}
}

// check opens the store that a process left and compares it to what was seen.
func check(t *testing.T, n int, dir string, seen map[event.Seq]event.Event, last event.Seq, blobs []string) {
	t.Helper()
	s := open(t, dir, journal.Options{})
	defer s.Close()
	if ids, err := s.List(ctx); err != nil || len(ids) == 0 && last == 0 {
		return // killed before the session was made
	}
	l, err := s.Open(ctx, id)
	if err != nil {
		t.Fatalf("crash %d: %v", n, err)
	}
	if len(l.Damage()) > 0 {
		t.Errorf("crash %d: %v", n, l.Damage())
	}
	state := transcript.New()
	kept := make(map[event.Seq]event.Event)
	for _, e := range all(t, l, 0) {
		if found := transcript.Check(state, e); len(found) > 0 {
			t.Fatalf("crash %d: %d %s: %v", n, e.Seq, e.Kind(), found)
		}
		state.Apply(e)
		kept[e.Seq] = e
	}
	for seq, e := range seen {
		if e.Durable() {
			if d := cmp.Diff(e, kept[seq]); d != "" {
				t.Fatalf("crash %d: event %d %s was seen and is not kept:\n%s", n, seq, e.Kind(), d)
			}
		}
	}
	if state.Step != nil && state.Step.Response != nil && state.Step.Response.Block != nil {
		b := state.Step.Response.Block
		if text := grownText(seen, b.ID, last); !strings.HasPrefix(text, b.Text.String()) {
			t.Errorf("crash %d: %q is kept of %q", n, b.Text.String(), text)
		}
	}
	for _, sum := range blobs {
		if _, err := l.BlobPath(sum); err != nil {
			t.Errorf("crash %d: %v", n, err)
		}
	}
	if out := put(t, l, note("after the crash")); out[0].Seq <= last {
		t.Errorf("crash %d: seq %d is used again, %d was seen", n, out[0].Seq, last)
	} else {
		seen[out[0].Seq] = out[0]
	}
}

// grownText is what a reader had seen of a block.
func grownText(seen map[event.Seq]event.Event, id event.BlockID, last event.Seq) string {
	text := ""
	for seq := event.Seq(1); seq <= last; seq++ {
		if b, ok := seen[seq].Body.(event.BlockDelta); ok && b.Block == id {
			text = text[:b.Offset] + b.Text
		}
	}
	return text
}

// all reads what is there.
func all(t testing.TB, l journal.Log, after event.Seq) []event.Event {
	t.Helper()
	var out []event.Event
	for {
		page, err := l.Page(ctx, after, 500)
		if err != nil {
			t.Fatal(err)
		}
		if len(page) == 0 {
			return out
		}
		after = page[len(page)-1].Seq
		out = append(out, page...)
	}
}

// A session that was being made when the process was killed is not there, and
// leaves nothing.
func TestKilledInCreate(t *testing.T) {
	dir := t.TempDir()
	cmd, out := run(t, "append", dir, "1", "1")
	if _, err := io.ReadAll(out); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	names, err := os.ReadDir(dir + "/sessions")
	if err != nil || len(names) != 1 || !strings.HasPrefix(names[0].Name(), ".new-") {
		t.Fatalf("the crash left %v, %v", names, err)
	}
	s := open(t, dir, journal.Options{})
	defer s.Close()
	if ids, err := s.List(ctx); err != nil || len(ids) > 0 {
		t.Errorf("the list is %v, %v", ids, err)
	}
	if names, err := os.ReadDir(dir + "/sessions"); err != nil || len(names) > 0 {
		t.Errorf("there is still %v, %v", names, err)
	}
	if _, err := s.Create(ctx, id); err != nil {
		t.Error(err)
	}
}
