package display

import (
	"slices"

	"parley/internal/event"
)

// A Log is the model of a scrolling screen: a [CommandRenderer] that turns
// commands into items, oldest first. An item is added at the end and changes in
// place until it is finished; no item is ever inserted or taken away but by
// [Log.Forget].
//
// The text of the main session is in items of its own. All that a sub-agent does
// is in one item of kind [KindAgent], except for its asks and faults. So the items
// of the main session are the same whatever runs beside it.
//
// A Log is not safe for use by several goroutines.
type Log struct {
	items []*Item
	open  map[string]*Item // by key
	last  ItemID
}

// NewLog returns an empty log.
func NewLog() *Log { return &Log{open: make(map[string]*Item)} }

// Items returns the items, oldest first. The slice and what it points to belong
// to the log and change with the next command.
func (l *Log) Items() []*Item { return l.items }

// OpenAsks returns the asks that wait for an answer, the oldest first.
func (l *Log) OpenAsks() []*Item {
	var out []*Item
	for _, i := range l.items {
		if i.Kind == KindAsk && i.Open {
			out = append(out, i)
		}
	}
	return out
}

// Forget drops the finished items before the first open one, up to but not with the
// id given: a screen does not need what it has committed.
func (l *Log) Forget(before ItemID) {
	n := 0
	for n < len(l.items) && l.items[n].ID < before && !l.items[n].Open {
		n++
	}
	if n > 0 {
		l.items = slices.Clone(l.items[n:])
	}
}

// Render takes a command. It never fails.
func (l *Log) Render(c RenderCommand) error {
	at := c.Where()
	if at.Voice.Name != "" {
		l.renderAgent(at, c)
	} else {
		l.renderMain(at, c)
	}
	return nil
}

func (l *Log) add(at At, k Kind, key string) *Item {
	l.last++
	i := &Item{ID: l.last, Kind: k, Session: at.Session, Voice: at.Voice, Began: at.Time, key: key}
	if key != "" {
		i.Open = true
		l.open[key] = i
	} else {
		i.Ended = at.Time
	}
	l.items = append(l.items, i)
	return i
}

func (l *Log) finish(at At, i *Item) {
	i.Open, i.Ended = false, at.Time
	i.Version++
	delete(l.open, i.key)
}

// change returns the open item with this key for a change, or nil.
func (l *Log) change(key string) *Item {
	i := l.open[key]
	if i != nil {
		i.Version++
	}
	return i
}

func callKey(at At, id event.CallID) string { return "call " + string(at.Session) + " " + string(id) }
func askKey(at At, id event.AskID) string   { return "ask " + string(at.Session) + " " + string(id) }
func agentKey(id event.SessionID) string    { return "agent " + string(id) }
