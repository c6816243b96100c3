package term

import (
	"testing"

	"parley/internal/cell"
)

// What is written when the terminal answers, and what is given back at the end.
func TestTerminalIsAskedAndGivenBack(t *testing.T) {
	attributes, kitty := report{kind: reportAttributes}, report{kind: reportKeyboard}
	for _, c := range []struct {
		name    string
		answers []report
		write   string
		can     Abilities
		end     string
	}{
		{"no answer at all", nil, "", Abilities{}, leaveModes},
		{"a plain terminal", []report{attributes}, setOtherKeys, Abilities{}, resetOtherKeys + leaveModes},
		{"kitty keys", []report{kitty, attributes}, setKitty, Abilities{Kitty: true}, resetKitty + leaveModes},
		{"kitty keys, told twice", []report{kitty, kitty, attributes, kitty}, setKitty, Abilities{Kitty: true}, resetKitty + leaveModes},
		{"kitty keys, late", []report{attributes, kitty}, setOtherKeys + setKitty, Abilities{Kitty: true}, resetKitty + resetOtherKeys + leaveModes},
		{"grapheme clusters off", []report{{kind: reportMode, mode: 2027, value: 2}, kitty, attributes}, setGraphemes + setKitty, Abilities{Kitty: true, Graphemes: true}, resetKitty + resetGraphemes + leaveModes},
		{"grapheme clusters always", []report{{kind: reportMode, mode: 2027, value: 3}, kitty, attributes}, setKitty, Abilities{Kitty: true, Graphemes: true}, resetKitty + leaveModes},
		{"grapheme clusters unknown", []report{{kind: reportMode, mode: 2027}, kitty, attributes}, setKitty, Abilities{Kitty: true}, resetKitty + leaveModes},
		{"a name", []report{{kind: reportVersion, text: "xterm.js(6.0.0)"}, kitty, attributes}, setKitty, Abilities{Name: "xterm.js(6.0.0)", Kitty: true, Reflow: ReflowShifting}, resetKitty + leaveModes},
		{"no name, but attributes", []report{{kind: reportSecondary, text: "0;276;0"}, kitty, attributes}, setKitty, Abilities{Kitty: true, Reflow: ReflowShifting}, resetKitty + leaveModes},
		{"a name counts for more", []report{{kind: reportVersion, text: "tmux 3.3a"}, {kind: reportSecondary, text: "41;379;0"}, attributes}, setOtherKeys, Abilities{Name: "tmux 3.3a"}, resetOtherKeys + leaveModes},
	} {
		t.Run(c.name, func(t *testing.T) {
			var n negotiation
			var write string
			told := 0
			for _, r := range c.answers {
				w, tell := n.hear(r)
				write += w
				if tell {
					told++
				}
			}
			if write != c.write || n.can != c.can || n.end() != c.end {
				t.Errorf("wrote %q, can %+v, end %q", write, n.can, n.end())
			}
			if len(c.answers) > 0 && told == 0 {
				t.Error("nobody was told")
			}
			if again := n.begin(); len(c.answers) > 0 && again != enterModes+n.settings() {
				t.Errorf("after a stop %q", again)
			}
		})
	}
}

// The way of a terminal is read from its name, or guessed from the environment.
func TestReflowOfTerminal(t *testing.T) {
	for name, want := range map[string]Reflow{
		"tmux 3.3a": ReflowLogical, "kitty(0.36)": ReflowLogical, "XTerm(390)": ReflowNone,
		"xterm.js(6.0.0)": ReflowShifting, "screen 4.9": ReflowNone, "WezTerm 2024": ReflowLogical, "": ReflowNone,
	} {
		if got := reflowOf(name, ReflowNone); got != want {
			t.Errorf("%q: %d, want %d", name, got, want)
		}
	}
	for _, c := range []struct {
		env  map[string]string
		want Reflow
	}{
		{map[string]string{"TERM": "xterm-256color"}, ReflowLogical},
		{map[string]string{"TERM": "xterm-256color", "XTERM_VERSION": "XTerm(390)"}, ReflowNone},
		{map[string]string{"TERM": "xterm-256color", "TERM_PROGRAM": "vscode"}, ReflowShifting},
		{map[string]string{"TERM": "tmux-256color", "TMUX": "/tmp/x", "TERM_PROGRAM": "vscode"}, ReflowLogical},
		{map[string]string{"TERM": "screen"}, ReflowNone},
		{map[string]string{"TERM": "st-256color"}, ReflowNone},
		{map[string]string{"TERM": "linux"}, ReflowNone},
	} {
		if got, _ := guess(func(k string) string { return c.env[k] }); got != c.want {
			t.Errorf("%v: %d, want %d", c.env, got, c.want)
		}
	}
}

// A terminal that answers nothing may be any; one that answers late is what it
// says, and what the environment tells holds.
func TestSilentTerminalIsAnyTerminal(t *testing.T) {
	var n negotiation
	if !n.silent() || n.can.Reflow != ReflowUnknown || n.silent() {
		t.Errorf("after a silence %v", n.can)
	}
	if _, tell := n.hear(report{kind: reportAttributes}); !tell || n.can.Reflow != ReflowLogical {
		t.Errorf("after a late answer %v", n.can)
	}
	if n.silent() {
		t.Error("a terminal that answered is silent")
	}
	told := negotiation{known: true}
	if told.silent() || told.can.Reflow != ReflowLogical {
		t.Errorf("what the environment tells is %v", told.can)
	}
}

// Each op in bytes.
func TestOpsInBytes(t *testing.T) {
	green := cell.Line{{Text: "ok", Style: cell.Style{Color: cell.Green, Attr: cell.Reverse}}}
	for _, c := range []struct {
		op      Op
		profile cell.Profile
		want    string
	}{
		{Sync{true}, 0, "\x1b[?2026h"},
		{Sync{false}, 0, "\x1b[?2026l"},
		{Cursor{true}, 0, "\x1b[?25h"},
		{Wrap{false}, 0, "\x1b[?7l"},
		{Return{}, 0, "\r"},
		{Feed{}, 0, "\r\n"},
		{Onward{}, 0, "\x1b[?7h\x1b[9999C  \r\x1b[?7l"},
		{Save{}, 0, "\x1b7"},
		{Restore{}, 0, "\x1b8"},
		{Move{}, 0, ""},
		{Move{Down: 1}, 0, "\x1b[B"},
		{Move{Down: -3, Right: 12}, 0, "\x1b[3A\x1b[12C"},
		{Move{Right: -2}, 0, "\x1b[2D"},
		{Bottom{}, 0, "\x1b[9999B"},
		{Insert{1}, 0, "\x1b[L"},
		{Insert{3}, 0, "\x1b[3L"},
		{EraseBelow{}, 0, "\r\x1b[K\x1b[C\x1b[J\r"},
		{EraseRight{}, 0, "\x1b[K"},
		{Text{green}, cell.Color16, "\x1b[7;32mok\x1b[0m"},
		{Text{green}, 0, "\x1b[7mok\x1b[0m"},
		{Text{cell.Plain("a\x1b[2Jb")}, 0, "ab"},
		{Bell{}, 0, "\a"},
		{Screen{true}, 0, "\x1b[?1049h"},
	} {
		if got := string(Encode(nil, []Op{c.op}, c.profile)); got != c.want {
			t.Errorf("%T%+v: %q, want %q", c.op, c.op, got, c.want)
		}
	}
}
