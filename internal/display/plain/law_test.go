package plain_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/cell"
	"parley/internal/display"
	"parley/internal/display/plain"
	"parley/internal/event"
	"parley/internal/event/eventtest"
	"parley/internal/markdown"
	"parley/internal/transcript"
)

// rechunk cuts the deltas into pieces of another size, 0 meaning none at all: all
// logs that say the same.
func rechunk(log []event.Event, size int) []event.Event {
	var out []event.Event
	blocks := make(map[event.BlockID]string)
	for _, e := range log {
		if b, ok := e.Body.(event.BlockEnded); ok {
			blocks[b.Block] = b.Text
		}
	}
	for _, e := range log {
		switch b := e.Body.(type) {
		case event.BlockDelta:
			continue
		case event.BlockStarted:
			out = append(out, e)
			text := blocks[b.Block]
			for i := 0; size > 0 && i < len(text); i += size {
				g := e
				g.Body = event.BlockDelta{Block: b.Block, Offset: i, Text: text[i:min(i+size, len(text))]}
				out = append(out, g)
			}
			continue
		}
		out = append(out, e)
	}
	return out
}

// What was replayed looks like what was live: when Flush was called, and how what
// grew was merged or dropped on its way to the disk, cannot be seen.
func TestReplayIsLive(t *testing.T) {
	for name, log := range load(t) {
		for _, look := range looks {
			_, want := show(t, log, look.options, look.past, 1)
			for _, flush := range []int{0, 2, 7} {
				if _, got := show(t, log, look.options, look.past, flush); got != want {
					t.Errorf("%s, %s, flushed every %d: %s", name, look.name, flush, cmp.Diff(want, got))
				}
			}
			if name == "agents" || name == "beside" {
				continue // rechunk would move what comes between the pieces
			}
			for _, size := range []int{0, 1, 3, 1 << 20} {
				if _, got := show(t, rechunk(log, size), look.options, look.past, 0); got != want {
					t.Errorf("%s, %s, in pieces of %d: %s", name, look.name, size, cmp.Diff(want, got))
				}
			}
		}
	}
}

// Parts are set apart by one blank line at the most, prose has no white space at
// its line ends, and there is one newline at the end. Fences and results, which
// keep theirs, are in other scenarios.
func TestWhiteSpace(t *testing.T) {
	for name, log := range load(t) {
		if name == "markdown" || name == "overlap" {
			continue
		}
		_, out := show(t, log, plain.Options{Terminal: true}, false, 0)
		if strings.Contains(out, "\n\n\n") || strings.HasPrefix(out, "\n") || strings.HasSuffix(out, "\n\n") || !strings.HasSuffix(out, "\n") {
			t.Errorf("%s: blank lines: %q", name, out)
		}
		for line := range strings.Lines(out) {
			if strings.TrimRight(line, " \t\n") != strings.TrimSuffix(line, "\n") {
				t.Errorf("%s: white space at the end of %q", name, line)
			}
		}
	}
}

// hostile puts escape sequences and other control characters into every string
// of a log.
func hostile(t testing.TB, log []event.Event) []event.Event {
	t.Helper()
	var out []event.Event
	for _, e := range log {
		b, err := e.AppendJSON(nil)
		if err != nil {
			t.Fatal(err)
		}
		var v map[string]any
		if err := json.Unmarshal(b, &v); err != nil {
			t.Fatal(err)
		}
		v["data"] = poison(v["data"])
		if b, err = json.Marshal(v); err != nil {
			t.Fatal(err)
		}
		if e, err = event.Decode(b); err == nil {
			out = append(out, e)
		}
	}
	return out
}

const poisoned = "\x1b[2J\x1b]0;x\x07\u009b5A\r\b\x00\u202eend"

func poison(v any) any {
	switch v := v.(type) {
	case string:
		return v + poisoned
	case []any:
		for i := range v {
			v[i] = poison(v[i])
		}
	case map[string]any:
		for key := range v {
			switch key {
			case "status", "role", "reason", "origin":
				// With another word the event would mean nothing.
			default:
				v[key] = poison(v[key])
			}
		}
	}
	return v
}

// Without colours there is no escape sequence and no control character in the
// output, whatever is in the log; with them there are none but ours.
func TestHostileText(t *testing.T) {
	logs := load(t)
	logs["nonsense"] = eventtest.All()
	for name, log := range logs {
		bad := hostile(t, log)
		for _, look := range looks {
			_, out := show(t, bad, look.options, look.past, 0)
			checkSafe(t, name+", "+look.name, out, look.options)
		}
	}
}

func checkSafe(t testing.TB, what, out string, o plain.Options) {
	t.Helper()
	if o.Profile != cell.NoStyle {
		out = unstyled(out)
	}
	for i, r := range out {
		if r < ' ' && r != '\n' && r != '\t' || r == 0x7f || r >= 0x80 && r < 0xa0 || r == 0x202e {
			t.Fatalf("%s: %q at %d of %q", what, r, i, out)
		}
	}
}

// unstyled takes out what a colour profile may write: SGR and OSC 8.
func unstyled(s string) string {
	var b strings.Builder
	for {
		i := strings.IndexByte(s, 0x1b)
		if i < 0 {
			return b.String() + s
		}
		b.WriteString(s[:i])
		s = s[i:]
		if rest, ok := strings.CutPrefix(s, "\x1b["); ok {
			n := strings.IndexFunc(rest, func(r rune) bool { return (r < '0' || r > '9') && r != ';' })
			if n >= 0 && rest[n] == 'm' {
				s = rest[n+1:]
				continue
			}
		}
		if rest, ok := strings.CutPrefix(s, "\x1b]8;;"); ok {
			if _, after, ok := strings.Cut(rest, "\x1b\\"); ok {
				s = after
				continue
			}
		}
		b.WriteString("␛")
		s = "\x1b"[:0] + s[1:]
		return b.String() + "\x1b" + s
	}
}

// Every document of the CommonMark specification says the same in any pieces,
// and line mode adds and loses no word of it.
func TestCommonMark(t *testing.T) {
	data, err := os.ReadFile("../../markdown/testdata/commonmark.json")
	if err != nil {
		t.Fatal(err)
	}
	var examples []struct {
		Markdown string `json:"markdown"`
		Example  int    `json:"example"`
	}
	if err := json.Unmarshal(data, &examples); err != nil {
		t.Fatal(err)
	}
	if len(examples) != 652 {
		t.Fatalf("%d examples", len(examples))
	}
	random := rand.New(rand.NewPCG(1, 2))
	for _, x := range examples {
		var b strings.Builder
		for _, l := range markdown.Render(x.Markdown, 0, markdown.Options{}) {
			b.WriteString(l.Text() + "\n")
		}
		want := strings.Fields(b.String())
		for _, size := range []int{1, 2 + random.IntN(9), 1 << 20} {
			_, out := show(t, deltas(x.Markdown, size), plain.Options{}, false, 0)
			if d := cmp.Diff(want, strings.Fields(out)); d != "" && len(want)+len(strings.Fields(out)) > 0 {
				t.Errorf("example %d in pieces of %d: %s", x.Example, size, d)
			}
		}
	}
}

// The words of the main session stand together, in their order, whatever two
// sub-agents do meanwhile.
func TestSubAgentsStayOut(t *testing.T) {
	_, out := show(t, load(t)["agents"], plain.Options{}, false, 1)
	if !strings.Contains(out, "\n\nWhile they work, I write this.\n\nAnd that.\n\n") {
		t.Error(out)
	}
	if strings.Contains(out, "I look for it") || strings.Contains(out, "I begin.") {
		t.Errorf("a sub-agent's own words: %s", out)
	}
}

// A result of 10,000 lines is there in full, and the outcome before it.
func TestLongResult(t *testing.T) {
	var b strings.Builder
	for i := range 10000 {
		fmt.Fprintf(&b, "line %d\t.\n", i)
	}
	var out bytes.Buffer
	r := plain.New(&out, plain.Options{Width: columns(20)})
	end := display.EndCall{Ended: event.CallEnded{Call: "c1", Name: "bash", Status: event.StatusSuccess, Summary: "10000 lines", Result: b.String()}, Title: "seq"}
	if err := errors.Join(r.Render(end), r.Close()); err != nil {
		t.Fatal(err)
	}
	if got, want := out.String(), "bash(\"seq\")\n✓ 10000 lines\n"+b.String(); got != want {
		t.Errorf("%d bytes, want %d", len(got), len(want))
	}
}

type broken struct{ left int }

func (b *broken) Write(p []byte) (int, error) {
	if b.left--; b.left < 0 {
		return 0, errors.New("broken pipe")
	}
	return len(p), nil
}

// A write that fails is told to everybody who asks from then on, and nothing
// more is written.
func TestBrokenPipe(t *testing.T) {
	r := plain.New(&broken{left: 1}, plain.Options{Terminal: true})
	log, s := load(t)["overlap"], transcript.New()
	var failed int
	for _, e := range log {
		if err := errors.Join(r.Apply(s, e), r.Flush()); err != nil {
			failed++
		} else if failed > 0 {
			t.Fatal("the error was forgotten")
		}
	}
	if failed == 0 || r.Close() == nil || r.Tick(time.Unix(1, 0)) == nil {
		t.Errorf("%d errors", failed)
	}
}

// Line mode that joins in the middle shows what is open from its beginning, and
// then what follows.
func TestLateLineModeShowsOpenParts(t *testing.T) {
	log := load(t)["answer"]
	cut := slices.IndexFunc(log, func(e event.Event) bool { return e.Kind() == "block.grew" }) + 2
	s := transcript.New()
	for _, e := range log[:cut] {
		s.Apply(e)
	}
	var out bytes.Buffer
	r := plain.New(&out, plain.Options{})
	if err := r.Attach(s); err != nil {
		t.Fatal(err)
	}
	for _, e := range log[cut:] {
		if err := r.Apply(s, e); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if _, want := show(t, log, plain.Options{}, false, 0); out.String() != want {
		t.Error(cmp.Diff(want, out.String()))
	}
}

// A program that leaves before the end of the run ends the output as the end
// would have.
func TestInterruptAndFail(t *testing.T) {
	for _, c := range []struct {
		end  func(*plain.Renderer) error
		want string
	}{
		{(*plain.Renderer).Interrupt, "Half a\n⚠ Interrupted by user.\n"},
		{func(r *plain.Renderer) error { return r.Fail("the daemon is gone") }, "Half a\nError: the daemon is gone\n"},
	} {
		var out bytes.Buffer
		r := plain.New(&out, plain.Options{})
		if err := errors.Join(r.Render(display.StartText{}), r.Render(display.AppendText{Text: "Half a  "}), c.end(r), r.Close()); err != nil {
			t.Fatal(err)
		}
		if out.String() != c.want {
			t.Errorf("%q, want %q", out.String(), c.want)
		}
	}
}

// Any events in any order are shown without a panic and without an escape
// sequence.
func FuzzRender(f *testing.F) {
	for _, log := range load(f) {
		var b bytes.Buffer
		for _, e := range log {
			line, err := e.AppendJSON(nil)
			if err != nil {
				f.Fatal(err)
			}
			b.Write(append(line, '\n'))
		}
		f.Add(b.Bytes())
	}
	f.Fuzz(func(t *testing.T, lines []byte) {
		var log []event.Event
		for line := range bytes.Lines(lines) {
			if e, err := event.Decode(line); err == nil {
				log = append(log, e)
			}
		}
		for _, look := range looks {
			_, out := show(t, log, look.options, look.past, 3)
			checkSafe(t, look.name, out, look.options)
		}
	})
}
