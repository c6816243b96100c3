package display

import (
	"strings"
	"time"

	"parley/internal/event"
)

func (s *step) takeResponse(e event.Event) {
	switch b := e.Body.(type) {
	case event.ResponseStarted:
		s.endBlock(0)
		s.m.phase = Thinking
		s.child(func(a *agent) { a.fresh = false })
	case event.BlockStarted:
		s.startBlock(b.Block, b.Role)
	case event.BlockGrew:
		if s.m.block.id == b.Block && b.Block != "" {
			s.grow(b.Offset, b.Text)
		}
	case event.BlockEnded:
		if s.m.block.id != b.Block || b.Block == "" {
			// It began before this log did, or was kept without its start.
			s.startBlock(b.Block, b.Role)
		}
		s.grow(0, b.Text)
		s.ended(b)
		s.endBlock(b.DurationMS)
		s.m.phase = Thinking
	case event.CallAnnounced:
		s.endBlock(0)
		s.m.phase = Thinking
		if s.main() {
			s.show(HintCall{s.at, b.Call, b.Name})
		}
	case event.ResponseEnded:
		s.endBlock(0)
		s.m.phase = Thinking
		s.m.named = len(b.Calls)
	case event.ResponseInterrupted:
		s.endBlock(0)
		s.m.phase = Thinking
		if s.main() {
			s.show(ShowInterruption{s.at, b.Reason, b.Message})
		}
	}
}

func (s *step) startBlock(id event.BlockID, role event.Role) {
	s.endBlock(0)
	s.m.block = block{id: id, role: role, started: s.at.Time}
	switch role {
	case event.RoleText:
		s.m.phase = StreamingText
		if s.main() {
			s.show(StartText{s.at, id})
		}
	case event.RoleThinking:
		s.m.phase = Thinking
		if s.main() {
			s.show(StartThought{s.at, id})
		}
	case event.RoleImage:
		// Shown when it ends, with its path.
	}
}

// grow shows the part of text that lies beyond what was shown. A gap, which no
// legal log has, is shown as what there is.
func (s *step) grow(offset int, text string) {
	b := &s.m.block
	if skip := b.len - offset; skip > 0 {
		if skip >= len(text) {
			return
		}
		text = text[skip:]
	}
	if text == "" {
		return
	}
	b.len = max(b.len, offset) + len(text)
	if !s.main() {
		return
	}
	switch b.role {
	case event.RoleText:
		s.show(AppendText{s.at, b.id, text})
	case event.RoleThinking:
		s.show(AppendThought{s.at, b.id, text})
	case event.RoleImage:
		// The text of an image is not for people.
	}
}

// ended shows what only the end of a block tells.
func (s *step) ended(b event.BlockEnded) {
	switch {
	case b.Role == event.RoleImage:
		s.show(ShowImage{s.at, b.Block, b.Path, b.MediaType})
	case s.main():
	case b.Role == event.RoleThinking:
		if h := Header(b.Text); h != "" {
			s.show(UpdateAgent{At: s.at, Header: h})
		}
	case b.Role == event.RoleText && strings.TrimSpace(b.Text) != "":
		s.child(func(a *agent) {
			if a.fresh {
				a.answer += "\n\n" + b.Text
			} else {
				a.answer, a.fresh = b.Text, true
			}
		})
	}
}

// endBlock closes the open block, if one is open.
func (s *step) endBlock(durationMS int64) {
	b := s.m.block
	s.m.block = block{}
	if s.m.phase == StreamingText {
		s.m.phase = Thinking
	}
	if b == (block{}) || !s.main() {
		return
	}
	switch b.role {
	case event.RoleText:
		s.show(EndText{s.at, b.id})
	case event.RoleThinking:
		s.show(EndThought{s.at, b.id, b.duration(durationMS, s.at.Time)})
	case event.RoleImage:
	}
}

// duration is what the log says, or else the time between start and end.
func (b block) duration(durationMS int64, now time.Time) time.Duration {
	if durationMS > 0 || b.started.IsZero() {
		return millis(durationMS)
	}
	return max(0, now.Sub(b.started))
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
