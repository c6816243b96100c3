package tui

import "time"

// The least time between two frames: for what streams, and for what is to be
// seen at once, which no eye sees at a higher rate.
const (
	streamPause = time.Second / 20
	promptPause = time.Second / 60
)

// due returns when a change of this urgency is to be drawn, given when the last
// frame was; the zero time is never.
func due(u Urgency, last time.Time) time.Time {
	switch u {
	case Stream:
		return last.Add(streamPause)
	case Prompt:
		return last.Add(promptPause)
	case Calm, Light:
	}
	return time.Time{}
}
