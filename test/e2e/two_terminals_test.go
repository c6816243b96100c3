package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"parley/internal/event"
	"parley/test/need"
	"parley/test/rig"
	"parley/test/rig/terminal"
)

// asking is a model whose calls must be allowed.
const asking = `
{"when":"one"}
{"text":"I need one thing.\n"}
{"call":{"name":"bash","arguments":{"command":"echo one >>effects"}}}
{"stop":""}
{"when":"both"}
{"text":"I need two things.\n"}
{"call":{"name":"bash","arguments":{"command":"echo first >>effects"}}}
{"call":{"name":"write","arguments":{"path":"second.txt","content":"second\n"}}}
{"stop":""}
{"when":"agents"}
{"text":"Two others will.\n"}
{"call":{"name":"task","arguments":{"description":"left","prompt":"hand left"}}}
{"call":{"name":"task","arguments":{"description":"right","prompt":"hand right"}}}
{"stop":""}
{"when":"hand left"}
{"call":{"name":"bash","arguments":{"command":"echo left >>effects"}}}
{"stop":""}
{"when":"hand right"}
{"call":{"name":"bash","arguments":{"command":"echo right >>effects"}}}
{"stop":""}
{"when":"slow"}
{"text":"word after word ","times":30,"rate":80}
{"text":"and now.\n"}
{"call":{"name":"bash","arguments":{"command":"echo slow >>effects"}}}
{"stop":""}
{"when":""}
{"text":"So be it.\n"}
{"stop":""}
`

// may is a row of an ask once keys answer it.
const may = "enter  y"

// Two terminals of different makers on one session: both show the answer as it
// grows, also the one that joins in the middle, either can go on, and both hold
// all of it, once and in order.
func TestTwoTerminalsOneSession(t *testing.T) {
	need.Time(t)
	t.Parallel()
	const lines = 240
	home, fixture := newFixtureHome(t, lines, 8, 4)
	// In the middle of the fixture its tool waits for the gate.
	gate := filepath.Join(home.Work, "gate")
	if err := syscall.Mkfifo(gate, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := home.Write("noise.sh", `[ "$1" != T03 ] || read x <gate`+"\n"+fixture.Noise); err != nil {
		t.Fatal(err)
	}
	ann := newWindow(t, home, "xterm.js 6.0", shell(home.Parley()+" --model script/fixture.ndjson"))
	ann.until(ready)
	ann.press("tell\r")
	ann.must(ann.Reach(lines / 4))
	bob := newWindow(t, home, "tmux", shell(home.Parley()+" attach last"))
	bob.must(bob.Reach(lines/2 - 1))
	// What bob gets from here on is not only what was.
	ann.must(os.WriteFile(gate, []byte("go on\n"), 0))
	ann.until(ready)
	bob.until(ready)
	bob.press("again\r")
	ann.until("once more")
	bob.until("once more")
	want := slices.Concat([]terminal.Row{{Text: "$ tell"}}, fixture.Rows(),
		[]terminal.Row{{Text: "$ again", Apart: true}, {Text: "and once more", Apart: true}})
	composed(t, ann)
	for _, s := range []*window{ann, bob} {
		s.until(ready)
		s.press("\x04")
		s.until("back 0")
		before, told, after, err := terminal.Between(s.lines(), "$ tell", "parley attach ")
		s.must(err)
		s.holds(told, want)
		s.kept(before, after)
		s.lawful()
	}
}

// composed fails if a frame showed the cursor anywhere but in the composer.
func composed(t *testing.T, s *window) {
	t.Helper()
	rows, err := s.Terminal.(*terminal.Xterm).Shown()
	s.must(err)
	if len(rows) == 0 {
		t.Error("no frame showed the cursor")
	}
	for _, row := range rows {
		if !strings.HasPrefix(row, "›") {
			t.Errorf("a frame showed the cursor in the row %q", row)
		}
	}
}

// couple is two terminals on a session whose model asks, and a client who sees
// all that happens.
func couple(t *testing.T) (ann, bob *window, eve *rig.Client) {
	t.Helper()
	need.Time(t)
	home := newHome(t)
	if _, err := home.Write("ask.ndjson", asking); err != nil {
		t.Fatal(err)
	}
	configure(t, home, `{"permission":{"allow":["task"]}}`)
	ann = newWindow(t, home, "xterm.js 5.5", shell(home.Parley()+" --model script/ask.ndjson"))
	ann.until(ready)
	bob = newWindow(t, home, "tmux", shell(home.Parley()+" attach last"))
	bob.until(ready)
	return ann, bob, observer(t, home)
}

// observer is a client that sees all that happens in the session, and cannot
// answer.
func observer(t *testing.T, home *rig.Home) *rig.Client {
	t.Helper()
	zero := event.Seq(0)
	eve, _, err := rig.Hello(home.Socket, "eve", "last", &zero, home.Work)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { eve.Close() })
	return eve
}

// has counts the lines of a kind that a client saw.
func has(c *rig.Client, kind string) int {
	n := 0
	for _, l := range c.Lines() {
		if l.Type == kind {
			n++
		}
	}
	return n
}

// effects is what the calls did.
func (s *window) effects() string {
	s.t.Helper()
	out, err := s.home.Through("sh", "-c", "cat effects second.txt 2>/dev/null || true").Output()
	s.must(err)
	return strings.Join(strings.Fields(string(out)), " ")
}

// An ask appears in both terminals; answered in one it leaves the other, which
// says how and where, and there is nothing left to answer.
func TestAskAnsweredInOtherTerminal(t *testing.T) {
	t.Parallel()
	ann, bob, eve := couple(t)
	ann.press("one\r")
	ann.until(may)
	bob.until(may)
	bob.press("y")
	l := ann.until("allowed on ")
	if strings.Contains(l.Screen(), "▲") {
		t.Errorf("the ask is still there:\n%s", l.Screen())
	}
	for _, s := range []*window{ann, bob} {
		l, err := terminal.Until(s, "end", func(l terminal.Look) bool {
			return strings.Contains(l.Screen(), "So be it.") && !strings.Contains(l.Screen(), "▲")
		})
		s.must(err)
		if n := strings.Count(strings.Join(s.lines(), "\n"), "✓ bash echo one"); n != 1 {
			t.Errorf("%s: the call stands %d times:\n%s", s.name, n, l.Screen())
		}
	}
	if n := has(eve, "ask.answered"); n != 1 || ann.effects() != "one" {
		t.Errorf("%d answers; the effects are %q", n, ann.effects())
	}
}

// Two calls of one answer that must be allowed are asked for one after the other,
// and both asks are answered, each in another terminal.
func TestAskAfterAskOfOneStep(t *testing.T) {
	t.Parallel()
	ann, bob, eve := couple(t)
	ann.press("both\r")
	ann.until(may)
	bob.until(may)
	ann.press("y")
	for _, s := range []*window{ann, bob} {
		s.untilBoth("Allow write", may)
	}
	if got := has(eve, "ask.answered"); got != 1 {
		t.Errorf("%d answers after the first", got)
	}
	bob.press("y")
	for _, s := range []*window{ann, bob} {
		s.untilBoth("So be it.", ready)
	}
	if n := has(eve, "ask.answered"); n != 2 || ann.effects() != "first second" {
		t.Errorf("%d answers; the effects are %q", n, ann.effects())
	}
}

func (s *window) untilBoth(a, b string) {
	s.t.Helper()
	_, err := terminal.Until(s, a+" and "+b, func(l terminal.Look) bool {
		return strings.Contains(l.Screen(), a) && strings.Contains(l.Screen(), b)
	})
	s.must(err)
}

// Two asks that are open at once window one behind the other in every terminal:
// one key answers one of them, and both are answered.
func TestTwoAsksAtOnce(t *testing.T) {
	t.Parallel()
	ann, bob, eve := couple(t)
	ann.press("agents\r")
	for _, s := range []*window{ann, bob} {
		s.untilBoth("1 of 2", may)
	}
	if n := has(eve, "ask.opened"); n != 2 {
		t.Fatalf("%d asks are open", n)
	}
	ann.press("yy")
	for _, s := range []*window{ann, bob} {
		_, err := terminal.Until(s, "second ask", func(l terminal.Look) bool {
			return strings.Contains(l.Screen(), may) && !strings.Contains(l.Screen(), "1 of 2")
		})
		s.must(err)
	}
	if n := has(eve, "ask.answered"); n != 1 {
		t.Errorf("two keys at once gave %d answers", n)
	}
	bob.press("y")
	for _, s := range []*window{ann, bob} {
		s.untilBoth("So be it.", ready)
	}
	did := strings.Fields(ann.effects())
	slices.Sort(did)
	if n := has(eve, "ask.answered"); n != 2 || !slices.Equal(did, []string{"left", "right"}) {
		t.Errorf("%d answers; the effects are %q", n, did)
	}
}

// keysAhead is what people type without looking: each would allow, were it taken
// for an answer, or might.
var keysAhead = []struct{ name, keys string }{
	{"y", "y"}, {"1", "1"}, {"enter", "\r"}, {"yes", "yes\r"}, {"every key", "ra1\r"},
	{"a paste", "\x1b[200~y\x1b[201~"}, {"a paste and enter", "\x1b[200~y\ny\n\x1b[201~\r"},
}

// Whatever is typed while an ask appears, before it is drawn, as it is, or right
// after, answers nothing; once it says that keys answer it, they do.
func TestTypeAheadAnswersNoAsk(t *testing.T) {
	need.Time(t)
	t.Parallel()
	for i, k := range keysAhead {
		name := terminals[1+i%2]
		t.Run(name+"/"+k.name, func(t *testing.T) {
			t.Parallel()
			ahead(t, name, k.keys)
		})
	}
}

// leaveDraft takes out what was typed into the draft, until keys answer the ask.
func (s *window) leaveDraft() {
	s.t.Helper()
	_, err := terminal.Until(s, "an ask that keys answer", func(l terminal.Look) bool {
		for line := range strings.Lines(l.Screen()) {
			if text, ok := strings.CutPrefix(line, "›"); ok && strings.TrimSpace(text) != "" {
				s.press("\x15\x7f")
			}
		}
		return strings.Contains(l.Screen(), may)
	})
	s.must(err)
}

func ahead(t *testing.T, name, keys string) {
	home := newHome(t)
	if _, err := home.Write("ask.ndjson", asking); err != nil {
		t.Fatal(err)
	}
	s := newWindow(t, home, name, shell(home.Parley()+" --model script/ask.ndjson"))
	s.until(ready)
	eve := observer(t, home)
	x := s.Terminal.(*terminal.Xterm)
	// The first three times keys come as the daemon tells of it, so that they are
	// read before or with it; then as soon as the terminal reads the first bytes.
	moments := []string{"call.started", "permission.ready", "ask.opened", "▲ ", "no, and stop"}
	for i, moment := range moments {
		seen := len(eve.Lines())
		if i >= 3 {
			s.must(x.Reflex(moment, keys))
		}
		s.press("slow\r")
		if i < 3 {
			_, _, err := eve.Wait(seen, func(l rig.Line) bool { return l.Type == moment })
			s.must(err)
			s.press(keys)
		}
		_, _, err := eve.Wait(seen, func(l rig.Line) bool { return l.Type == "ask.opened" })
		s.must(err)
		s.leaveDraft()
		if n := has(eve, "ask.answered"); n != i {
			t.Fatalf("%q at %s answered", keys, moment)
		}
		if i >= 3 && !x.Typed() {
			t.Fatalf("%q was never written", moment)
		}
		s.press("y")
		_, _, err = eve.Wait(seen, func(l rig.Line) bool { return l.Type == "run.ended" })
		s.must(err)
		// What was typed for the composer is taken out of it.
		_, err = terminal.Until(s, "empty composer", func(l terminal.Look) bool {
			if strings.Contains(l.Screen(), ready) {
				return true
			}
			s.press("\x15\x7f")
			return false
		})
		s.must(err)
		if got := strings.Fields(s.effects()); len(got) != i+1 {
			t.Fatalf("the effects are %q after %d answers", got, i+1)
		}
	}
	t.Logf("%q at %d moments", keys, len(moments))
}
