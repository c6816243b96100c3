package term

import "strings"

// Reflow says what a terminal does to the rows on its screen when its width
// changes. A renderer that counts rows needs to know.
type Reflow int

// The ways of terminals.
const (
	// ReflowLogical: lines wrap anew and the cursor stays on its character.
	// Most do so: tmux, kitty, foot, WezTerm, Alacritty, ghostty, VTE.
	ReflowLogical Reflow = iota
	// ReflowNone: each row stays a row and is cut at the edge: xterm, screen,
	// the Linux console.
	ReflowNone
	// ReflowShifting: lines wrap anew, except the one that holds the cursor,
	// and the cursor moves down by the rows that came to be anywhere: xterm.js.
	ReflowShifting
	// ReflowUnknown: the terminal answers nothing, so it may be any of these; or
	// nobody is there and what is written is recorded, to be shown later.
	ReflowUnknown
)

// Abilities is what is known of a terminal. The zero value is what every
// terminal can do.
type Abilities struct {
	Name      string // as the terminal gives it, such as "tmux 3.3a"; may be empty
	Kitty     bool   // reports keys by the kitty keyboard protocol
	Graphemes bool   // measures whole grapheme clusters (mode 2027)
	Reflow    Reflow
}

type reportKind int

const (
	reportAttributes reportKind = iota
	reportSecondary
	reportKeyboard
	reportMode
	reportVersion
)

// A report is the terminal's answer to a question of the negotiation.
type report struct {
	kind  reportKind
	mode  int
	value int
	text  string
}

// The modes of ECMA-48 and of those that came after, by the documents that name
// them: xterm ctlseqs (1004, 2004, modifyOtherKeys, XTVERSION, DA2), kitty keyboard
// protocol (CSI u), Contour's terminal-unicode-core (2027).
const (
	enterModes = "\x1b[?2004h\x1b[?1004h"
	leaveModes = "\x1b[?2026l\x1b[?7h\x1b[?1004l\x1b[?2004l\x1b[m\x1b[?25h"

	askKeyboard   = "\x1b[?u"
	askVersion    = "\x1b[>0q"
	askSecondary  = "\x1b[>c"
	askGraphemes  = "\x1b[?2027$p"
	askAttributes = "\x1b[c"

	setKitty        = "\x1b[>5u" // 1: no ambiguous keys, 4: also the key of the plain layout
	resetKitty      = "\x1b[<u"
	setOtherKeys    = "\x1b[>4;1m"
	resetOtherKeys  = "\x1b[>4m"
	setGraphemes    = "\x1b[?2027h"
	resetGraphemes  = "\x1b[?2027l"
	graphemesMode   = 2027
	modeReset       = 2 // DECRQM: known and off; 1 is on, 3 and 4 are fixed
	modeUnsupported = 0
)

// A negotiation finds out what a terminal can do and says what to write so that
// it does. Every terminal answers the last question, for its device attributes,
// so that answer bounds the wait for the others; one that comes later, or never,
// does no harm.
type negotiation struct {
	can     Abilities
	kitty   bool // it is pushed
	other   bool // modifyOtherKeys is set
	cluster bool // 2027 was set by us
	closed  bool
	known   bool // the environment told the way of the terminal
}

// begin returns what to write at the start, and again after a stop.
func (n *negotiation) begin() string {
	s := enterModes
	if n.closed {
		return s + n.settings()
	}
	return s + askKeyboard + askVersion + askSecondary + askGraphemes + askAttributes
}

// settings sets again what is known to be understood.
func (n *negotiation) settings() string {
	var s string
	if n.kitty {
		s += setKitty
	}
	if n.other {
		s += setOtherKeys
	}
	if n.cluster {
		s += setGraphemes
	}
	return s
}

// end returns what to write at the end or before a stop.
func (n *negotiation) end() string {
	var s string
	if n.kitty {
		s += resetKitty
	}
	if n.other {
		s += resetOtherKeys
	}
	if n.cluster {
		s += resetGraphemes
	}
	return s + leaveModes
}

// hear takes an answer and returns what to write next, and whether the abilities
// are to be told.
func (n *negotiation) hear(r report) (write string, tell bool) {
	before := n.can
	switch r.kind {
	case reportKeyboard:
		if !n.kitty {
			n.kitty, n.can.Kitty = true, true
			write = setKitty
		}
	case reportMode:
		if r.mode == graphemesMode && r.value != modeUnsupported {
			n.can.Graphemes = r.value != 4
			if r.value == modeReset && !n.cluster {
				n.cluster = true
				write = setGraphemes
			}
		}
	case reportSecondary:
		if n.can.Name == "" {
			n.can.Reflow = reflowBy(r.text, n.can.Reflow)
		}
	case reportVersion:
		n.can.Name = r.text
		n.can.Reflow = reflowOf(r.text, n.can.Reflow)
	case reportAttributes:
		if n.closed {
			return "", false
		}
		n.closed = true
		if n.can.Reflow == ReflowUnknown {
			n.can.Reflow = ReflowLogical
		}
		if !n.kitty {
			n.other = true
			write = setOtherKeys
		}
		return write, true
	}
	return write, n.closed && n.can != before
}

// reflowOf reads the way of a terminal out of the name that it gives.
func reflowOf(name string, otherwise Reflow) Reflow {
	lower := strings.ToLower(name)
	switch {
	case strings.HasPrefix(lower, "xterm.js"):
		return ReflowShifting
	case strings.HasPrefix(lower, "xterm("), strings.HasPrefix(lower, "screen"):
		return ReflowNone
	case lower == "":
		return otherwise
	}
	return ReflowLogical
}

// secondary are the ways of terminals that older versions of give no name, by
// the beginning of their secondary device attributes: type, version, hardware.
var secondary = []struct {
	attributes string
	reflow     Reflow
}{
	{"0;276;0", ReflowShifting}, // xterm.js: InputHandler.ts, sendDeviceAttributesSecondary
	{"0;136;", ReflowNone},      // PuTTY
	{"41;", ReflowNone},         // xterm
	{"83;", ReflowNone},         // GNU screen
}

// reflowBy reads the way of a terminal out of its secondary device attributes.
func reflowBy(attributes string, otherwise Reflow) Reflow {
	for _, s := range secondary {
		if strings.HasPrefix(attributes, s.attributes) {
			return s.reflow
		}
	}
	return otherwise
}

// silent notes that the terminal answers nothing, and reports whether that is
// news. Where the environment told what it is, that holds.
func (n *negotiation) silent() bool {
	if n.known || n.closed || n.can != (Abilities{}) {
		return false
	}
	n.can.Reflow = ReflowUnknown
	return true
}

// guess reads what it can out of the environment, for terminals that do not
// give their name. Where that says nothing, most terminals are meant.
func guess(env func(string) string) (way Reflow, known bool) {
	name := env("TERM")
	switch {
	case env("TMUX") != "":
		return ReflowLogical, true
	case env("TERM_PROGRAM") == "vscode":
		return ReflowShifting, true
	case env("XTERM_VERSION") != "", strings.HasPrefix(name, "screen"), strings.HasPrefix(name, "st-"), name == "linux":
		return ReflowNone, true
	}
	return ReflowLogical, false
}
