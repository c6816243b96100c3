package display

import (
	"slices"

	"parley/internal/event"
)

// renderAgent takes a command of a sub-agent. It changes the agent's one item, except
// for what a person must see as an item of its own.
func (l *Log) renderAgent(at At, c RenderCommand) {
	switch c := c.(type) {
	case OpenAgent:
		i := l.add(at, KindAgent, agentKey(at.Session))
		i.Agent = &Agent{Session: at.Session, Parent: c.Parent, Call: c.Call, Profile: c.Profile, Description: c.Description, Prompt: c.Prompt}
		l.link(c)
	case CloseAgent:
		l.closeAgent(at, c)
	case OpenAsk, AnswerAsk, CloseAsk:
		l.renderAsk(at, c)
	case ShowNote, ShowFault, ShowFiles:
		l.renderNews(at, c)
	case UpdateAgent, StartCall, PreviewCall, DecideCall, EndCall:
		if i := l.change(agentKey(at.Session)); i != nil {
			i.Agent.update(c)
		}
	case ShowImage, ShowRetry:
		// It is the sub-agent's own affair.
	case EnterPhase, StartRun, EndRun, ShowUser, ShowDeveloper, StartThought, AppendThought, EndThought,
		StartText, AppendText, EndText, EndRetry, AppendCall, ShowCompaction:
		// Only the main session has these.
	}
}

// link notes the sub-agent at the call that opened it, where that is shown.
func (l *Log) link(c OpenAgent) {
	if i := l.change(callKey(At{Session: c.Parent}, c.Call)); i != nil {
		i.Call.Agent = c.At.Session
	}
}

func (l *Log) closeAgent(at At, c CloseAgent) {
	i := l.change(agentKey(at.Session))
	if i == nil {
		return
	}
	i.Agent.Reason, i.Agent.Calls = c.Reason, nil
	i.text.WriteString(c.Result)
	l.finish(at, i)
}

func (a *Agent) update(c RenderCommand) {
	switch c := c.(type) {
	case UpdateAgent:
		if c.Header != "" {
			a.Header = c.Header
		}
		if c.State != "" {
			a.State, a.Message = c.State, c.Text
		}
	case StartCall:
		a.Calls = append(slices.Clip(a.Calls), &Call{ID: c.Call, Name: c.Name, Title: c.Title, Arguments: c.Arguments, Origin: c.Origin})
	case PreviewCall:
		if call := a.open(c.Preview.Call); call != nil {
			call.Preview = &c.Preview
		}
	case DecideCall:
		if call := a.open(c.Decided.Call); call != nil {
			call.decide(c.Decided)
		}
	case EndCall:
		a.end(c)
	}
}

func (a *Agent) open(id event.CallID) *Call {
	for _, c := range a.Calls {
		if c.ID == id {
			return c
		}
	}
	return nil
}

func (a *Agent) end(c EndCall) {
	call := a.open(c.Ended.Call)
	if call == nil {
		call = &Call{ID: c.Ended.Call, Name: c.Ended.Name, Title: c.Title, Arguments: c.Arguments}
	}
	a.Calls = slices.DeleteFunc(slices.Clone(a.Calls), func(open *Call) bool { return open == call })
	if c.Ended.Status == event.StatusSuccess {
		a.Done++
		return
	}
	a.Failed++
	call.Ended = &c.Ended
	a.LastFailed = call
}
