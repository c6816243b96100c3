package agent

import (
	"context"
	"errors"

	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/llm"
	"parley/internal/room"
	"parley/internal/transcript"
)

// compact makes room before the limit is hit. It runs between steps.
func (r *Run) compact(ctx, logged context.Context) error {
	if r.full {
		r.full = false
		return r.fit(ctx, logged, true)
	}
	window := r.window()
	if window <= 0 || r.setup.Threshold <= 0 {
		return nil
	}
	s := r.log.State()
	c, err := r.contents(s)
	if err != nil || c.total < r.begin() {
		return nil // the request says what is wrong
	}
	return r.makeRoom(ctx, logged, s, c, event.TriggerThreshold, "", room.Limits{Target: r.target(), Window: window, Least: window / leastGain})
}

// leastGain is the part of the window that has to come free for room to be made before the server asks for it.
const leastGain = 20

// begin is the size at which room is made: at the threshold, and where the answer's reserve begins.
func (r *Run) begin() int {
	window := r.window()
	return min(int(r.setup.Threshold*float64(window)), window-r.reserve())
}

// target is the size that room is made down to.
func (r *Run) target() int {
	share := r.setup.Target
	if share <= 0 {
		share = usualTarget
	}
	target := int(share * float64(r.window()))
	if r.setup.Threshold > share {
		// Where the reserve is what begins it the distance stays the same.
		target = min(target, int(float64(r.begin())*share/r.setup.Threshold))
	}
	return target
}

// usualTarget is the share of the window that is left where the setup has none.
const usualTarget = 0.5

// fit makes room for a request that was too large. Where a shorter answer is enough nothing has to go, unless that was tried.
func (r *Run) fit(ctx, logged context.Context, again bool) error {
	if r.setup.Threshold <= 0 && r.setup.Target <= 0 {
		return nil // whoever set it so wants the run to end
	}
	s := r.log.State()
	c, err := r.contents(s)
	if err != nil {
		return nil // the request says what is wrong
	}
	o := r.overflow
	r.overflow.Limit, r.overflow.Requested, r.overflow.Reserved = 0, 0, 0
	if o.Limit > 0 && (r.told == 0 || o.Limit < r.told) {
		r.told = o.Limit
	}
	size := o.Requested - o.Reserved
	shorter := size > 0 && o.Reserved > 0 && o.Limit > 0 && r.setup.MaxOutput > 0 && size+r.reserve() <= o.Limit
	if size <= 0 {
		size = max(c.total, r.window())
	}
	r.taught = r.scale(s) * float64(size) / float64(max(1, c.total))
	if shorter && !again {
		return nil
	}
	if c, err = r.contents(s); err != nil {
		return nil
	}
	window := max(r.window(), 1)
	target := r.target()
	if r.window() <= 0 {
		window, target = c.total, c.total/2
	}
	return r.makeRoom(ctx, logged, s, c, event.TriggerOverflow, "", room.Limits{Target: min(target, c.total*3/4), Window: window})
}

// makeRoom takes what the plan says out of the next request.
func (r *Run) makeRoom(ctx, logged context.Context, s *transcript.State, c contents, trigger event.Trigger, instruction string, limits room.Limits) error {
	_, err := r.carryOut(ctx, logged, s, c, event.ContextCompacted{Trigger: trigger, Instruction: instruction, TokensBefore: c.total}, limits)
	return err
}

// carryOut makes a plan and carries it out. done is false where there was nothing to take out, or ctx has ended.
func (r *Run) carryOut(ctx, logged context.Context, s *transcript.State, c contents, e event.ContextCompacted, limits room.Limits) (done bool, err error) {
	scale := r.scale(s)
	limits.Summary = summaryTokens(limits.Target) + tokens(recallBytes+len(planned(s.Plan)), scale)
	plan := room.Make(c.sources, limits)
	if plan.Empty() {
		return false, nil
	}
	if plan.Groups > 0 {
		e.FirstKept, e.Parts, e.Steps = c.first(s, plan.Groups)
		if e.Summary, err = r.summary(ctx, logged, s, c, plan.Groups, limits, e); err != nil || ctx.Err() != nil {
			var fault *llm.Fault
			if errors.As(err, &fault) && !r.asked {
				err = nil // the next request meets the same, and says so
			}
			return false, err
		}
		e.File = r.keep("conversation-"+string(s.NextEntry()), c.written(s, plan.Groups))
	}
	for _, i := range plan.Shrink {
		call := c.results[i]
		e.Elided = append(e.Elided, call.ID)
		if call.Ended.File == "" {
			if file := r.keep(string(call.ID), call.Ended.Result); file != "" {
				e.Files = append(e.Files, event.ResultFile{Call: call.ID, File: file})
			}
		}
	}
	err = r.log.Commit(logged, func(now *transcript.State) []event.Event {
		if done = now.Leaf == s.Leaf && now.Step == nil; !done {
			return nil // somebody went on meanwhile
		}
		if plan.Groups > 0 {
			e.Entry = now.NextEntry()
		}
		b := newBatch(now)
		b.emit(e)
		if after, err := contentsOf(b.s, r.setup, scale); err == nil {
			e.TokensAfter, e.Kept = after.total, after.kept()
		}
		b = newBatch(now)
		b.emit(e)
		return b.out
	})
	return done, err
}

// recallBytes is what stands beside a summary and its plan.
const recallBytes = 500

// first says where the conversation goes on when so many groups are replaced: the first entry that is kept, how many steps
// of the open turn are replaced, or how many of the first answer that is kept.
func (c contents) first(s *transcript.State, groups int) (first event.EntryID, parts, steps int) {
	if wish := lastSaid(c.groups); wish >= 0 && groups > wish {
		first = c.groups[wish].entry.ID
	}
	switch g := c.groups[groups]; {
	case g.part == nil, g.entry != nil && g.step == 0 && first == "":
		return g.entry.ID, 0, 0
	case g.entry == nil:
		return first, g.step, 0
	case first == "":
		return g.entry.ID, 0, g.step
	default:
		return first, 0, g.step
	}
}

// Summarize makes room in a session that is idle, because a person asked for it; the instruction says what matters to them.
func Summarize(ctx context.Context, setup *Setup, log Log, instruction string) (command.Compacted, *command.Fault) {
	r := New(log, setup)
	r.join(log.State().Tools)
	s := log.State()
	c, err := r.contents(s)
	if err != nil {
		return command.Compacted{}, command.FaultOf(err)
	}
	if c.total < minSummary {
		return command.Compacted{}, command.Faultf(command.Invalid, "there is nothing to compact yet: the session has %d tokens, and the newest of them stay", c.total)
	}
	window := r.window()
	target := c.total / 2
	if window > 0 {
		target = min(target, r.target())
	} else {
		window = c.total
	}
	r.asked = true
	e := event.ContextCompacted{Trigger: event.TriggerManual, Instruction: instruction, TokensBefore: c.total}
	var fault *llm.Fault
	done, err := r.carryOut(ctx, ctx, s, c, e, room.Limits{Target: target, Window: window, Whole: true})
	switch {
	case errors.As(err, &fault):
		return command.Compacted{}, command.Faultf(command.Code(fault.Code), "the summary failed: %s", explain(setup.Provider, *fault))
	case err != nil:
		return command.Compacted{}, command.FaultOf(err)
	case ctx.Err() != nil:
		return command.Compacted{}, command.FaultOf(ctx.Err())
	case !done:
		return command.Compacted{}, command.Faultf(command.Invalid, "there is nothing to compact yet: the session has %d tokens, and the newest of them stay", c.total)
	}
	after := log.State()
	return command.Compacted{Session: s.Session, Summary: after.Summary.Text, FirstKept: after.Summary.FirstKept, Tokens: c.total, After: Size(after, setup)}, nil
}

// minSummary is the size below which nobody needs a summary, in tokens.
const minSummary = 2000
