package tui

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What was said to earlier sessions comes before what was said since, whenever it
// is known: who is back in the history stays where he is. It is shown without
// what would steer the terminal, and not twice where both ends meet.
func TestEarlierInputs(t *testing.T) {
	var c composer
	for _, text := range []string{"second", "third"} {
		c = c.set(text).remember()
	}
	c = c.set("draft").up(80).up(80)
	if c.text != "second" {
		t.Fatalf("two back is %q", c.text)
	}
	c = c.earlier([]string{"first", "\x1b[2Jsecond", "second"})
	want := []string{"first", "second", "third"}
	if d := cmp.Diff(want, c.history); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if c = c.up(80); c.text != "first" {
		t.Errorf("three back is %q", c.text)
	}
	if c = c.down(80).down(80).down(80); c.text != "draft" {
		t.Errorf("at the end is %q", c.text)
	}
	if c = c.earlier(slices.Repeat([]string{"a", "b"}, historyMax)); len(c.history) != historyMax || c.history[historyMax-1] != "third" {
		t.Errorf("%d inputs are kept, the last is %q", len(c.history), c.history[len(c.history)-1])
	}
}
