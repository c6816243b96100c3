package wire

import (
	"parley/internal/event"
	"parley/internal/transcript"
)

// Frames folds e into s and returns what the peer gets of it. It is what a pump
// does with each event, for those that have no connection: replay, and a
// dialect on standard output.
func (d *Dialect) Frames(p Peer, s *transcript.State, e event.Event) []Frame {
	var out []Frame
	for e := range transcript.Advance(s, e) {
		s.Apply(e)
		out = append(out, d.Encode(p.Class, s, e)...)
		if d.ForPeer != nil {
			out = append(out, d.ForPeer(p, s, e)...)
		}
	}
	return out
}

// Opening returns the frames that a peer would have got of what is open in s, had
// it been there: encode is called for each event that opened it, except those for
// which leave is true. A dialect's Attach is made of it.
func Opening(c Class, s *transcript.State, encode func(Class, *transcript.State, event.Event) []Frame, leave func(event.Event) bool) []Frame {
	var out []Frame
	t := transcript.New()
	for _, e := range transcript.Opening(s) {
		for e := range transcript.Advance(t, e) {
			if t.Apply(e); leave == nil || !leave(e) {
				out = append(out, encode(c, t, e)...)
			}
		}
	}
	return out
}
