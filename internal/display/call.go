package display

import (
	"cmp"

	"parley/internal/event"
	"parley/internal/transcript"
)

func (n *translator) takeCall() {
	switch b := n.e.Body.(type) {
	case event.CallStarted:
		n.show(StartCall{n.at, b.Call, b.Name, event.TitleOf(b.Title, b.Arguments), b.Arguments, b.Origin, n.alone(b.Origin == event.CallerUser)})
	case event.PermissionPreviewed:
		n.show(PreviewCall{n.at, b})
	case event.PermissionDecided:
		n.show(DecideCall{n.at, b})
	case event.CallEnded:
		n.endCall(b)
	}
}

// alone reports whether a call that starts is the only one: none is open, and the
// response has named no other.
func (n *translator) alone(user bool) bool {
	if n.s.Step != nil {
		for _, c := range n.s.Step.Calls {
			if c.Shown && c.Ended == nil {
				return false
			}
		}
	}
	r := n.s.Response()
	return len(n.s.Loose) == 0 && (user || r == nil || len(r.Calls) <= 1)
}

// open returns the call with this id where it has started and not ended, or nil.
func (n *translator) open(id event.CallID) *transcript.Call {
	if c := n.s.OpenCall(id); c != nil && c.Shown && c.Ended == nil {
		return c
	}
	return nil
}

func (n *translator) endCall(b event.CallEnded) {
	end := EndCall{At: n.at, Ended: b}
	if c := n.open(b.Call); c != nil {
		end.Title, end.Arguments, end.Decided, end.Origin = c.Title, c.Arguments, c.Decided, cmp.Or(c.Origin, event.CallerModel)
		end.Ended.Name = cmp.Or(b.Name, c.Name)
	}
	n.show(end)
}

func (n *translator) takeAsk() {
	switch b := n.e.Body.(type) {
	case event.AskOpened:
		open := OpenAsk{At: n.at, Ask: b}
		if c := n.open(b.Call); c != nil {
			open.Tool, open.Title, open.Arguments, open.Preview = c.Name, c.Title, c.Arguments, c.Preview
		}
		n.show(open)
	case event.AskAnswered:
		n.show(AnswerAsk{n.at, b})
	case event.AskClosed:
		closed := CloseAsk{At: n.at, Closed: b}
		if ask := n.s.Ask(b.Ask); ask != nil {
			for _, o := range ask.Options {
				if o.Key == b.Key && b.Key != "" {
					closed.Label = o.Label
				}
			}
		}
		n.show(closed)
	}
}
