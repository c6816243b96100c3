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
