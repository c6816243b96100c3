package display_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/display"
	"parley/internal/event"
	"parley/internal/transcript"
)

// checkLog holds what is true of every log: ids rise, only an open item lacks
// its end, each kind has its own detail.
func checkLog(t *testing.T, l *display.Log) {
	t.Helper()
	last := display.ItemID(0)
	for _, i := range l.Items() {
		if i.ID <= last {
			t.Errorf("item %d after %d", i.ID, last)
		}
		last = i.ID
		for kind, detail := range map[display.Kind]bool{
			display.KindUser: i.User != nil, display.KindCall: i.Call != nil, display.KindAsk: i.Ask != nil,
			display.KindAgent: i.Agent != nil, display.KindRetry: i.Retry != nil, display.KindCompaction: i.Compaction != nil, display.KindRun: i.Run != nil,
		} {
			if detail != (i.Kind == kind) {
				t.Errorf("item %d is %v, and its detail of %v: %v", i.ID, i.Kind, kind, detail)
			}
		}
	}
}

func build(log []event.Event) *display.Log {
	l := display.NewLog()
	show(l, log)
	return l
}

// describe is a log in words, with what is going on.
func describe(l *display.Log, s *transcript.State) string {
	var b strings.Builder
	for _, i := range l.Items() {
		state := "done"
		if i.Open {
			state = "open"
		}
		fmt.Fprintf(&b, "%d %v %s", i.ID, i.Kind, state)
		if i.Voice.Name != "" {
			fmt.Fprintf(&b, " by %s", i.Voice.Name)
		}
		if i.Label != "" {
			fmt.Fprintf(&b, " (%s)", i.Label)
		}
		if i.Call != nil {
			fmt.Fprintf(&b, " %s%s", i.Call.Name, i.Call.Arguments)
			if e := i.Call.Ended; e != nil {
				fmt.Fprintf(&b, " %s %s", e.Status, e.Summary)
			}
			if i.Call.Agent != "" {
				fmt.Fprintf(&b, " ran %s", i.Call.Agent)
			}
		}
		if a := i.Agent; a != nil {
			fmt.Fprintf(&b, " %s %q: %s, %d done, %d failed, header %q, state %q", a.Profile, a.Description, a.Reason, a.Done, a.Failed, a.Header, a.State)
			if a.LastFailed != nil {
				fmt.Fprintf(&b, ", failed %s", a.LastFailed.Name)
			}
		}
		if a := i.Ask; a != nil {
			fmt.Fprintf(&b, " %s %q", a.Tool, a.Opened.Title)
			if a.Closed != nil {
				fmt.Fprintf(&b, " %s %q by %s", a.Closed.Outcome, a.Label, a.Closed.Who)
			}
		}
		if i.Run != nil {
			fmt.Fprintf(&b, " %d %s %d+%d %v", i.Run.Number, i.Run.Reason, i.Run.Usage.Input, i.Run.Usage.Output, i.Run.Duration)
		}
		if text := i.Text(); text != "" {
			fmt.Fprintf(&b, " %q", text)
		}
		b.WriteString("\n")
	}
	phase, _ := display.PhaseOf(s)
	fmt.Fprintf(&b, "phase %v, run open %v, aborting %v, %d asks, title %q, plan %d, hint %q\n", phase, s.Run != nil, s.Run != nil && s.Run.Aborting, len(s.Asks), s.Title, len(s.Plan), "")
	return b.String()
}

// The log of every scenario is that of its golden file; a finished item never
// changes, the text of an open one only grows, but for a call whose live output
// its result replaces.
func TestFinishedItemsNeverChange(t *testing.T) {
	for scenario, log := range scenarios() {
		l := display.NewLog()
		c, s := display.New(l), transcript.New()
		texts := make(map[display.ItemID]string)
		done := make(map[display.ItemID]int)
		for _, e := range log {
			_ = c.Apply(s, e)
			for _, i := range l.Items() {
				if version, ok := done[i.ID]; ok && version != i.Version {
					t.Errorf("%s: item %d changed after its end", scenario, i.ID)
				}
				if !i.Open {
					done[i.ID] = i.Version
				}
				if !strings.HasPrefix(i.Text(), texts[i.ID]) && (i.Kind != display.KindCall || i.Open) {
					t.Errorf("%s: item %d had %q, has %q", scenario, i.ID, texts[i.ID], i.Text())
				}
				texts[i.ID] = i.Text()
			}
			checkLog(t, l)
		}
		golden(t, filepath.Join("testdata", "log", scenario+".txt"), describe(l, s))
		for _, i := range l.Items() {
			if i.Open || i.Ended.IsZero() {
				t.Errorf("%s: item %d (%v) is open at the end", scenario, i.ID, i.Kind)
			}
		}
	}
}

// The main session's items are the same whatever runs beside it.
func TestLogWithoutAgents(t *testing.T) {
	log := scenarios()["agents"]
	var alone []event.Event
	for _, e := range log {
		if e.Session == main {
			alone = append(alone, e)
		}
	}
	pick := func(l *display.Log) (out []string) {
		for _, i := range l.Items() {
			if i.Voice.Name == "" {
				out = append(out, fmt.Sprint(i.Kind, i.Text()))
			}
		}
		return out
	}
	got, want := pick(build(log)), pick(build(alone))
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// Forget drops what is finished and stands before the first open item, and
// nothing else; ids go on.
func TestForgetKeepsOpenItems(t *testing.T) {
	l := build(scenarios()["interrupt-tool"])
	n := len(l.Items())
	_ = l.Render(display.StartText{})
	open := l.Items()[n].ID
	_ = l.Render(display.ShowNote{Text: "later"})
	l.Forget(3)
	if got := len(l.Items()); got != n || l.Items()[0].ID != 3 {
		t.Errorf("%d items from %d on", got, l.Items()[0].ID)
	}
	l.Forget(1 << 30)
	if got := l.Items(); len(got) != 2 || got[0].ID != open || got[1].ID != open+1 {
		t.Errorf("%d items are left", len(got))
	}
	_ = l.Render(display.AppendText{Text: "still here"})
	if got := l.Items()[0].Text(); got != "still here" {
		t.Error(got)
	}
}
