package wire

import (
	"parley/internal/event"
	"parley/internal/transcript"
)

// Apply folds e into s and gives it to encode, so that what encode sees of a
// block or of a call's output is each byte once:
//
//   - Grown text that overlaps what there was is cut to what is new; where
//     nothing is, encode is not called.
//   - Where e ends a block that grew less than it ends with, as in a log whose
//     grew were dropped, the rest comes first, as one block.grew with seq 0.
func Apply(s *transcript.State, e event.Event, encode func(event.Event)) {
	e, rest, seen := fresh(s, e)
	if rest != nil {
		s.Apply(*rest)
		encode(*rest)
	}
	s.Apply(e)
	if !seen {
		encode(e)
	}
}

// fresh returns e without what s has, what is missing before it, and whether s
// has all of it.
func fresh(root *transcript.State, e event.Event) (cut event.Event, rest *event.Event, seen bool) {
	s := root
	if child := root.Children[e.Session]; child != nil {
		s = child
	}
	switch b := e.Body.(type) {
	case event.BlockGrew:
		if open := block(s, b.Block); open != nil {
			b.Offset, b.Text, seen = behind(b.Offset, b.Text, open.Text.Len())
			e.Body = b
		}
	case event.CallGrew:
		if call := s.OpenCall(b.Call); call != nil {
			b.Offset, b.Text, seen = behind(b.Offset, b.Text, call.Output.Len())
			e.Body = b
		}
	case event.BlockEnded:
		open := block(s, b.Block)
		if open == nil || open.Text.Len() >= len(b.Text) {
			break
		}
		n := open.Text.Len()
		r := e
		r.Seq, r.Body = 0, event.BlockGrew{Block: b.Block, Offset: n, Text: b.Text[n:]}
		return e, &r, false
	}
	return e, nil, seen
}

func block(s *transcript.State, id event.BlockID) *transcript.OpenBlock {
	if s.Step == nil || s.Step.Response == nil || s.Step.Response.Block == nil || s.Step.Response.Block.ID != id {
		return nil
	}
	return s.Step.Response.Block
}

// behind cuts text that begins at offset to what comes after the first have
// bytes.
func behind(offset int, text string, have int) (int, string, bool) {
	if offset < 0 || offset >= have {
		return offset, text, false
	}
	skip := min(have-offset, len(text))
	return offset + skip, text[skip:], skip == len(text)
}

// Frames folds e into s and returns what the peer gets of it. It is what a pump
// does with each event, for those that have no connection: replay, and a
// dialect on standard output.
func (d *Dialect) Frames(p Peer, s *transcript.State, e event.Event) []Frame {
	var out []Frame
	Apply(s, e, func(e event.Event) {
		out = append(out, d.Encode(p.Class, s, e)...)
		if d.Own != nil {
			out = append(out, d.Own(p, s, e)...)
		}
	})
	return out
}
