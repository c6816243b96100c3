package transcript

import (
	"fmt"
	"slices"
	"strings"

	"parley/internal/event"
)

// Check returns the laws that e would violate, were it applied to s; nil where it
// is legal. It is total and changes nothing. Laws hold for each session id on
// its own; only seq is common to the log.
func Check(s *State, e event.Event) []Violation {
	c := &check{s: s, e: e}
	if e.Body == nil {
		c.violated(LawEnvelope, "an event without a body")
		return c.found
	}
	if e.Seq != 0 && s.Seq != 0 && e.Seq <= s.Seq {
		c.violated(LawSeq, "seq %d after %d", e.Seq, s.Seq)
	}
	if s.Session == "" {
		c.start()
		return c.found
	}
	if e.Session != s.Session {
		c.child()
		return c.found
	}
	c.event()
	return c.found
}

type check struct {
	s     *State
	e     event.Event
	found []Violation
}

func (c *check) violated(l Law, format string, args ...any) {
	c.found = append(c.found, Violation{l, fmt.Sprintf(format, args...)})
}

// must adds a violation unless ok.
func (c *check) must(ok bool, l Law, format string, args ...any) bool {
	if !ok {
		c.violated(l, format, args...)
	}
	return ok
}

// start is the first event of a stream.
func (c *check) start() {
	if _, ok := c.e.Body.(event.SessionOpened); ok {
		return
	}
	if _, ok := c.e.Body.(event.RunStarted); ok || c.e.Run == "" {
		return
	}
	c.violated(LawStart, "the stream begins with %s, in the middle of a run", c.e.Kind())
}

func (c *check) child() {
	child := c.s.Children[c.e.Session]
	if child == nil {
		_, opened := c.e.Body.(event.SessionOpened)
		c.must(opened, LawSession, "%s in %s, which is not open", c.e.Kind(), c.e.Session)
		return
	}
	e := c.e
	e.Seq = 0
	c.found = append(c.found, Check(child, e)...)
}

func (c *check) event() {
	if c.s.Closed {
		c.violated(LawClosed, "%s after session.closed", c.e.Kind())
		return
	}
	c.envelope()
	switch c.e.Body.(type) {
	case event.SessionOpened:
		c.must(c.s.Partial && c.s.Opened.IsZero() && c.s.Counts.Events == 0, LawSession, "session.opened a second time")
	case event.SessionClosed:
		c.must(c.s.Run == nil, LawOpenChild, "session.closed with run %s open", c.runID())
		c.must(len(c.s.Children) == 0, LawOpenChild, "session.closed with a sub-agent open")
		c.must(len(c.s.Asks) == 0, LawOpenChild, "session.closed with an ask open")
	case event.RunStarted, event.RunAborting, event.RunEnded, event.TurnStarted, event.TurnEnded, event.StepStarted, event.StepEnded, event.TurnRecovered:
		c.run()
	case event.InputQueued, event.InputChanged, event.InputTaken, event.InputDropped, event.UserSaid, event.DeveloperSaid, event.LeafChanged:
		c.input()
	case event.ResponseStarted, event.BlockStarted, event.BlockDelta, event.BlockEnded, event.CallAnnounced, event.ResponseEnded, event.ResponseInterrupted, event.UsageChanged:
		c.response()
	case event.CallStarted, event.CallDelta, event.CallEnded, event.PermissionPreviewed, event.PermissionReady, event.PermissionDecided, event.HostDecided:
		c.call()
	case event.AskOpened, event.AskAnswered, event.AskClosed:
		c.ask()
	case event.ToolsChanged:
		c.tools()
	case event.ContextCompacted:
		c.must(c.s.Step == nil, LawCompaction, "context.compacted in step %s", c.stepID())
	case event.SessionTitled, event.SettingChanged, event.AgentChanged, event.ClientJoined, event.ClientLeft,
		event.PlanChanged, event.PlanCleared, event.BudgetChanged, event.ImagesRefused,
		event.NoteAdded, event.InitProgressed, event.RetryScheduled, event.FilesChanged, event.FaultRaised,
		event.SessionListed, event.SessionUnlisted, event.ActiveChanged, event.Unknown:
		// Legal at any time.
	}
}

// envelope checks that an event names only what is open. What begins names
// itself, and is checked with its kind.
func (c *check) envelope() {
	e := c.e
	switch e.Body.(type) {
	case event.RunStarted, event.TurnStarted, event.StepStarted, event.ResponseStarted:
		return
	}
	// Not by must: its arguments are evaluated each time, which here would be for
	// every delta.
	if e.Run != "" && e.Run != c.runID() {
		c.violated(LawEnvelope, "%s names run %s, open is %q", e.Kind(), e.Run, c.runID())
	}
	if e.Turn != "" && e.Turn != c.turnID() {
		c.violated(LawEnvelope, "%s names turn %s, open is %q", e.Kind(), e.Turn, c.turnID())
	}
	if e.Step != "" && e.Step != c.stepID() {
		c.violated(LawEnvelope, "%s names step %s, open is %q", e.Kind(), e.Step, c.stepID())
	}
	if r := c.resp(); e.Response != "" && (r == nil || r.ID != e.Response) {
		c.violated(LawEnvelope, "%s names response %s, which is not there", e.Kind(), e.Response)
	}
}

func (c *check) runID() event.RunID {
	if c.s.Run == nil {
		return ""
	}
	return c.s.Run.ID
}

func (c *check) turnID() event.TurnID {
	if c.s.Turn == nil {
		return ""
	}
	return c.s.Turn.ID
}

func (c *check) stepID() event.StepID {
	if c.s.Step == nil {
		return ""
	}
	return c.s.Step.ID
}

func (c *check) resp() *Response {
	if c.s.Step == nil {
		return nil
	}
	return c.s.Step.Response
}

func (c *check) run() {
	s, e := c.s, c.e
	switch b := e.Body.(type) {
	case event.RunStarted:
		c.must(s.Run == nil, LawRun, "run.started with run %s open", c.runID())
		c.must(e.Run != "", LawEnvelope, "run.started without a run")
		if c.must(b.Number > 0, LawNumber, "run number %d", b.Number); s.Run == nil && !s.Partial {
			c.must(number(string(e.Run), "r") > 0, LawEnvelope, "run id %q", e.Run)
		}
	case event.RunAborting:
		c.must(s.Run != nil, LawRun, "run.aborting with no run open")
	case event.RunEnded:
		if c.must(s.Run != nil, LawRun, "run.ended with no run open") {
			c.must(s.Turn == nil, LawOpenChild, "run.ended with turn %s open", c.turnID())
			c.must(e.Run != "", LawEnvelope, "run.ended without a run")
			c.must(len(s.Children) == 0, LawOpenChild, "run.ended with a sub-agent open")
		}
	case event.TurnStarted:
		if c.must(s.Run != nil && e.Run == c.runID(), LawTurn, "turn.started outside an open run") {
			c.must(s.Turn == nil, LawTurn, "turn.started with turn %s open", c.turnID())
			c.must(b.Number == s.Run.Turns+1, LawNumber, "turn %d after %d", b.Number, s.Run.Turns)
			c.must(strings.HasPrefix(string(e.Turn), string(e.Run)), LawEnvelope, "turn %q is not of run %s", e.Turn, e.Run)
			c.must(b.From == "" || s.Partial || b.From == s.Leaf, LawEntry, "turn.started goes on from %s, the leaf is %q", b.From, s.Leaf)
			for _, id := range b.Inputs {
				c.must(s.Partial || hasInput(s.Queue, id), LawInput, "turn.started takes %s, which is not queued", id)
			}
		}
	case event.TurnEnded:
		if c.must(s.Turn != nil, LawTurn, "turn.ended with no turn open") {
			c.must(s.Step == nil, LawOpenChild, "turn.ended with step %s open", c.stepID())
			c.must(b.Number == s.Turn.Number, LawNumber, "turn.ended %d in turn %d", b.Number, s.Turn.Number)
			if b.Entry != "" {
				c.entry(b.Entry, b.Parent)
			}
		}
	case event.TurnRecovered:
		c.must(s.Turn != nil, LawTurn, "turn.recovered with no turn open")
	case event.StepStarted:
		if c.must(s.Turn != nil && e.Turn == c.turnID(), LawStep, "step.started outside an open turn") {
			c.must(s.Step == nil, LawStep, "step.started with step %s open", c.stepID())
			c.must(b.Number == s.Turn.Steps+1, LawNumber, "step %d after %d", b.Number, s.Turn.Steps)
			c.must(s.Turn.Parent() != "" || s.Partial, LawStep, "step.started before user.said")
			c.must(strings.HasPrefix(string(e.Step), string(e.Turn)), LawEnvelope, "step %q is not of turn %s", e.Step, e.Turn)
		}
	case event.StepEnded:
		c.stepEnded(b)
	}
}

func (c *check) stepEnded(b event.StepEnded) {
	s := c.s
	if !c.must(s.Step != nil, LawStep, "step.ended with no step open") {
		return
	}
	c.must(b.Number == s.Step.Number, LawNumber, "step.ended %d in step %d", b.Number, s.Step.Number)
	if r := s.Step.Response; r != nil {
		c.must(r.Phase != Open, LawOpenChild, "step.ended with response %s open", r.ID)
		c.must(r.Phase != Ended || r.Counted, LawUsage, "step.ended without usage.changed")
	}
	for _, call := range s.Step.Calls {
		c.must(call.Ended != nil, LawOpenChild, "step.ended with call %s open", call.ID)
	}
	c.must(len(s.Asks) == 0 || c.onlyForeignAsks(), LawOpenChild, "step.ended with an ask open")
}

// onlyForeignAsks reports whether no open ask belongs to a call of the step.
func (c *check) onlyForeignAsks() bool {
	return !slices.ContainsFunc(c.s.Asks, func(a event.AskOpened) bool {
		return slices.ContainsFunc(c.s.Step.Calls, func(call *Call) bool { return call.ID == a.Call })
	})
}

func hasInput(queue []Input, id event.InputID) bool {
	return slices.ContainsFunc(queue, func(in Input) bool { return in.Input == id })
}

func (c *check) input() {
	s := c.s
	switch b := c.e.Body.(type) {
	case event.InputQueued:
		c.must(!hasInput(s.Queue, b.Input), LawInput, "input %s queued a second time", b.Input)
		c.must(s.Partial || number(string(b.Input), "i") > s.Counts.Inputs, LawInput, "input %s was there before", b.Input)
	case event.InputChanged:
		c.must(s.Partial || hasInput(s.Queue, b.Input), LawInput, "input.changed of %s, which is not queued", b.Input)
	case event.InputTaken:
		c.must(s.Run != nil, LawInput, "input.taken with no run open")
		for _, id := range b.Inputs {
			c.must(s.Partial || hasInput(s.Queue, id), LawInput, "input.taken of %s, which is not queued", id)
		}
	case event.InputDropped:
		c.must(s.Partial || hasInput(s.Queue, b.Input), LawInput, "input.dropped of %s, which is not queued", b.Input)
	case event.UserSaid:
		if c.must(s.Turn != nil && s.Step == nil, LawTurn, "user.said outside a turn or inside a step") {
			c.must(s.Turn.Parent() == "", LawEntry, "user.said in turn %s, which has %s already", s.Turn.ID, s.Turn.Parent())
		}
		c.entry(b.Entry, b.Parent)
	case event.DeveloperSaid:
		c.must(s.Turn != nil, LawTurn, "developer.said outside a turn")
	case event.LeafChanged:
		c.must(b.Leaf == "" || s.Partial || s.Entry(b.Leaf) != nil, LawEntry, "leaf %s is not an entry", b.Leaf)
	}
}

func (c *check) entry(id, parent event.EntryID) {
	c.must(id != "", LawEntry, "an entry without an id")
	if c.s.Partial {
		return
	}
	n := number(string(id), "e")
	c.must(n > c.s.Counts.Entries, LawEntry, "entry %s was there before", id)
	if n := len(c.s.Entries); n > 0 && c.s.Entries[n-1].ID == parent {
		return
	}
	c.must(parent == "" || c.s.Entry(parent) != nil, LawEntry, "parent %s of %s is not an entry", parent, id)
}
