package rig

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"parley/internal/event"
)

// noon is when every recording begins, and tick what its times are rounded to:
// they keep their distances, and another recording of the same has the same ones.
var noon = time.Date(2025, 6, 1, 12, 0, 0, 0, time.UTC)

const tick = 100 * time.Millisecond

// normalize makes a recording of what a client saw: what would differ from one time
// to the next is set to what it means. The folders of the home become those of
// somebody whose home is /home/me; the session is sess-01, a sub-agent's is
// named for its call; clients are c1, c2 and so on; seq counts from 1; the first
// event is at noon, and times are rounded.
func (h *Home) normalize(lines []Line) ([]event.Event, error) {
	var out []event.Event
	for _, l := range lines {
		if l.Seq == 0 {
			continue
		}
		e, err := event.Decode([]byte(h.elsewhere(l.Raw)))
		if err != nil {
			return nil, fmt.Errorf("%w: %s", err, l.Raw)
		}
		out = append(out, e)
	}
	out, err := renamed(out)
	if err != nil || len(out) == 0 {
		return out, err
	}
	began := out[0].Time
	for i := range out {
		e := &out[i]
		e.Seq, e.Time = event.Seq(i+1), noon.Add(e.Time.Sub(began).Round(tick))
		e.Body = plain(e.Body)
	}
	return out, nil
}

// elsewhere is a text of this home as it would be in another one.
func (h *Home) elsewhere(text string) string {
	for _, p := range [][2]string{
		{h.Store, "/home/me/.local/share/parley"},
		{h.Getenv("XDG_DATA_HOME"), "/home/me/.local/share"},
		{h.Getenv("XDG_STATE_HOME"), "/home/me/.local/state"},
		{h.Getenv("XDG_CONFIG_HOME"), "/home/me/.config"},
		{h.Getenv("HOME"), "/home/me"},
		{h.Getenv("TMPDIR"), "/tmp"},
		{h.Work, "/home/me/shop"},
		{h.Dir, "/home/me"},
		{h.run, "/run/user/1000"},
	} {
		if real, err := filepath.EvalSymlinks(p[0]); err == nil {
			text = strings.ReplaceAll(text, real, p[1])
		}
		text = strings.ReplaceAll(text, p[0], p[1])
	}
	return text
}

// renamed gives sessions and clients names that are the same each time.
func renamed(log []event.Event) ([]event.Event, error) {
	var pairs []string
	clients := 0
	for _, e := range log {
		switch b := e.Body.(type) {
		case event.ClientJoined:
			clients++
			pairs = append(pairs, string(b.Client), fmt.Sprint("c", clients))
		case event.SessionOpened:
			name := "sess-01"
			if b.Call != "" {
				name = "sess-" + string(b.Call)
			}
			pairs = append(pairs, string(e.Session), name)
		}
	}
	names := strings.NewReplacer(pairs...)
	out := make([]event.Event, 0, len(log))
	for _, e := range log {
		renamed, err := event.Decode([]byte(names.Replace(line(e))))
		if err != nil {
			return nil, err
		}
		out = append(out, renamed)
	}
	return out, nil
}

// plain is a body without what only this build, this machine or this moment say.
func plain(b event.Body) event.Body {
	switch b := b.(type) {
	case event.ClientJoined:
		b.Version = ""
		return b
	case event.BudgetChanged:
		// The system prompt names the workspace, whose name is longer or shorter.
		for i, s := range b.Sources {
			b.Sources[i].Tokens = s.Tokens / 100 * 100
		}
		return b
	}
	return timed(b, rounded)
}

// timed is a body with its durations made others.
func timed(b event.Body, other func(ms int64) int64) event.Body {
	switch b := b.(type) {
	case event.BlockEnded:
		b.DurationMS = other(b.DurationMS)
		return b
	case event.CallEnded:
		b.DurationMS = other(b.DurationMS)
		return b
	case event.RunEnded:
		b.DurationMS = other(b.DurationMS)
		return b
	case event.RetryScheduled:
		b.DelayMS = other(b.DelayMS)
		return b
	}
	return b
}

// rounded is a duration to the next tick, and below a tick to 1, 2, 5, 10, 20 or
// 50 milliseconds.
func rounded(ms int64) int64 {
	if ms >= tick.Milliseconds() {
		return (time.Duration(ms) * time.Millisecond).Round(tick).Milliseconds()
	}
	for _, step := range []int64{50, 20, 10, 5, 2, 1} {
		if ms >= step {
			return step
		}
	}
	return ms
}

// Story is what happens in a recording, subject by subject: the session, each
// of its sub-agents, each call, and those who come and go. Subjects are told
// apart because what happens to one may come before or after what happens to
// another; deltas of one text are one, however they were cut. Whole says
// all of an event but when it was and in which place; otherwise only its kind.
func Story(log []event.Event, whole bool) map[string][]string {
	out := map[string][]string{}
	for _, e := range log {
		about, told := subject(e), e.Kind()
		if n := len(out[about]); strings.HasSuffix(told, ".grew") && n > 0 && out[about][n-1] == told {
			continue
		} else if whole && !strings.HasSuffix(told, ".grew") {
			e.Seq, e.Time, e.Body = 0, time.Time{}, timed(e.Body, func(int64) int64 { return 0 })
			told = line(e)
		}
		out[about] = append(out[about], told)
	}
	return out
}

func subject(e event.Event) string {
	about := string(e.Session)
	switch b := e.Body.(type) {
	case event.ClientJoined, event.ClientLeft:
		return "clients"
	case event.CallStarted:
		return about + " " + string(b.Call)
	case event.CallDelta:
		return about + " " + string(b.Call)
	case event.CallEnded:
		return about + " " + string(b.Call)
	case event.PermissionDecided:
		return about + " " + string(b.Call)
	case event.PermissionPreviewed:
		return about + " " + string(b.Call)
	case event.PermissionReady:
		return about + " " + string(b.Call)
	case event.FilesChanged:
		return about + " files"
	}
	return about
}

// Differ says where two recordings part; nil where they are the same.
func Differ(got, want map[string][]string) []string {
	var out []string
	for about := range union(got, want) {
		a, b := got[about], want[about]
		n := 0
		for n < len(a) && n < len(b) && a[n] == b[n] {
			n++
		}
		if n < len(a) || n < len(b) {
			out = append(out, fmt.Sprintf("%s, event %d: %s, and was %s", about, n+1, at(a, n), at(b, n)))
		}
	}
	slices.Sort(out)
	return out
}

func union(a, b map[string][]string) map[string]bool {
	all := make(map[string]bool, len(a))
	for about := range a {
		all[about] = true
	}
	for about := range b {
		all[about] = true
	}
	return all
}

func at(lines []string, n int) string {
	if n < len(lines) {
		return lines[n]
	}
	return "nothing more"
}
