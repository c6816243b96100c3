package tui

import (
	"strings"

	"parley/internal/cell"
	"parley/internal/display"
	"parley/internal/event"
	"parley/internal/markdown"
)

// A Pager is text to be browsed on the alternate screen, the one place where
// that is used. The zero Pager stands for the past of the session.
type Pager struct {
	Title string
	Lines []cell.Line                 // logical; the pager wraps them
	Set   func(width int) []cell.Line // in place of Lines: rows of a screen
	Ask   event.AskID                 // that it is to be read for
}

// keptMax is how many shortened items can still be opened once the scrollback
// owns them, and keptBytes how much of each.
const (
	keptMax   = 20
	keptBytes = 256 << 10
)

// whole returns an item in full, where the log shows less than that.
func whole(it *display.Item) (Pager, bool) {
	text := it.Text()
	if len(text) > keptBytes {
		text = strings.ToValidUTF8(text[:keptBytes], "") + "\n…"
	}
	p := Pager{}
	add := func(text string) {
		for _, t := range strings.Split(strings.TrimRight(cell.Clean(text), "\n"), "\n") {
			p.Lines = append(p.Lines, cell.Plain(cell.ExpandTabs(t, 0, 0)))
		}
	}
	switch it.Kind {
	case display.KindThought:
		p.Title = "thought"
		if _, cut := thoughtHead(text); !cut {
			return p, false
		}
		p.Lines = markdown.Render(text, 0, markdown.Options{})
	case display.KindCall:
		call := it.Call
		p.Title = strings.TrimSpace(cell.Clean(call.Name) + " " + titleOf(call))
		switch {
		case call.Ended != nil && call.Ended.Display != nil && call.Ended.Display.Diff != "":
			p.Lines = diffOf(call.Ended.Display.Diff, 0, 0)
		case call.Preview != nil && call.Preview.Diff != "":
			p.Lines = diffOf(call.Preview.Diff, 0, 0)
		default:
			add(string(call.Arguments))
			p.Lines = append(p.Lines, nil)
			add(text)
		}
	case display.KindAgent:
		p.Title = "task " + it.Voice.Name
		p.Lines = markdown.Render(text, 0, markdown.Options{})
	case display.KindUser:
		p.Title = "prompt"
		if strings.Count(text, "\n") < userLines {
			return p, false
		}
		add(text)
	case display.KindCompaction:
		p.Title = "summary of earlier messages"
		p.Lines = markdown.Render(text, 0, markdown.Options{})
	case display.KindNote, display.KindFault:
		p.Title = "note"
		if strings.Count(text, "\n") < userLines {
			return p, false
		}
		add(text)
	default:
		return p, false
	}
	return p, len(p.Lines) > 0
}
