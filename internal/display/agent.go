package display

import (
	"slices"
	"strings"

	"parley/internal/event"
	"parley/internal/transcript"
)

func (n *translator) takeSession() {
	if n.main() {
		return
	}
	switch b := n.e.Body.(type) {
	case event.SessionOpened:
		n.show(OpenAgent{n.at, b.Parent, b.Call, b.Profile, b.Description, b.Prompt})
	case event.AgentChanged:
		n.show(UpdateAgent{At: n.at, State: b.State, Text: b.Message})
	case event.SessionClosed:
		closed := CloseAgent{At: n.at, Parent: n.s.Parent, Call: n.s.Call, Reason: b.Reason, Result: answer(n.s), Calls: n.s.Counts.Calls}
		if !n.s.Opened.IsZero() {
			closed.Duration = max(0, n.e.Time.Sub(n.s.Opened))
		}
		n.show(closed)
	}
}

// answer is what a sub-agent came to.
func answer(s *transcript.State) string {
	var parts []transcript.Part
	if r := s.Response(); r != nil {
		parts = append(parts, transcript.Part{Blocks: r.Blocks})
	}
	if s.Turn != nil {
		parts = append(slices.Clone(s.Turn.Parts), parts...)
	}
	for i := len(s.Entries) - 1; i >= 0 && len(parts) == 0; i-- {
		if c := s.Entries[i].Content; c != nil {
			parts = c.Parts
		}
	}
	return strings.TrimSpace((&transcript.Content{Parts: transcript.Conclusion(parts)}).Answer())
}
