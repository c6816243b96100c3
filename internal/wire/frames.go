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
		if d.Own != nil {
			out = append(out, d.Own(p, s, e)...)
		}
	}
	return out
}

// Opening returns what a peer would have got of what is open in s, had it been
// there: what encode makes of each event that opened it, but for those that leave
// tells of. It is what the Attach of a dialect is made of.
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
