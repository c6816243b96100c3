package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/permission"
	"parley/internal/tool"
	"parley/internal/transcript"
)

// Limits of sub-agents.
const (
	maxDepth  = 2  // a sub-agent may have sub-agents, and those none
	maxAgents = 16 // in one run of the root
)

// agents is what the runs of one root run share.
type agents struct {
	root  Log
	mu    sync.Mutex
	begun int
	newID func() event.SessionID
	usage event.Usage         // of all answers so far
	kept  []permission.Scoped // rules for the project or the user that were answered during the run
}

func (a *agents) keep(rules ...permission.Scoped) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.kept = append(a.kept, rules...)
}

// policy decides about the calls of the run and of its sub-agents: the setup's rules,
// those that answers in the session stored, and those that were stored for the project
// or the user since the run began.
func (r *Run) policy() permission.Policy {
	p := Policy(r.agents.root.State(), r.setup)
	r.agents.mu.Lock()
	defer r.agents.mu.Unlock()
	return p.With(r.agents.kept...)
}

// spent is the usage of sub-agents that is not yet in the run's.
type spent struct {
	mu    sync.Mutex
	usage event.Usage
}

func (s *spent) add(u event.Usage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.usage = s.usage.Plus(u)
}

func (s *spent) take() event.Usage {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := s.usage
	s.usage = event.Usage{}
	return u
}

// child is a sub-agent that is about to work: a child session whose events are in
// the root's log under its own id.
type child struct {
	run    *Run
	parent *Run
	log    *childLog
	agent  tool.Agent
}

// spawns reports whether the run may start sub-agents.
func (r *Run) spawns() bool { return r.agents.newID != nil && r.depth < maxDepth }

// child makes a sub-agent. It may do no more than its parent: they are decided
// about by one policy, and its tools are some of the parent's.
func (r *Run) child(ctx context.Context, call event.CallID, a tool.Agent) (*child, *command.Fault) {
	r.agents.mu.Lock()
	full := r.agents.begun >= maxAgents
	r.agents.begun++
	r.agents.mu.Unlock()
	if full {
		return nil, command.Faultf(command.Limit, "a run may start %d sub-agents, and did", maxAgents)
	}
	setup := *r.setup
	if a.Model != "" {
		if r.setup.Choose == nil {
			return nil, command.Faultf(command.Invalid, "a sub-agent cannot have a model of its own here")
		}
		if fault := r.setup.Choose(&setup, a.Model); fault != nil {
			return nil, fault
		}
	}
	state := r.log.State()
	deepest := r.depth+1 >= maxDepth
	setup.Tools = r.setup.active(state).Filter(func(s tool.Spec) bool {
		return (s.ReadOnly || !a.ReadOnly) && (len(a.Tools) == 0 || slices.Contains(a.Tools, s.Name)) && !(s.Spawns && deepest)
	})
	setup.Shape = nil // only the run's own answer has one
	setup.System += "\n" + a.System + "\n"
	log := &childLog{root: r.agents.root, id: r.agents.newID()}
	run := newRun(log, setup)
	run.agents, run.depth = r.agents, r.depth+1
	err := log.Commit(context.WithoutCancel(ctx), func(s *transcript.State) []event.Event {
		b := newBatch(s)
		b.s.Session = log.id
		b.add(event.Event{Session: log.id, Cause: state.Run.Cause, Body: event.SessionOpened{Origin: event.OriginAgent, Parent: state.Session, Call: call,
			Profile: a.Profile, Description: a.Description, Prompt: a.Prompt, Workspace: r.setup.World.Root}})
		b.add(event.Event{Session: log.id, Cause: state.Run.Cause, Body: event.AgentChanged{State: event.AgentActive}})
		b.add(event.Event{Session: log.id, Run: "r1", Cause: state.Run.Cause, Body: event.RunStarted{Number: 1}})
		b.begin([]transcript.Input{{InputQueued: event.InputQueued{Lane: event.LanePrompt, Text: a.Prompt}}})
		return b.out
	})
	if err != nil {
		return nil, command.FaultOf(err)
	}
	return &child{run: run, parent: r, log: log, agent: a}, nil
}

// work takes the sub-agent to its end and closes its session.
func (c *child) work(ctx context.Context) tool.Result {
	logged := context.WithoutCancel(ctx)
	err := c.run.Do(c.run.Start(ctx))
	c.run.Abort()
	var result tool.Result
	closing := c.log.Commit(logged, func(s *transcript.State) []event.Event {
		result = c.result(s, err)
		b := newBatch(s)
		if err != nil {
			b.add(Fail(s, err)...)
		}
		state, reason := event.AgentDone, event.ReasonDone
		if result.Status != tool.Success {
			state, reason = event.AgentError, event.Reason(result.Status)
		}
		b.emit(event.AgentChanged{State: state, Message: result.Summary}, event.SessionClosed{Reason: reason})
		c.parent.spent.add(s.Usage.Session)
		return b.out
	})
	if closing != nil {
		result = tool.Failed(closing)
	}
	result.Display.Agent = c.log.id
	return result
}

// result is the last answer of the sub-agent.
func (c *child) result(s *transcript.State, err error) tool.Result {
	calls := 0
	var last *transcript.Entry
	for _, e := range s.Entries {
		if e.Role != "assistant" || e.Content == nil {
			continue
		}
		last = e
		for _, p := range e.Content.Parts {
			calls += len(p.Calls)
		}
	}
	summary := fmt.Sprintf("%d calls", calls)
	if calls == 1 {
		summary = "1 call"
	}
	text := ""
	if last != nil {
		text = answer(last.Content.Parts)
	}
	switch {
	case err != nil:
		return tool.Failed(err)
	case last == nil:
		return tool.Result{Status: tool.Error, Text: "The sub-agent gave no answer.", Summary: "no answer"}
	case last.Reason == event.ReasonAborted:
		return tool.Result{Status: tool.Aborted, Text: "The sub-agent was stopped. So far: " + text, Summary: "aborted"}
	case last.Reason != event.ReasonDone && last.Reason != event.ReasonSteered:
		return tool.Result{Status: tool.Error, Text: strings.TrimSpace("The sub-agent did not finish (" + string(last.Reason) + "). " + text), Summary: string(last.Reason)}
	}
	return tool.Result{Status: tool.Success, Text: tool.Clip(text), Summary: summary}
}

// answer is the text of the last step that has any. Where that step goes on with a
// text that was cut, the text of the steps before it comes first.
func answer(parts []transcript.Part) string {
	last := len(parts) - 1
	text := func(i int) string { return (&transcript.Content{Parts: parts[i : i+1]}).Answer() }
	for last >= 0 && text(last) == "" {
		last--
	}
	out := ""
	for i := last; i >= 0 && (i == last || parts[i].Interrupted && len(parts[i].Said) > 0); i-- {
		out = text(i) + out
	}
	return out
}

// childLog is the part of the root's log that is a sub-agent's.
type childLog struct {
	root Log
	id   event.SessionID
}

func (l *childLog) of(s *transcript.State) *transcript.State {
	if c := s.Children[l.id]; c != nil {
		return c
	}
	return transcript.New()
}

func (l *childLog) Commit(ctx context.Context, f func(*transcript.State) []event.Event) error {
	return l.root.Commit(ctx, func(s *transcript.State) []event.Event { return f(l.of(s)) })
}

func (l *childLog) AppendDelta(ctx context.Context, e event.Event) error {
	return l.root.AppendDelta(ctx, e)
}

func (l *childLog) State() *transcript.State { return l.of(l.root.State()) }

func (l *childLog) Wait(ctx context.Context, after event.Seq, done func(event.Event) bool) error {
	return l.root.Wait(ctx, after, func(e event.Event) bool { return e.Session == l.id && done(e) })
}

// inBackground lets a sub-agent work beside the run, which waits for it before
// it ends.
func (r *Run) inBackground(ctx context.Context, c *child) {
	r.waiting.Add(1)
	go func() {
		result := c.work(ctx)
		r.finished <- event.DeveloperSaid{Origin: event.ReminderAgent, Text: fmt.Sprintf("The background sub-agent %q has ended (%s). Its answer:\n\n%s", c.agent.Description, result.Status, result.Text)}
	}()
}

// deliver appends the answers of background sub-agents. With wait it waits for the
// next answer; more says that there was one.
func (r *Run) deliver(ctx, logged context.Context, wait bool) (more bool, err error) {
	for r.waiting.Load() > 0 {
		var said event.DeveloperSaid
		if wait && !more {
			// An aborted run's sub-agents end with it.
			said = <-r.finished
		} else {
			select {
			case said = <-r.finished:
			default:
				return more, nil
			}
		}
		r.waiting.Add(-1)
		more = true
		if ctx.Err() != nil {
			continue
		}
		if err := r.emit(logged, said); err != nil {
			return more, err
		}
	}
	return more, nil
}
