package catalog

import (
	"slices"
	"strings"
)

// Thinking is whether a model thinks before it answers, and how it is told how much.
type Thinking struct {
	Way     Way
	Between Between
	// Efforts are the words that it takes, from least to most; empty where it takes none.
	Efforts []Effort
}

// Way is how a request says how much to think. The zero value is not known.
type Way string

// The ways of thinking.
const (
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

// Between is whether a model thinks again between its calls of tools. The zero value is not known.
type Between string

// The forms of thinking between calls.
const (
	// Native: it does by itself, where its thoughts are given back to it.
	Native Between = "native"
	// Asked: where a header asks for it, interleaved-thinking-2025-05-14
	// (https://platform.claude.com/docs/en/build-with-claude/extended-thinking).
	Asked Between = "asked"
	// Echo: its server refuses calls whose thoughts are not given back with them.
	Echo Between = "echo"
)

// An Effort is how hard to think. Name is one of [EffortNames] and Word what the server calls it; the empty word is said
// by leaving it out.
type Effort struct{ Name, Word string }

// EffortNames are the names of efforts, from least to most.
var EffortNames = []string{"off", "minimal", "low", "medium", "high", "xhigh", "max"}

// Effort returns the effort of that name or, where the model does not take it, the nearest one below: nobody pays for
// more than was asked for. Where there is none below but off, it is the least one above. It reports false if the name is
// not one of [EffortNames] or the model takes none.
func (t Thinking) Effort(name string) (Effort, bool) {
	rank := slices.Index(EffortNames, name)
	if rank < 0 || len(t.Efforts) == 0 {
		return Effort{}, false
	}
	below := -1
	for i, e := range t.Efforts {
		switch at := slices.Index(EffortNames, e.Name); {
		case at == rank:
			return e, true
		case at < rank && e.Name != EffortNames[0]:
			below = i
		case at > rank && below < 0:
			return e, true
		}
	}
	return t.Efforts[max(below, 0)], true
}

// Takes reports whether it is known that the model takes no word for how hard to think.
func (t Thinking) Takes() Answer {
	switch {
	case len(t.Efforts) > 0:
		return Yes
	case t.Way == Never || t.Way == Fixed:
		return No
	}
	return Unknown
}

// String is the form of the data file: effort/native:off=none,low,high.
func (t Thinking) String() string {
	var b strings.Builder
	b.WriteString(string(t.Way))
	if t.Between != "" {
		b.WriteString("/" + string(t.Between))
	}
	for i, e := range t.Efforts {
		b.WriteByte(":,"[min(i, 1)])
		b.WriteString(e.Name)
		if e.Word != e.Name {
			b.WriteString("=" + e.Word)
		}
	}
	return b.String()
}

// parseThinking reads what String writes.
func parseThinking(text string) (Thinking, bool) {
	kind, list, some := strings.Cut(text, ":")
	way, between, marked := strings.Cut(kind, "/")
	t := Thinking{Way: Way(way), Between: Between(between)}
	switch {
	case !slices.Contains([]Way{Never, Fixed, Budget, Words, Adaptive}, t.Way):
		return Thinking{}, false
	case marked && t.Between != Native && t.Between != Asked && t.Between != Echo:
		return Thinking{}, false
	case !some:
		return t, true
	}
	rank := -1
	t.Efforts = make([]Effort, 0, strings.Count(list, ",")+1)
	for one := range strings.SplitSeq(list, ",") {
		name, word, renamed := strings.Cut(one, "=")
		if !renamed {
			word = name
		}
		at := slices.Index(EffortNames, name)
		if at <= rank || renamed && word == name || !plain(word) && word != "" {
			return Thinking{}, false
		}
		rank = at
		t.Efforts = append(t.Efforts, Effort{name, word})
	}
	return t, true
}

// plain reports whether a text is a word that can stand in the data file and on a terminal.
func plain(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' })
}
