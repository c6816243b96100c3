// Package room says what of a request goes when it is larger than the model's window.
//
// A request is a list of [Source] values: each has a size, belongs to a group (a step of the conversation, or what a person
// said) and has a row in one table, which says whether it is locked, whether it can shrink, and whether a summary can stand
// for it. [Make] is the one function that decides: it is called at the threshold, on overflow and when somebody asks, each
// with its own [Limits]. What a plan guarantees:
//
//   - Nothing that is locked goes, and neither does the newest group; only its results shrink, and only where the request
//     would not fit the window at all.
//   - The oldest goes first. Room is made down to the target and no further: the last thing that goes is needed.
//   - Results shrink before anything is summarised. Where that is not enough nothing shrinks: a summary that is made of
//     results as they were is worth more.
//   - Its work is bounded by the number of sources; where a plan frees too little to be worth its price it is empty.
//
// It is pure: it counts no tokens, asks no model and changes nothing.
package room

import (
	"cmp"
	"slices"
)

// Kind is what a source is; it has a row in the table.
type Kind int

// The kinds of sources.
const (
	System  Kind = iota // the system prompt, with the instructions of the project
	Tools               // their schemas
	Planned             // the session's plan, as it goes with a summary
	Wish                // what the user said last
	Summary             // of what was before
	Said                // what the user said earlier, and what the model said and called
	Result              // what a call gave
)

// row is what can become of a kind of source.
type row struct {
	name    string
	locked  bool // it stays, whatever happens
	shrinks bool // to a word that says where it can be read
}

// table says how useful each kind is. What shrinks is needed least, what is locked most; what is neither is summarised.
var table = [...]row{
	System:  {name: "system", locked: true},
	Tools:   {name: "tools", locked: true},
	Planned: {name: "plan", locked: true},
	Wish:    {name: "last message", locked: true},
	Summary: {name: "summary"},
	Said:    {name: "conversation"},
	Result:  {name: "results", shrinks: true},
}

// String is the kind as people read it.
func (k Kind) String() string { return table[k].name }

// Before is the group of what comes before the conversation.
const Before = -1

// Source is one piece of a request.
type Source struct {
	Kind  Kind
	Group int // of the conversation, counted from the oldest; Before: none
	Size  int // tokens
	Rest  int // tokens that are left of it when it has shrunk; as many as Size where it cannot
}

// Limits are what room is made for, in tokens.
type Limits struct {
	Target  int // what is to be left at the most
	Window  int // what the model takes at the most
	Summary int // what a summary takes
	Least   int // what a plan must free to be worth while
	// Whole says that nothing shrinks: all that goes is summarised.
	Whole bool
}

// Plan is what goes. The zero Plan is that nothing does.
type Plan struct {
	Shrink []int // indices of the sources that shrink
	Groups int   // the number of groups, from the oldest on, that a summary stands for; what is locked in them stays
	After  int   // the tokens that are left, by the sizes that were given
}

// Empty reports whether nothing goes.
func (p Plan) Empty() bool { return p.Groups == 0 && len(p.Shrink) == 0 }

// Make returns what goes so that the sources come to the target.
func Make(sources []Source, l Limits) Plan {
	total := 0
	for _, s := range sources {
		total += s.Size
	}
	if total <= l.Target {
		return Plan{After: total}
	}
	newest := Newest(sources)
	plan := Plan{After: total}
	if !l.Whole {
		plan = shrink(sources, newest, l.Target, total)
	}
	if plan.After > l.Target {
		plan = summarise(sources, newest, l, total)
	}
	if plan.After > l.Window {
		plan = last(sources, newest, l.Window, plan)
	}
	if total-plan.After < max(1, l.Least) {
		return Plan{After: total}
	}
	return plan
}

// Newest is the last group that is not locked, or Before where all are.
func Newest(sources []Source) int {
	newest := Before
	for _, s := range sources {
		if !table[s.Kind].locked {
			newest = max(newest, s.Group)
		}
	}
	return newest
}

// shrink takes results, the oldest first, as far as needed.
func shrink(sources []Source, newest, target, total int) Plan {
	p := Plan{After: total}
	for i, s := range sources {
		if p.After <= target {
			break
		}
		if table[s.Kind].shrinks && s.Group < newest && s.Rest < s.Size {
			p.Shrink = append(p.Shrink, i)
			p.After -= s.Size - s.Rest
		}
	}
	return p
}

// summarise takes whole groups, the oldest first, as far as needed. A summary that was there is replaced.
func summarise(sources []Source, newest int, l Limits, total int) Plan {
	after := total + l.Summary
	sizes := make([]int, max(0, newest))
	for _, s := range sources {
		switch {
		case s.Kind == Summary:
			after -= s.Size
		case !table[s.Kind].locked && s.Group >= 0 && s.Group < newest:
			sizes[s.Group] += s.Size
		}
	}
	p := Plan{After: total}
	for g, size := range sizes {
		if size == 0 {
			continue // locked
		}
		after -= size
		p.Groups, p.After = g+1, after
		if after <= l.Target {
			break
		}
	}
	if p.After >= total {
		return Plan{After: total} // a summary would take more than it stands for
	}
	return p
}

// last shrinks what stays, too, the largest first, because the request would not fit at all.
func last(sources []Source, newest, window int, p Plan) Plan {
	var left []int
	for i, s := range sources {
		if table[s.Kind].shrinks && s.Group >= p.Groups && s.Group <= newest && s.Rest < s.Size && !slices.Contains(p.Shrink, i) {
			left = append(left, i)
		}
	}
	slices.SortStableFunc(left, func(a, b int) int {
		return cmp.Or(cmp.Compare(sources[a].Group, sources[b].Group), cmp.Compare(sources[b].Size-sources[b].Rest, sources[a].Size-sources[a].Rest))
	})
	for _, i := range left {
		if p.After <= window {
			break
		}
		p.Shrink = append(p.Shrink, i)
		p.After -= sources[i].Size - sources[i].Rest
	}
	return p
}
