package permission

import (
	"math"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// command is one simple command of a line.
type command struct {
	words []word
	// open says that more words follow when it runs, as with xargs.
	open bool
	// need is how many of its words an allow rule with :* must name, so that
	// a rule on a wrapper says what may be wrapped.
	need int
	// inner is the command that a transparent wrapper runs: a rule that
	// allows it allows the whole.
	inner *command
	// free commands need no rule: cd inside the workspace.
	free bool
}

// exactly is a need that only a rule without :* meets.
const exactly = math.MaxInt

func (c command) name() string {
	if len(c.words) == 0 || !c.words[0].static {
		return ""
	}
	return strings.ToLower(path.Base(c.words[0].text))
}

// arg is the text of a static word, or "".
func (c command) arg(i int) string {
	if i >= len(c.words) || !c.words[i].static {
		return ""
	}
	return c.words[i].text
}

func (c command) String() string { return displayWords(c.words) }

func displayWords(words []word) string {
	shown := make([]string, len(words))
	for i, w := range words {
		shown[i] = w.text
	}
	return strings.Join(shown, " ")
}

func (r *lineReader) call(call *syntax.CallExpr) {
	for _, a := range call.Assigns {
		r.mark("an assignment")
		r.inner(a)
	}
	words := make([]word, len(call.Args))
	for i, arg := range call.Args {
		r.expansions(arg)
		words[i] = readWord(arg)
	}
	if len(words) == 0 {
		return
	}
	if words[0].static && words[0].text == "cd" {
		r.cd(words)
		return
	}
	r.add(r.classify(words, false))
}

func (r *lineReader) add(c command) {
	if len(r.commands)+len(r.hidden) >= maxCommands {
		r.mark("too many commands")
		r.unknown = true
		return
	}
	r.commands = append(r.commands, c)
}

func (r *lineReader) hide(c command) {
	if len(r.commands)+len(r.hidden) >= maxCommands {
		r.unknown = true
		return
	}
	r.hidden = append(r.hidden, c)
}

// cd follows a change of folder. It needs no rule where it stays inside the
// workspace.
func (r *lineReader) cd(words []word) {
	r.moved = true
	c := command{words: words, need: 1}
	before := r.dirs
	r.target = nil
	if len(words) == 2 && words[1].static && !strings.HasPrefix(words[1].text, "-") && before != nil {
		c.free = true
		for _, dir := range before {
			to, ok := words[1].file(dir, r.home)
			if !ok {
				r.target, c.free = nil, false
				break
			}
			if !below(r.root, to) {
				c.free = false
				r.away = append(r.away, to)
			}
			r.target = append(r.target, to)
			r.entered = append(r.entered, to)
		}
	} else {
		r.away = append(r.away, "a folder that only shows when it runs")
	}
	r.dirs = slices.Clone(r.target)
	r.join(before)
	r.add(c)
}

// inside reads shell text that a command gets as a word: only deny rules,
// questions and warnings count what it holds.
func (r *lineReader) inside(text string) {
	if r.nesting >= maxNesting {
		r.unknown = true
		return
	}
	sub := &lineReader{root: r.root, home: r.home, nesting: r.nesting + 1, dirs: slices.Clone(r.dirs)}
	sub.code(text)
	for _, c := range slices.Concat(sub.commands, sub.hidden) {
		r.hide(c)
	}
	r.covert = slices.Concat(r.covert, sub.files, sub.covert)
	r.unknown = r.unknown || sub.unknown
}

// match is how surely a rule matches.
type match int

const (
	never match = iota
	maybe
	surely
)

// covers reports whether an allow rule of these words covers the command: all
// that the rule says is in the command, in the same place, and known.
func (c command) covers(words []word, prefix bool) bool {
	switch {
	case c.inner != nil && c.inner.covers(words, prefix):
		return true
	case !prefix:
		return !c.open && sameWords(c.words, words)
	case len(words) > len(c.words) || len(words) < c.need:
		return false
	}
	return sameWords(c.words[:len(words)], words)
}

// meets reports whether a rule that takes away matches the command. The
// program may stand under any path and in any case, and options may stand
// between the words of the rule.
func (c command) meets(words []word, prefix bool) match {
	if len(c.words) == 0 {
		return never
	}
	if !c.words[0].static {
		return maybe
	}
	want := strings.ToLower(path.Base(words[0].text))
	if c.name() != want {
		return never
	}
	if !prefix {
		return c.meetsExactly(words)
	}
	// at marks the places where the next word of the rule may stand.
	at := make([]bool, len(c.words)+3)
	at[1] = true
	for _, want := range words[1:] {
		next := make([]bool, len(at))
		found := false
		for i := 1; i < len(c.words); i++ {
			if !at[i] {
				continue
			}
			w := c.words[i]
			if !w.static {
				return maybe
			}
			if w == want {
				next[i+1], found = true, true
			}
			if strings.HasPrefix(w.text, "-") {
				// What follows an option may be its value, or the word.
				at[i+1], at[i+2] = true, true
			}
		}
		if c.open && (at[len(c.words)] || at[len(c.words)+1]) {
			return maybe
		}
		if !found {
			return never
		}
		at = next
	}
	return surely
}

func (c command) meetsExactly(words []word) match {
	for i, w := range c.words {
		switch {
		case !w.static:
			return maybe
		case i >= len(words) || i > 0 && w != words[i]:
			return never
		}
	}
	switch {
	case len(words) == len(c.words):
		return surely
	case c.open:
		return maybe
	}
	return never
}
