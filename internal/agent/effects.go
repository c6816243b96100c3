package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"parley/internal/event"
	"parley/internal/tool"
	"parley/internal/transcript"
)

// callEffects are what one call may do to its session. They end with the call,
// also for what the tool left running.
type callEffects struct {
	calls *stepCalls
	call  event.CallID
	run   context.Context // the run's
	ctx   context.Context // the call's
	end   context.CancelFunc

	mu     sync.Mutex // guards the fields below
	ended  bool
	within sync.WaitGroup // what has begun and not ended
}

func (b *stepCalls) effects(ctx context.Context, call event.CallID) *callEffects {
	e := &callEffects{calls: b, call: call, run: ctx}
	e.ctx, e.end = context.WithCancel(ctx)
	return e
}

// world adds them to a World.
func (e *callEffects) world(w tool.World) tool.World {
	w = e.fenced(w)
	w.Ask, w.Plan, w.Title = e.ask, e.plan, e.title
	if e.calls.run.spawns() {
		w.Spawn = e.spawn
	}
	return w
}

// close ends what has begun, and lets nothing begin any more.
func (e *callEffects) close() {
	e.mu.Lock()
	e.ended = true
	e.mu.Unlock()
	e.end()
	e.within.Wait()
}

// do carries out one effect, in a context that also ends with the call.
func (e *callEffects) do(ctx context.Context, f func(context.Context) error) error {
	e.mu.Lock()
	if e.ended {
		e.mu.Unlock()
		return errors.New("the call has ended")
	}
	e.within.Add(1)
	e.mu.Unlock()
	defer e.within.Done()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(e.ctx, cancel)()
	if err := ctx.Err(); err != nil {
		return err
	}
	return f(ctx)
}

// ask asks a question the way permissions are asked for: one at a time, over the log,
// answered by the first client that answers.
func (e *callEffects) ask(ctx context.Context, q event.AskOpened) (reply tool.Reply, err error) {
	if q.Kind == event.AskPermission {
		return reply, fmt.Errorf("asking for permission: %w", tool.ErrRefused)
	}
	q.Call = e.call
	err = e.do(ctx, func(ctx context.Context) error {
		if !e.calls.asking.lock(ctx) {
			return ctx.Err()
		}
		defer e.calls.asking.unlock()
		if !e.calls.run.setup.CanAsk() {
			return tool.ErrNobody
		}
		got, err := e.calls.run.question(ctx, e.calls.logged, &q)
		if err != nil {
			return err
		}
		if got == nil {
			return errors.Join(ctx.Err(), e.withdraw(q.Ask))
		}
		reply = *got
		return nil
	})
	return reply, err
}

// withdraw closes an ask that nobody waits for any more.
func (e *callEffects) withdraw(id event.AskID) error {
	return e.calls.run.log.Commit(e.calls.logged, func(s *transcript.State) []event.Event {
		if s.Ask(id) == nil {
			return nil // somebody was faster
		}
		b := newBatch(s)
		b.emit(event.AskClosed{Ask: id, Outcome: event.OutcomeAborted, Method: event.MethodAbort})
		return b.out
	})
}

func (e *callEffects) plan(ctx context.Context, plan event.PlanChanged) error {
	var body event.Body = plan
	if len(plan.Steps) == 0 {
		body = event.PlanCleared{}
	}
	return e.do(ctx, func(context.Context) error { return e.calls.run.emit(e.calls.logged, body) })
}

func (e *callEffects) title(ctx context.Context, title event.SessionTitled) error {
	title.Title = event.Title(title.Title)
	if strings.TrimSpace(title.Title) == "" {
		return errors.New("a title is needed")
	}
	return e.do(ctx, func(context.Context) error { return e.calls.run.emit(e.calls.logged, title) })
}

func (e *callEffects) spawn(ctx context.Context, a tool.Agent) (result tool.Result, err error) {
	err = e.do(ctx, func(ctx context.Context) error {
		c, fault := e.calls.run.child(ctx, e.call, a)
		if fault != nil {
			return errors.New(fault.Message)
		}
		if a.Background {
			e.calls.run.inBackground(e.run, c)
			result = tool.Result{Status: tool.Success, Display: tool.Display{Agent: c.log.id}}
			return nil
		}
		result = c.work(ctx)
		return nil
	})
	return result, err
}
