package tui

import (
	"testing"
	"time"
)

// A frame that is wanted at once is drawn at once, but never more than sixty in
// any second; a stream is drawn at its own pace.
func TestFrameRate(t *testing.T) {
	now := noon
	var p pace
	var drawn []time.Time
	for now.Before(noon.Add(3 * time.Second)) {
		if at, ok := p.due(UrgencyNow); ok && !now.Before(at) {
			p = p.drawn(now)
			drawn = append(drawn, now)
		}
		now = now.Add(time.Millisecond)
	}
	for i, at := range drawn {
		n := 0
		for _, other := range drawn[i:] {
			if other.Sub(at) < time.Second {
				n++
			}
		}
		if n > 60 {
			t.Fatalf("%d frames within a second", n)
		}
	}
	if len(drawn) < 3*50 {
		t.Errorf("only %d frames in three seconds", len(drawn))
	}
	p = pace{}.drawn(noon)
	if at, _ := p.due(UrgencyNow); at.After(noon) {
		t.Errorf("a key waits %v behind one frame", at.Sub(noon))
	}
	if at, _ := p.due(UrgencySoon); !at.Equal(noon.Add(streamPause)) {
		t.Errorf("a stream waits %v", at.Sub(noon))
	}
	for _, u := range []Urgency{UrgencyNone, UrgencyLow} {
		if at, ok := p.due(u); ok {
			t.Errorf("urgency %d is due at %v", u, at)
		}
	}
}
