package llm

// room tells from the counts of a complete answer whether its window was full, or its prompt cut: some servers do either
// without a word.
func (r *Request) room(end End) Room {
	in, out := end.Usage.Input, end.Usage.Output
	switch {
	case r.Window == 0 || in == 0:
		return Enough
	// A server that cuts a prompt to fit leaves no room for more than a word.
	case end.Reason == Length && in+out >= r.Window-r.Window/100:
		return Full
	// No text has so many bytes for a token. Half a window keeps those apart that do not count what was cached.
	case in >= r.Window/2 && r.textSize() > 16*in:
		return Truncated
	}
	return Enough
}

// textSize is the bytes of text in the request.
func (r *Request) textSize() int {
	n := len(r.System)
	for _, t := range r.Tools {
		n += len(t.Name) + len(t.Description) + len(t.Schema)
	}
	for _, m := range r.Messages {
		for _, c := range m.Parts {
			switch c := c.(type) {
			case Text:
				n += len(c.Text)
			case ToolCall:
				n += len(c.Name) + len(c.Arguments)
			case ToolResult:
				n += len(c.Text)
			}
		}
	}
	return n
}
