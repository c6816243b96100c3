package tui

import "time"

// The pace of frames. Streamed text is drawn at most 15 times a second: 20 read no
// smoother and cost a quarter more. What must be seen at once, such as a key, is
// drawn at once as long as there were few frames; the bucket keeps any one second
// at 60 frames or less.
const (
	streamPause = time.Second / 15
	bucketSize  = 8
	bucketPause = time.Second / (60 - bucketSize)
)

// A pace says when the next frame may be drawn. The zero pace has drawn nothing.
type pace struct {
	last time.Time // of the last frame
	full time.Time // when the bucket is full again
}

// drawn takes note of a frame.
func (p pace) drawn(now time.Time) pace {
	if p.full.Before(now) {
		p.full = now
	}
	return pace{last: now, full: p.full.Add(bucketPause)}
}

// due returns when a change of this urgency is to be drawn, if it is to be drawn
// for its own sake.
func (p pace) due(u Urgency) (at time.Time, ok bool) {
	switch u {
	case UrgencySoon:
		return p.last.Add(streamPause), true
	case UrgencyNow:
		at := p.full.Add(-(bucketSize - 1) * bucketPause)
		if at.Before(p.last) {
			at = p.last
		}
		return at, true
	case UrgencyNone, UrgencyLow:
	}
	return time.Time{}, false
}
