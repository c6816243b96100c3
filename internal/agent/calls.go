package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"parley/internal/event"
	"parley/internal/llm"
	"parley/internal/tool"
	"parley/internal/transcript"
)

// maxConcurrent is how many concurrent calls run at once.
const maxConcurrent = 8

// calls decides and runs the calls of the open step: concurrent ones that follow
// each other together, the others alone, in the model's order.
func (r *Run) calls(ctx, logged context.Context, calls []llm.ToolCall) (outcome, error) {
	s := r.log.State()
	b := &stepCalls{run: r, logged: logged, count: len(calls), tools: r.setup.active(s), asking: make(askLock, 1)}
	for len(calls) > 0 && ctx.Err() == nil && !b.stop.Load() {
		group := calls[:1]
		if s.Settings.Calls != event.OrderSequential {
			group = b.independent(calls)
		}
		if paused(r.log.State()) {
			if err := r.skip(logged, calls); err != nil {
				return stepFailed, err
			}
			return stepSteered, nil
		}
		if err := b.group(ctx, group); err != nil {
			return stepFailed, err
		}
		calls = calls[len(group):]
	}
	if ctx.Err() == nil && b.stop.Load() {
		if err := r.skip(logged, calls); err != nil {
			return stepFailed, err
		}
		return stepStopped, nil
	}
	return stepMore, nil
}

// paused reports whether a steer is queued that skips the rest of the step.
func paused(s *transcript.State) bool {
	return slices.ContainsFunc(s.Queued(event.LaneSteer), func(in transcript.Input) bool { return in.When != event.WhenAfter })
}

// skip ends the calls that were not decided, because a person spoke first.
func (r *Run) skip(logged context.Context, calls []llm.ToolCall) error {
	return r.log.Commit(logged, func(s *transcript.State) []event.Event {
		b := newBatch(s)
		for _, c := range calls {
			if open := s.OpenCall(event.CallID(c.ID)); open == nil || open.Ended != nil || open.Decided != nil {
				continue
			}
			b.emit(event.CallEnded{Call: event.CallID(c.ID), Name: c.Name, Status: event.StatusSkipped,
				Code: event.RefusedSteered, Result: "The call was skipped: the user said something first."})
		}
		return b.out
	})
}

// independent returns the calls at the front that may run beside each other.
func (b *stepCalls) independent(calls []llm.ToolCall) []llm.ToolCall {
	n := 0
	for n < len(calls) && n < maxConcurrent && b.concurrent(calls[n]) {
		n++
	}
	return calls[:max(n, 1)]
}

func (b *stepCalls) concurrent(c llm.ToolCall) bool {
	t, ok := b.tools.Get(c.Name)
	return ok && t.Spec().Concurrent
}

func (b *stepCalls) group(ctx context.Context, group []llm.ToolCall) error {
	if len(group) == 1 {
		return b.call(ctx, group[0])
	}
	errs := make([]error, len(group))
	var wg sync.WaitGroup
	for i, c := range group {
		wg.Go(func() { errs[i] = b.call(ctx, c) })
	}
	wg.Wait()
	return firstError(errs)
}

func firstError(errs []error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// stepCalls carries out the calls of one step.
type stepCalls struct {
	run    *Run
	logged context.Context
	tools  tool.Set
	count  int // of the calls
	stop   stopFlag
	asking askLock // one ask at a time
}

// An askLock is held by one call at a time.
type askLock chan struct{}

// lock waits for the lock; false where ctx ended first.
func (t askLock) lock(ctx context.Context) bool {
	select {
	case t <- struct{}{}:
	case <-ctx.Done():
		return false
	}
	if ctx.Err() != nil {
		t.unlock()
		return false
	}
	return true
}

// unlock releases the lock.
func (t askLock) unlock() { <-t }

// call carries out one call, from call.started to call.ended.
func (b *stepCalls) call(ctx context.Context, c llm.ToolCall) error {
	t, code, why := b.find(c)
	if t == nil {
		return b.refuse(c, code, why)
	}
	tc := tool.Call{ID: c.ID, Name: c.Name, Arguments: c.Arguments}
	grant, err := b.permit(ctx, t, tc)
	if err != nil || !grant.ok {
		return err
	}
	tc.Arguments = grant.arguments
	return b.effect(ctx, t, tc, grant)
}

// find is the tool of a call, or why there is none.
func (b *stepCalls) find(c llm.ToolCall) (tool.Tool, event.Refusal, string) {
	if c.Malformed != "" {
		return nil, event.RefusedArguments, "The arguments are not a JSON object: " + cut(c.Malformed, 200)
	}
	if t, ok := b.tools.Get(c.Name); ok {
		return t, "", ""
	}
	if _, known := b.run.setup.Tools.Get(c.Name); known {
		return nil, event.RefusedInactiveTool, "The tool " + c.Name + " is switched off in this session."
	}
	why := "There is no tool " + c.Name + "."
	if near := b.tools.Suggest(c.Name); len(near) > 0 {
		why += " Did you mean " + near[0] + "?"
	}
	return nil, event.RefusedUnknownTool, why + " The tools are " + strings.Join(b.tools.Names(), ", ") + "."
}

// misfit says why a call's targets cannot be told, with the right form where its arguments are to blame.
func misfit(name string, err error) string {
	var m *tool.Misfit
	if errors.As(err, &m) && m.Form != "" {
		return fmt.Sprintf("%s\nThe arguments of %s: %s", m.Reason, name, m.Form)
	}
	return err.Error()
}

func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return tool.Valid(text[:n]) + "…"
}

// refuse records that a call cannot run as it is, and ends it.
func (b *stepCalls) refuse(c llm.ToolCall, code event.Refusal, why string) error {
	return b.run.emit(b.logged,
		event.PermissionDecided{Call: event.CallID(c.ID), Method: event.MethodInvalid, Code: code, Reason: why},
		event.CallEnded{Call: event.CallID(c.ID), Name: c.Name, Status: event.StatusError, Result: why})
}

// effect runs a call that was granted; the grant is durable by now.
func (b *stepCalls) effect(ctx context.Context, t tool.Tool, c tool.Call, g grant) error {
	r := b.run
	began := r.setup.Now()
	at := r.log.State().Now(nil)
	offset := 0
	var growErr error
	own := b.effects(ctx, event.CallID(c.ID))
	result := t.Run(own.ctx, own.world(r.setup.World.Grant(g.targets).Approve(g.change)), c, func(s tool.Stream, chunk string) {
		if growErr != nil || chunk == "" {
			return
		}
		e := at
		e.Body = event.CallDelta{Call: event.CallID(c.ID), Stream: event.Stream(s), Offset: offset, Text: chunk}
		offset += len(chunk)
		growErr = r.log.AppendDelta(b.logged, e)
	})
	own.close()
	if growErr != nil {
		return growErr
	}
	end, err := r.ended(c, result)
	if err != nil {
		return err
	}
	r.keepWhole(&end, b.count)
	end.DurationMS = max(0, r.setup.Now().Sub(began).Milliseconds())
	bodies := []event.Body{end}
	if change := changed(result); change != nil {
		bodies = append(bodies, event.FilesChanged{Files: []event.FileChange{*change}})
	}
	if len(result.Later) > 0 {
		bodies = append(bodies, event.NoteAdded{Level: event.LevelWarn, Source: "fence",
			Text: "The command changed what is run or obeyed later, outside of the fence: " + strings.Join(result.Later, ", ") + "."})
	}
	return r.emit(b.logged, bodies...)
}

// ended is the event of a result.
func (r *Run) ended(c tool.Call, result tool.Result) (event.CallEnded, error) {
	end := event.CallEnded{Call: event.CallID(c.ID), Name: c.Name, Status: event.Status(result.Status), Result: result.Text, Summary: result.Summary, File: result.File}
	if d := result.Display; d != (tool.Display{}) {
		end.Display = &event.Display{Diff: d.Diff, File: d.File, Language: d.Language, Exit: d.ExitCode, Agent: d.Agent}
	}
	for _, image := range result.Images {
		saved, err := r.setup.Save(image.MediaType, image.Data)
		if err != nil {
			return end, err
		}
		end.Images = append(end.Images, saved)
	}
	return end, nil
}

// changed is what a successful write or edit did to its file.
func changed(result tool.Result) *event.FileChange {
	d := result.Display
	if result.Status != tool.Success || d.Diff == "" || d.File == "" {
		return nil
	}
	change := event.FileChange{Path: d.File, Change: event.ChangeModified}
	if strings.HasPrefix(d.Diff, "--- /dev/null") {
		change.Change = event.ChangeCreated
	}
	body := false
	for line := range strings.SplitSeq(d.Diff, "\n") {
		switch {
		case strings.HasPrefix(line, "@@"):
			body = true
		case body && strings.HasPrefix(line, "+"):
			change.Added++
		case body && strings.HasPrefix(line, "-"):
			change.Removed++
		}
	}
	return &change
}
