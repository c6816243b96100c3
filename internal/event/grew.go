package event

// Grew returns what a block.grew or call.grew adds, and where; ok is false for
// any other event.
func (e Event) Grew() (offset int, text string, ok bool) {
	switch b := e.Body.(type) {
	case BlockGrew:
		return b.Offset, b.Text, true
	case CallGrew:
		return b.Offset, b.Text, true
	}
	return 0, "", false
}

// WithGrown returns the event with another offset and text; any event that is
// not grew is returned as it is.
func (e Event) WithGrown(offset int, text string) Event {
	switch b := e.Body.(type) {
	case BlockGrew:
		b.Offset, b.Text = offset, text
		e.Body = b
	case CallGrew:
		b.Offset, b.Text = offset, text
		e.Body = b
	}
	return e
}

// SameText reports whether a and b add to the same text, in the same envelope:
// to one block, or to one stream of one call. Such events may be merged where
// the second begins at the end of the first; the merged one has the offset of
// the first and the seq and time of the last.
func SameText(a, b Event) bool {
	if a.Session != b.Session || a.Run != b.Run || a.Turn != b.Turn || a.Step != b.Step || a.Response != b.Response || a.Cause != b.Cause {
		return false
	}
	switch x := a.Body.(type) {
	case BlockGrew:
		y, ok := b.Body.(BlockGrew)
		return ok && x.Block == y.Block
	case CallGrew:
		y, ok := b.Body.(CallGrew)
		return ok && x.Call == y.Call && x.Stream == y.Stream
	}
	return false
}
