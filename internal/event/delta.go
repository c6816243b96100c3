package event

// Delta returns the text that a block.grew or call.grew adds, and where; ok is
// false for any other event.
func (e Event) Delta() (offset int, text string, ok bool) {
	switch b := e.Body.(type) {
	case BlockDelta:
		return b.Offset, b.Text, true
	case CallDelta:
		return b.Offset, b.Text, true
	}
	return 0, "", false
}

// WithDelta returns the delta with another offset and text, and any other event
// as it is.
func (e Event) WithDelta(offset int, text string) Event {
	switch b := e.Body.(type) {
	case BlockDelta:
		b.Offset, b.Text = offset, text
		e.Body = b
	case CallDelta:
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
	case BlockDelta:
		y, ok := b.Body.(BlockDelta)
		return ok && x.Block == y.Block
	case CallDelta:
		y, ok := b.Body.(CallDelta)
		return ok && x.Call == y.Call && x.Stream == y.Stream
	}
	return false
}
