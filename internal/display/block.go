package display

import (
	"strings"

	"parley/internal/event"
)

// delta shows a delta of a block or of a call's output. Those of sub-agents are not
// shown.
func (n *translator) delta() {
	if !n.main() {
		return
	}
	switch b := n.e.Body.(type) {
	case event.BlockDelta:
		if open := n.s.Block(); open != nil && open.ID == b.Block && b.Text != "" {
			n.append(open.Role, b.Text)
		}
	case event.CallDelta:
		if b.Text != "" {
			n.show(AppendCall{n.at, b.Call, b.Stream, b.Text})
		}
	}
}

func (n *translator) append(role event.Role, text string) {
	switch role {
	case event.RoleText:
		n.show(AppendText{n.at, text})
	case event.RoleThinking:
		n.show(AppendThought{n.at, text})
	case event.RoleImage:
		// The text of an image is not for people.
	}
}

func (n *translator) takeBlock() {
	switch b := n.e.Body.(type) {
	case event.BlockStarted:
		// What the state does not take up has no end: it is shown when it ends.
		if n.main() && n.s.Response() != nil {
			n.start(b.Role)
		}
	case event.BlockEnded:
		switch {
		case b.Role == event.RoleImage:
			n.show(ShowImage{n.at, b.Path, b.MediaType})
		case !n.main():
			n.header(b)
		default:
			if open := n.s.Block(); open == nil || open.ID != b.Block {
				n.whole(b)
			}
		}
	}
}

func (n *translator) start(role event.Role) {
	switch role {
	case event.RoleText:
		if !n.s.Cut {
			n.show(StartText{n.at})
		}
	case event.RoleThinking:
		n.show(StartThought{n.at})
	case event.RoleImage:
		// Shown when it ends, with its path.
	}
}

// whole shows a block that began before this log did, or was kept without its
// start.
func (n *translator) whole(b event.BlockEnded) {
	if b.Role == event.RoleThinking {
		n.out = append(n.out, StartThought{n.at}, AppendThought{n.at, b.Text}, EndThought{n.at, millis(b.DurationMS)})
		return
	}
	if !n.s.Replying() {
		n.began = true
		n.show(StartText{n.at})
	}
	n.show(AppendText{n.at, b.Text})
}

// header shows what a sub-agent thought, in a few words.
func (n *translator) header(b event.BlockEnded) {
	if b.Role != event.RoleThinking {
		return
	}
	if h := Header(b.Text); h != "" {
		n.show(UpdateAgent{At: n.at, Header: h})
	}
}

// Header returns a thought in a few words: its last line that is a bold heading,
// as some models write them, or else its first line, cut to 80 characters.
func Header(thought string) string {
	var first, heading string
	for line := range strings.Lines(thought) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		if first == "" {
			first = line
		}
		if inner, ok := strings.CutPrefix(line, "**"); ok {
			if inner, _, ok := strings.Cut(inner, "**"); ok && strings.TrimSpace(inner) != "" {
				heading = strings.TrimSpace(inner)
			}
		}
	}
	if heading == "" {
		heading = first
	}
	if r := []rune(heading); len(r) > 80 {
		return string(r[:79]) + "…"
	}
	return heading
}
