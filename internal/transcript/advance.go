package transcript

import (
	"iter"

	"parley/internal/event"
)

// Advance yields what of e is new to s, to be folded in by the loop's body:
//
//   - nothing, where s has seen e already;
//   - of a delta, the part beyond the text that s has;
//   - before the end of a block whose deltas were dropped, the text that is
//     missing, as one delta without a seq; then the end.
//
// So a loop over it meets each byte of a block once, and each other event once,
// whatever was merged, repeated or dropped on the way.
func Advance(s *State, e event.Event) iter.Seq[event.Event] {
	return func(yield func(event.Event) bool) { advance(s, e, yield) }
}

func advance(s *State, e event.Event, yield func(event.Event) bool) {
	if e.Seq != 0 && e.Seq <= s.Seq {
		return
	}
	in := s.In(e.Session)
	if in == nil {
		yield(e)
		return
	}
	switch b := e.Body.(type) {
	case event.BlockDelta:
		if open := in.Block(); open != nil && open.ID == b.Block {
			beyond(e, open.Text.Len(), yield)
			return
		}
	case event.CallDelta:
		if call := in.OpenCall(b.Call); call != nil {
			beyond(e, call.Output.Len(), yield)
			return
		}
	case event.BlockEnded:
		if open := in.Block(); open != nil && open.ID == b.Block && open.Text.Len() < len(b.Text) {
			rest := e
			rest.Seq, rest.Body = 0, event.BlockDelta{Block: b.Block, Offset: open.Text.Len(), Text: b.Text[open.Text.Len():]}
			if !yield(rest) {
				return
			}
		}
	}
	yield(e)
}

// beyond yields the part of a delta past the first have bytes. A gap, which no
// legal log has, is left as it is.
func beyond(e event.Event, have int, yield func(event.Event) bool) {
	offset, text, _ := e.Delta()
	switch skip := have - offset; {
	case offset < 0 || skip <= 0:
		yield(e)
	case skip < len(text):
		yield(e.WithDelta(have, text[skip:]))
	}
}
