package tui

import (
	"time"

	"parley/internal/cell"
	"parley/internal/display"
	"parley/internal/event"
)

// A viewContext is what a view may look at besides its item.
type viewContext struct {
	now   time.Time
	agent map[event.SessionID]bool
}

// spinner turns once a second, with the clock of the row that it stands in.
var spinner = []string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}

func (s *viewContext) sign() string {
	return spinner[int(s.now.Unix()%int64(len(spinner))+int64(len(spinner)))%len(spinner)]
}

// hidden reports whether an item is left out because another one shows it: a call
// that is a sub-agent, and of which nothing was shown before the sub-agent began.
func (s *viewContext) hidden(it *display.Item) bool {
	return it.Call != nil && it.Call.Unseen() && s.agent[it.Call.Agent]
}

// viewOf returns the component that an item is laid out by.
func viewOf(it *display.Item) view {
	switch it.Kind {
	case display.KindUser:
		return &fixedView{build: func() []cell.Line { return userView(it) }}
	case display.KindThought:
		return &thoughtView{item: it}
	case display.KindReply:
		return newReply(it)
	case display.KindCall:
		return &callView{item: it}
	case display.KindAgent:
		return &agentView{item: it}
	case display.KindAsk:
		return &fixedView{item: it, build: func() []cell.Line { return askView(it) }}
	case display.KindRetry:
		return &fixedView{item: it, build: func() []cell.Line { return retryView(it) }}
	case display.KindDeveloper, display.KindImage, display.KindNote, display.KindFault, display.KindFiles,
		display.KindCompaction, display.KindRun:
		return &fixedView{build: func() []cell.Line { return noteView(it) }}
	}
	return &fixedView{build: func() []cell.Line { return nil }}
}

// A fixedView is lines that are final from the start, or, given its item, from
// when that is finished; until then it shows nothing.
type fixedView struct {
	item  *display.Item
	build func() []cell.Line
	made  []line
	done  bool
}

func (v *fixedView) lines(int, *viewContext) (all []line, stable int) {
	if v.item != nil && v.item.Open {
		return nil, 0
	}
	if !v.done {
		v.done, v.made = true, number(v.build())
	}
	return v.made, len(v.made)
}

func (v *fixedView) prune(int) {}

// number gives lines that are no source text the ends 1, 2, 3.
func number(lines []cell.Line) []line {
	var out []line
	for i, l := range lines {
		out = append(out, line{text: l, end: i + 1})
	}
	return out
}
