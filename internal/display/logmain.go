package display

import (
	"slices"

	"parley/internal/event"
)

// renderMain takes a command of the main session.
func (l *Log) renderMain(at At, c RenderCommand) {
	switch c := c.(type) {
	case EndRun:
		l.finishRun(at)
		l.add(at, KindRun, "").Run = &Run{c.Run, c.Number, c.Reason, c.Usage, c.Duration}
	case ShowUser:
		i := l.add(at, KindUser, "")
		i.text.WriteString(c.Text)
		i.User = &User{c.Entry, c.Attachments, c.Lane}
	case ShowDeveloper:
		i := l.add(at, KindDeveloper, "")
		i.text.WriteString(c.Text)
		i.Label = string(c.Origin)
	case StartThought, AppendThought, EndThought, StartText, AppendText, EndText:
		l.renderStream(at, c)
	case ShowImage:
		l.add(at, KindImage, "").Label = c.Path
	case StartCall, PreviewCall, DecideCall, AppendCall, EndCall:
		l.renderCall(at, c)
	case OpenAsk, AnswerAsk, CloseAsk:
		l.renderAsk(at, c)
	case ShowNote, ShowRetry, EndRetry, ShowFiles, ShowCompaction, ShowFault:
		l.renderNews(at, c)
	case StartRun, EnterPhase:
		// For a line that says what goes on; see PhaseOf.
	case OpenAgent, UpdateAgent, CloseAgent:
		// A sub-agent has a voice.
	}
}

// renderStream takes the pieces of the one live text area.
func (l *Log) renderStream(at At, c RenderCommand) {
	switch c := c.(type) {
	case StartThought:
		l.add(at, KindThought, "stream")
	case StartText:
		l.add(at, KindReply, "stream")
	case AppendThought:
		l.grow("stream", c.Text)
	case AppendText:
		l.grow("stream", c.Text)
	case EndThought, EndText:
		l.endStream(at)
	}
}

func (l *Log) endStream(at At) {
	if i := l.open["stream"]; i != nil {
		l.finish(at, i)
	}
}

func (l *Log) grow(key, text string) {
	if i := l.change(key); i != nil {
		i.text.WriteString(text)
	}
}

func (l *Log) renderCall(at At, c RenderCommand) {
	switch c := c.(type) {
	case StartCall:
		l.add(at, KindCall, callKey(at, c.Call)).Call = &Call{ID: c.Call, Name: c.Name, Title: c.Title, Arguments: c.Arguments, Origin: c.Origin}
	case PreviewCall:
		if i := l.change(callKey(at, c.Preview.Call)); i != nil {
			i.Call.Preview = &c.Preview
		}
	case DecideCall:
		if i := l.change(callKey(at, c.Decided.Call)); i != nil {
			i.Call.decide(c.Decided)
		}
	case AppendCall:
		l.grow(callKey(at, c.Call), c.Text)
	case EndCall:
		l.endCall(at, c)
	}
}

func (c *Call) decide(d event.PermissionDecided) {
	c.Decided = &d
	if len(d.Arguments) > 0 {
		c.Arguments, c.Title = d.Arguments, event.TitleOf(d.Title, d.Arguments)
	}
}

// endCall replaces the live output by the result. A call that was never started
// gets its item here.
func (l *Log) endCall(at At, c EndCall) {
	key := callKey(at, c.Ended.Call)
	i := l.open[key]
	if i == nil {
		i = l.add(at, KindCall, key)
		i.Call = &Call{ID: c.Ended.Call, Name: c.Ended.Name, Title: c.Title, Arguments: c.Arguments}
	}
	if d := c.Ended.Display; d != nil && d.Agent != "" {
		i.Call.Agent = d.Agent
	} else if i.Call.Unseen() && (c.Ended.Status == event.StatusSuccess || c.Ended.Status == event.StatusError) {
		i = l.ownEnd(at, i)
	}
	i.Call.Ended = &c.Ended
	i.text.Reset()
	i.text.WriteString(c.Ended.Result)
	l.finish(at, i)
}

// ownEnd gives the end of a call that started a sub-agent, and was more than that, an item of its own: the sub-agent's is
// shown in the place of the call's.
func (l *Log) ownEnd(at At, started *Item) *Item {
	l.finish(at, started)
	call := *started.Call
	call.Agent = ""
	i := l.add(at, KindCall, callKey(at, call.ID))
	i.Call = &call
	return i
}

func (l *Log) renderAsk(at At, c RenderCommand) {
	switch c := c.(type) {
	case OpenAsk:
		l.asked(at, c.Ask.Call)
		i := l.add(at, KindAsk, askKey(at, c.Ask.Ask))
		i.Ask = &Ask{Opened: c.Ask, Tool: c.Tool}
	case AnswerAsk:
		if i := l.change(askKey(at, c.Answer.Ask)); i != nil {
			i.Ask.Answers = append(slices.Clip(i.Ask.Answers), c.Answer)
		}
	case CloseAsk:
		if i := l.change(askKey(at, c.Closed.Ask)); i != nil {
			i.Ask.Closed, i.Ask.Label = &c.Closed, c.Label
			l.finish(at, i)
		}
	}
}

// asked keeps what a call was when somebody was asked about it.
func (l *Log) asked(at At, id event.CallID) {
	if i := l.change(callKey(at, id)); i != nil && (i.Call.Asked == nil || i.Call.Asked.Preview != i.Call.Preview) {
		as := *i.Call
		i.Call.Asked = &as
	}
	i := l.open[agentKey(at.Session)]
	if i == nil {
		return
	}
	if call := i.Agent.open(id); call != nil && !slices.ContainsFunc(i.Agent.Asked, func(c *Call) bool { return c.ID == id && c.Preview == call.Preview }) {
		as := *call
		i.Agent.Asked = append(i.Agent.Asked, &as)
		i.Version++
	}
}

func (l *Log) renderNews(at At, c RenderCommand) {
	switch c := c.(type) {
	case ShowNote:
		i := l.add(at, KindNote, "")
		i.Label = string(c.Level)
		i.text.WriteString(c.Text)
	case ShowRetry:
		l.endRetry(at)
		i := l.add(at, KindRetry, "retry "+string(at.Session))
		i.Retry = &c.Retry
		i.text.WriteString(c.Retry.Reason)
	case EndRetry:
		l.endRetry(at)
	case ShowFiles:
		l.add(at, KindFiles, "").Files = c.Files
	case ShowCompaction:
		i := l.add(at, KindCompaction, "")
		i.Compaction = &c.Compaction
		i.text.WriteString(c.Compaction.Summary)
	case ShowFault:
		i := l.add(at, KindFault, "")
		i.Label = string(c.Code)
		i.text.WriteString(c.Message)
	}
}

// endRetry finishes the retry of a session: the model answers again, or the run
// is over.
func (l *Log) endRetry(at At) {
	if i := l.open["retry "+string(at.Session)]; i != nil {
		l.finish(at, i)
	}
}

// finishRun closes what a damaged log left open at the end of its run, so that
// nothing is alive for ever.
func (l *Log) finishRun(at At) {
	l.endStream(at)
	l.endRetry(at)
	for _, i := range slices.Clone(l.items) {
		if i.Open && i.Kind == KindCall && i.Session == at.Session && i.Call.Origin != event.CallerUser {
			l.finish(at, i)
		}
	}
}
