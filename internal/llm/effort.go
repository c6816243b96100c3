package llm

import (
	"slices"
	"strconv"
)

// Effort is how much a model thinks before it answers: one of [Efforts], or a number of tokens, as in "8000". "" is the
// model's own choice.
type Effort string

// The efforts, from least to most.
const (
	None    Effort = "none"
	Minimal Effort = "minimal"
	Low     Effort = "low"
	Medium  Effort = "medium"
	High    Effort = "high"
	XHigh   Effort = "xhigh"
	Max     Effort = "max"
)

// Efforts are the words, from least to most.
var Efforts = []Effort{None, Minimal, Low, Medium, High, XHigh, Max}

// EffortOf is an effort as people say it: off is [None].
func EffortOf(text string) Effort {
	if text == "off" {
		return None
	}
	return Effort(text)
}

// Tokens is the effort as a number of tokens; ok is false where it is a word.
func (e Effort) Tokens() (n int, ok bool) {
	n, err := strconv.Atoi(string(e))
	return n, err == nil && n > 0
}

// worth is what each word is worth where a model wants tokens. The wires bound it by what they take.
var worth = []int{0, 1_024, 4_000, 10_000, 24_000, 32_000, 64_000}

// Budget is the effort in tokens; 0 for none and for a word that is no effort.
func (e Effort) Budget() int {
	if n, ok := e.Tokens(); ok {
		return n
	}
	return worth[max(0, slices.Index(Efforts, e))]
}

// Thinker says how to ask a model for an effort. It comes with the request; the zero value is for an unknown model, which
// is asked in the way of the newest models of its provider.
type Thinker struct {
	Way     Way
	Between Between
	// Levels are the efforts that it takes, from least to most; empty: not known.
	Levels []Level
}

// Way is the form in which an effort is asked for.
type Way string

// The ways of asking.
const (
	// Unknown is a model that nobody knows.
	Unknown Way = ""
	// Never: the model does not think.
	Never Way = "never"
	// Fixed: it thinks as it likes and takes no word for it.
	Fixed Way = "fixed"
	// Budget: a number of tokens.
	Budget Way = "budget"
	// Words: an effort.
	Words Way = "effort"
	// Adaptive: it chooses for itself within an effort.
	Adaptive Way = "adaptive"
)

// Between says whether a model thinks again between its calls. Where it does, each wire sends its thoughts back to it.
type Between string

// The forms of thinking between calls.
const (
	// Native: it does by itself, or it is not known.
	Native Between = ""
	// Asked: where the request asks for it.
	Asked Between = "asked"
	// Echo: its server refuses calls whose thoughts do not come back with them.
	Echo Between = "echo"
)

// Level is an effort that a model takes, and what its server calls it. An empty word is said by leaving it out.
type Level struct {
	Effort Effort
	Word   string
}

// Asks is what to ask the model for: the effort itself where its levels are not known, else the nearest level below: nobody
// pays for more than was asked for. Where there is none below but [None] it is the lowest one above. ok is false where
// nothing is asked for: there is no effort, or the model takes none.
func (t Thinker) Asks(e Effort) (level Level, ok bool) {
	if e == "" || t.Way == Never || t.Way == Fixed {
		return Level{}, false
	}
	if n, tokens := e.Tokens(); tokens && t.Way != Budget {
		e = nearest(n)
	}
	if len(t.Levels) == 0 || t.Way == Budget && e != None {
		return Level{e, string(e)}, true
	}
	rank, below := slices.Index(Efforts, e), -1
	for i, l := range t.Levels {
		switch at := slices.Index(Efforts, l.Effort); {
		case at == rank:
			return l, true
		case at < rank && l.Effort != None:
			below = i
		case at > rank && below < 0:
			return l, true
		}
	}
	return t.Levels[max(below, 0)], true
}

// Or is how a model is asked: as is known of it, or else in the standard way.
func (t Thinker) Or(standard Thinker) Thinker {
	if t.Way == Unknown {
		return standard
	}
	return t
}

// Same are levels that the server calls by our words.
func Same(efforts ...Effort) []Level {
	out := make([]Level, len(efforts))
	for i, e := range efforts {
		out[i] = Level{e, string(e)}
	}
	return out
}

// nearest is the least word that is worth so many tokens.
func nearest(tokens int) Effort {
	for i, n := range worth {
		if tokens <= n {
			return Efforts[i]
		}
	}
	return Max
}
