package room_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"parley/internal/room"
)

// conversation draws a request: what comes before, then groups of what was said and what calls gave; the wish is one of them.
func conversation(t *rapid.T) []room.Source {
	size := rapid.IntRange(1, 3000)
	out := []room.Source{{Kind: room.System, Group: room.Before, Size: size.Draw(t, "system")}, {Kind: room.Tools, Group: room.Before, Size: size.Draw(t, "tools")}}
	if rapid.Bool().Draw(t, "summarised") {
		out = append(out, room.Source{Kind: room.Summary, Group: room.Before, Size: size.Draw(t, "summary")}, room.Source{Kind: room.Planned, Group: room.Before, Size: 40})
	}
	groups := rapid.IntRange(0, 30).Draw(t, "groups")
	wish := rapid.IntRange(-1, groups-1).Draw(t, "wish")
	for g := range groups {
		if g == wish {
			out = append(out, room.Source{Kind: room.Wish, Group: g, Size: size.Draw(t, "wish")})
			continue
		}
		out = append(out, room.Source{Kind: room.Said, Group: g, Size: size.Draw(t, "said")})
		for range rapid.IntRange(0, 4).Draw(t, "results") {
			n := size.Draw(t, "result")
			out = append(out, room.Source{Kind: room.Result, Group: g, Size: n, Rest: min(n, 40)})
		}
	}
	return out
}

func drawLimits(t *rapid.T) room.Limits {
	window := rapid.IntRange(100, 100_000).Draw(t, "window")
	target := rapid.IntRange(1, window).Draw(t, "target")
	return room.Limits{Target: target, Window: window, Summary: rapid.IntRange(0, 2000).Draw(t, "allowance"),
		Least: rapid.SampledFrom([]int{0, window / 20}).Draw(t, "least"), Whole: rapid.Bool().Draw(t, "whole")}
}

func locked(k room.Kind) bool { return k < room.Summary }

// outcome is what a plan leaves: the size, and the sources that went or shrank.
func outcome(sources []room.Source, l room.Limits, p room.Plan) (after int, gone, shrunk []room.Source) {
	for i, s := range sources {
		switch {
		case p.Groups > 0 && (s.Kind == room.Summary || s.Group >= 0 && s.Group < p.Groups && !locked(s.Kind)):
			gone = append(gone, s)
		case slices.Contains(p.Shrink, i):
			shrunk = append(shrunk, s)
			after += s.Rest
		default:
			after += s.Size
		}
	}
	if p.Groups > 0 {
		after += l.Summary
	}
	return after, gone, shrunk
}

// What is locked stays, the newest stays, what shrinks is a result, and the size that a plan names is the size that it leaves.
func TestWhatStays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sources, l := conversation(t), drawLimits(t)
		p := room.Make(sources, l)
		newest := room.Newest(sources)
		after, gone, shrunk := outcome(sources, l, p)
		if after != p.After {
			t.Fatalf("%d tokens are left, the plan says %d: %+v", after, p.After, p)
		}
		for _, s := range gone {
			if locked(s.Kind) || s.Group == newest && newest >= 0 {
				t.Fatalf("%s of group %d went, the newest is %d: %+v", s.Kind, s.Group, newest, p)
			}
		}
		desperate := false
		for _, s := range shrunk {
			if s.Kind != room.Result || s.Rest >= s.Size || s.Group < p.Groups {
				t.Fatalf("%+v shrank: %+v", s, p)
			}
			desperate = desperate || s.Group == newest || l.Whole || p.Groups > 0
		}
		if last := len(shrunk) - 1; desperate && after+shrunk[last].Size-shrunk[last].Rest <= l.Window {
			t.Fatalf("the newest shrank though all fits the window of %d without: %+v", l.Window, p)
		}
	})
}

// Never over the target after, where anything but what is locked and the newest can go for it; and never over the window
// where results of the newest can shrink for it.
func TestNeverOverTheTarget(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sources, l := conversation(t), drawLimits(t)
		l.Least = 0
		p := room.Make(sources, l)
		newest := room.Newest(sources)
		least, bare, old := l.Summary, l.Summary, 0
		total := 0
		for _, s := range sources {
			total += s.Size
			switch {
			case locked(s.Kind):
				least, bare = least+s.Size, bare+s.Size
			case s.Group == newest && newest >= 0:
				least += s.Size
				bare += s.Size
				if s.Kind == room.Result {
					bare -= s.Size - s.Rest
				}
			case s.Group >= 0:
				old += s.Size
			}
		}
		if old <= l.Summary {
			return // a summary would take more than it stands for
		}
		if p.After > l.Target && p.After > min(least, total) {
			t.Fatalf("%d tokens are left of %d, the target is %d, and %d stays: %+v", p.After, total, l.Target, least, p)
		}
		if p.After > l.Window && bare <= l.Window {
			t.Fatalf("%d tokens are left, the window is %d, and %d would do: %+v", p.After, l.Window, bare, p)
		}
	})
}

// Room is made down to the target and no further: without the last thing that goes it is not reached. What goes first is
// the oldest.
func TestNoFurtherThanTheTarget(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sources, l := conversation(t), drawLimits(t)
		p := room.Make(sources, l)
		switch {
		case p.Groups > 0:
			freed, earlier := 0, false
			for _, s := range sources {
				earlier = earlier || s.Group >= 0 && s.Group < p.Groups-1 && !locked(s.Kind)
				if s.Group == p.Groups-1 && !locked(s.Kind) {
					freed += s.Size
				}
			}
			if !earlier {
				return // a summary stands for one group at the least
			}
			for _, i := range p.Shrink {
				freed += sources[i].Size - sources[i].Rest // because of the window
			}
			if p.After+freed <= l.Target {
				t.Fatalf("the last group need not go: %d+%d of %d: %+v", p.After, freed, l.Target, p)
			}
		case len(p.Shrink) > 0 && p.After < l.Target:
			last := sources[p.Shrink[len(p.Shrink)-1]]
			if p.After+last.Size-last.Rest <= min(l.Target, l.Window) {
				t.Fatalf("the last result need not shrink: %+v", p)
			}
		}
		if total := total(sources); total <= l.Target && !p.Empty() {
			t.Fatalf("%d tokens fit, and still %+v", total, p)
		}
	})
}

// A session that grows for a very long time costs the same for each event: room is made once for so many tokens as each
// time come free at the least, and what is looked at each time is bounded by the window, not by the length of the session.
func TestConstantCostPerEvent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const window, begin, target, summary = 10_000, 8000, 5000, 1000
		step := rapid.IntRange(20, 1500)
		cost := func(steps int) float64 {
			sources := []room.Source{{Kind: room.System, Group: room.Before, Size: 300}, {Kind: room.Wish, Group: 0, Size: 50}}
			looked, made, grown := 0, 0, 0
			for range steps {
				group := sources[len(sources)-1].Group + 1
				n := step.Draw(t, "step")
				grown += n
				sources = append(sources, room.Source{Kind: room.Said, Group: group, Size: 10, Rest: 10}, room.Source{Kind: room.Result, Group: group, Size: n, Rest: min(n, 40)})
				if total(sources) < begin {
					continue
				}
				p := room.Make(sources, room.Limits{Target: target, Window: window, Summary: summary, Least: window / 20})
				looked, made = looked+len(sources), made+1
				if p.Empty() {
					t.Fatalf("nothing goes of %d tokens", total(sources))
				}
				sources = apply(sources, p, summary)
			}
			if most := (grown+20*steps)/(begin-target-summary) + 1; made > most {
				t.Fatalf("room was made %d times for %d tokens", made, grown)
			}
			return float64(looked) / float64(steps)
		}
		short, long := cost(100), cost(1500)
		if long > 3*short+10 {
			t.Fatalf("an event costs %.1f sources in a session of 100 steps and %.1f in one of 1,500", short, long)
		}
	})
}

func total(sources []room.Source) (n int) {
	for _, s := range sources {
		n += s.Size
	}
	return n
}

// apply is the request that a plan leaves.
func apply(sources []room.Source, p room.Plan, summary int) (out []room.Source) {
	if p.Groups > 0 {
		out = append(out, room.Source{Kind: room.Summary, Group: room.Before, Size: summary})
	}
	for i, s := range sources {
		if p.Groups > 0 && (s.Kind == room.Summary || s.Group >= 0 && s.Group < p.Groups && !locked(s.Kind)) {
			continue
		}
		if slices.Contains(p.Shrink, i) {
			s.Size = s.Rest
		}
		out = append(out, s)
	}
	return out
}

// A result gets no more than one may have, all together no more than all, and nobody less than an equal part.
func TestShare(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sizes := rapid.SliceOfN(rapid.IntRange(0, 1000), 0, 12).Draw(t, "sizes")
		one, all := rapid.IntRange(0, 500).Draw(t, "one"), rapid.IntRange(0, 3000).Draw(t, "all")
		sum := 0
		for i, n := range room.Share(sizes, one, all) {
			sum += n
			if n > one || n > sizes[i] || n < min(sizes[i], one, all/len(sizes)) {
				t.Fatalf("%d of %d: one %d, all %d of %d", n, sizes[i], one, all, len(sizes))
			}
		}
		if sum > all {
			t.Fatalf("%d together, all may have %d", sum, all)
		}
	})
}
