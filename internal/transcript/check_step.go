package transcript

import (
	"slices"
	"strings"

	"parley/internal/event"
)

func (c *check) response() {
	s, e := c.s, c.e
	if b, ok := e.Body.(event.UsageChanged); ok {
		_ = b
		if s.Step != nil && e.Step != "" {
			r := c.resp()
			c.must(r != nil && r.Phase == Ended, LawUsage, "usage.changed before response.ended")
			c.must(r == nil || !r.Counted, LawUsage, "usage.changed a second time in step %s", c.stepID())
		}
		return
	}
	if _, ok := e.Body.(event.ResponseStarted); ok {
		if c.must(s.Step != nil && e.Step == c.stepID(), LawResponse, "response.started outside an open step") {
			c.must(c.resp() == nil, LawResponse, "response.started a second time in step %s", c.stepID())
			c.must(strings.HasPrefix(string(e.Response), string(e.Step)), LawEnvelope, "response %q is not of step %s", e.Response, e.Step)
		}
		return
	}
	r := c.resp()
	if r == nil || r.Phase != Open {
		c.violated(c.responseLaw(), "%s with no response open", e.Kind())
		return
	}
	if e.Response != r.ID {
		c.violated(LawEnvelope, "%s without its response", e.Kind())
	}
	switch b := e.Body.(type) {
	case event.BlockStarted:
		c.must(r.Block == nil, LawBlock, "block.started inside a block")
		c.must(b.Block != "", LawEnvelope, "a block without an id")
		c.must(!slices.ContainsFunc(r.Blocks, func(have Block) bool { return have.ID == b.Block }), LawBlock, "block %s started a second time", b.Block)
	case event.BlockDelta:
		switch {
		case r.Block == nil || r.Block.ID != b.Block:
			c.violated(LawBlock, "block.grew of %s, which is not open", b.Block)
		case b.Offset < 0 || b.Offset > r.Block.Text.Len():
			c.violated(LawOffset, "block %s has %d bytes, and the delta begins at %d", b.Block, r.Block.Text.Len(), b.Offset)
		}
	case event.BlockEnded:
		if c.must(r.Block != nil && r.Block.ID == b.Block, LawBlock, "block.ended of %s, which is not open", b.Block) {
			c.must(b.Role == r.Block.Role, LawBlock, "block %s began as %s and ended as %s", b.Block, r.Block.Role, b.Role)
			c.must(len(b.Text) >= r.Block.Text.Len() && b.Text[:r.Block.Text.Len()] == string(r.Block.Text.b), LawRepeats, "block %s ended with other text than its deltas have", b.Block)
		}
	case event.CallAnnounced:
		c.must(r.Block == nil, LawBlock, "call.announced inside a block")
		c.must(b.Call != "" && r.nameOf(b.Call) == "", LawAnnounced, "call %q announced a second time or without an id", b.Call)
	case event.ResponseEnded:
		c.must(r.Block == nil, LawOpenChild, "response.ended with a block open")
		c.must(slices.EqualFunc(b.Blocks, r.Blocks, func(id event.BlockID, have Block) bool { return id == have.ID }), LawSnapshot, "response.ended names other blocks than there were")
		c.must(slices.EqualFunc(b.Calls, r.Announced, func(id event.CallID, have event.CallAnnounced) bool { return id == have.Call }), LawSnapshot, "response.ended names other calls than were announced")
	case event.ResponseInterrupted:
		c.must(r.Block == nil, LawOpenChild, "response.interrupted with a block open")
	}
}

// responseLaw is the law that an event outside a response breaks.
func (c *check) responseLaw() Law {
	switch c.e.Body.(type) {
	case event.BlockStarted, event.BlockDelta, event.BlockEnded:
		return LawBlock
	case event.CallAnnounced:
		return LawAnnounced
	}
	return LawResponse
}

func (c *check) call() {
	s := c.s
	id := callOf(c.e.Body)
	call := s.OpenCall(id)
	if b, ok := c.e.Body.(event.CallStarted); ok {
		c.callStarted(b, call)
		return
	}
	switch {
	case call == nil:
		c.violated(LawCall, "%s of call %q, which is not open", c.e.Kind(), id)
		return
	case call.Ended != nil:
		c.violated(LawCall, "%s after call.ended of %s", c.e.Kind(), id)
		return
	}
	switch b := c.e.Body.(type) {
	case event.PermissionPreviewed, event.PermissionReady:
		c.must(call.Shown && call.Decided == nil, LawDecided, "%s of %s, which is not waiting for a decision", c.e.Kind(), id)
	case event.PermissionDecided:
		c.must(call.Shown, LawDecided, "permission.decided of %s before call.started", id)
		c.must(call.Decided == nil, LawDecided, "permission.decided of %s a second time", id)
		c.must(!c.askOpen(id), LawDecided, "permission.decided of %s with its ask open", id)
	case event.HostDecided:
		c.must(call.Decided != nil && call.Decided.Granted, LawEffect, "host.decided for %s, which was not granted", id)
	case event.CallDelta:
		if call.Decided == nil || !call.Decided.Granted {
			c.violated(LawEffect, "output of %s, which was not granted", id)
		}
		if b.Offset < 0 || b.Offset > call.Output.Len() {
			c.violated(LawOffset, "call %s has %d bytes, and the delta begins at %d", id, call.Output.Len(), b.Offset)
		}
	case event.CallEnded:
		c.callEnded(b, call)
	}
}

func (c *check) callStarted(b event.CallStarted, call *Call) {
	if b.Origin == event.CallerUser && c.e.Step == "" {
		c.must(call == nil, LawCall, "call %s started a second time", b.Call)
		return
	}
	if !c.must(c.s.Step != nil && c.e.Step == c.stepID(), LawCallOrder, "call.started outside an open step") {
		return
	}
	if c.must(call != nil, LawCallOrder, "call.started of %s, which no response.ended names", b.Call) {
		c.must(!call.Shown && call.Ended == nil, LawCall, "call %s started a second time", b.Call)
		c.must(call.Name == "" || call.Name == b.Name, LawCall, "call %s was announced as %s and started as %s", b.Call, call.Name, b.Name)
	}
}

func (c *check) callEnded(b event.CallEnded, call *Call) {
	c.must(!c.askOpen(b.Call), LawOpenChild, "call.ended of %s with its ask open", b.Call)
	switch b.Status {
	case event.StatusSuccess, event.StatusLost:
		c.must(call.Decided != nil && call.Decided.Granted, LawEffect, "call %s ended as %s without a grant", b.Call, b.Status)
	case event.StatusError:
		c.must(call.Decided != nil, LawStatus, "call %s ended as error without a decision", b.Call)
	case event.StatusDenied:
		c.must(call.Decided != nil && !call.Decided.Granted, LawStatus, "call %s ended as denied without a refusal", b.Call)
	case event.StatusSkipped, event.StatusAborted:
	default:
		c.violated(LawStatus, "call %s ended with the status %q", b.Call, b.Status)
	}
	c.must(call.Shown || b.Status == event.StatusSkipped || b.Status == event.StatusAborted, LawStatus, "call %s ended as %s and was never started", b.Call, b.Status)
}

func (c *check) askOpen(id event.CallID) bool {
	return slices.ContainsFunc(c.s.Asks, func(a event.AskOpened) bool { return a.Call == id && id != "" })
}

func (c *check) ask() {
	s := c.s
	switch b := c.e.Body.(type) {
	case event.AskOpened:
		c.must(b.Ask != "" && s.Ask(b.Ask) == nil, LawAsk, "ask %q opened a second time or without an id", b.Ask)
		c.must(s.Partial || number(string(b.Ask), "a") > s.Counts.Asks, LawAsk, "ask %s was there before", b.Ask)
		if b.Call != "" {
			call := s.OpenCall(b.Call)
			c.must(call != nil && call.Ended == nil, LawAsk, "ask %s is about call %s, which is not open", b.Ask, b.Call)
		}
	case event.AskAnswered:
		c.must(s.Ask(b.Ask) != nil, LawAsk, "ask.answered of %s, which is not open", b.Ask)
	case event.AskClosed:
		c.must(s.Ask(b.Ask) != nil, LawAsk, "ask.closed of %s, which is not open", b.Ask)
	}
}
