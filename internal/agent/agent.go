// Package agent is the loop of a run: the model's request is made from the
// transcript, its answer becomes events, its calls are decided, run and
// answered, until the model has nothing more to do.
//
// An agent has no history of its own: [Request] is a pure function of the
// transcript and the setup, so resume, branch, compaction and retry are edits
// of the log. It guarantees that every effect is recorded before it happens
// (permission.decided is durable before a tool runs), that boundaries are
// explicit also when a stream is cut, and that whatever happens the turn and
// the run are closed.
//
// It does not know who is watching, where the log is kept, or which provider
// and tools it was given.
package agent

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/llm"
	"parley/internal/permission"
	"parley/internal/tool"
	"parley/internal/transcript"
)

// A Log is where a run reads and writes.
type Log interface {
	// Commit calls f with the state at the head and appends what it returns as
	// one atomic batch that is durable when Commit returns. No other event
	// comes between. An empty batch is nothing.
	Commit(ctx context.Context, f func(*transcript.State) []event.Event) error
	// AppendDelta appends a delta. Readers see it at once.
	AppendDelta(ctx context.Context, e event.Event) error
	// State returns a copy of the state at the head.
	State() *transcript.State
	// Wait reads the events after a seq until done says so of one, at the latest
	// until ctx ends.
	Wait(ctx context.Context, after event.Seq, done func(event.Event) bool) error
}

// A Setup is what a run works with, resolved when its prompt was accepted.
type Setup struct {
	Model        llm.Model
	Provider     string // name of the provider, for people and for opaque data
	ModelName    string // as the server knows it
	ContextLimit int    // tokens
	ContextGuess bool   // nobody tells ContextLimit
	MaxOutput    int    // tokens; 0 leaves it to the server
	Reasoning    string
	Thinker      llm.Thinker     // how the model is told how much to think
	Images       llm.ImageLimits // what the model takes of pictures
	System       string
	Budget       []event.BudgetSource // what System is made of, to which the run adds its tools; nil: nobody counts

	// Cost is what the model's use costs, in millionths of a US dollar, and how many tokens it has no price for; nil: it
	// costs nothing.
	Cost func(llm.Usage) (micros int64, unpriced int)
	// Notes are told to people once when the prompt is accepted.
	Notes []string

	Tools   tool.Set            // that the session always has
	Joined  func() []JoinedTool // those that it has now beyond them; nil: there are none
	Grammar permission.Grammar  // how stored rules are read; nil: by the tools
	World   tool.World          // without what a tool may do to its session, which is the run's
	Home    string              // for rules that begin with ~/
	Policy  permission.Policy   // without what the session's answers stored
	// Decide says whether a call may run; nil: permission.Decide. It is called again for arguments that a person changed
	// and for a call that waited. It must not wait itself.
	Decide func(permission.Policy, permission.Call) permission.Verdict
	CanAsk func() bool                                                   // somebody attached can answer an ask
	Store  func(permission.Scope, permission.Effect, []string) error     // keeps a rule beyond the session
	Save   func(mediaType string, data []byte) (event.Attachment, error) // keeps an image beside the log
	Load   func(event.Attachment) ([]byte, error)                        // reads one again; a word stands for what cannot be read

	// Reminders returns what happened beside the run since the last call, such as the
	// end of a background command, for the model to be told; nil: nothing does.
	Reminders func() []event.DeveloperSaid

	// Choose puts another model into a setup, for a sub-agent; nil: there is no other.
	Choose func(to *Setup, model string) *command.Fault
	NewID  func() event.SessionID // of a sub-agent's session

	Allowance  *event.Allowance // what the run may use, its sub-agents included; nil: all it wants
	Shape      *tool.Shape      // that the run's answers have to fit; nil: any
	Steps      int              // limit of steps in a turn
	Repeats    int              // how often the same calls with the same results may come around; 0: any number
	Threshold  float64          // share of ContextLimit at which compaction begins; 0: never
	Target     float64          // share of ContextLimit that compaction leaves
	StartAfter <-chan struct{}  // the first model request waits for it; nil: no wait
	Now        func() time.Time
}

// The causes with which a run's context is cancelled.
var (
	ErrAborted = errors.New("aborted")
	ErrSteered = errors.New("steered")
)

// A Run is one run, from idle to idle.
type Run struct {
	log     Log
	setup   *Setup   // the run's own: its tools are those of the open step
	builtin tool.Set // those that do not leave
	abort   context.CancelCauseFunc
	stream  atomic.Pointer[context.CancelCauseFunc] // of the response that streams

	agents   *agents      // shared with the run's sub-agents
	depth    int          // 0: of the root
	waiting  atomic.Int32 // background sub-agents that have not been delivered
	finished chan event.DeveloperSaid
	overflow llm.Fault // what the server said of a request that was too large
	told     int       // tokens that the server says it takes; 0: it did not say
	taught   float64   // tokens of the server to one of our estimate, by the last overflow; 0: none since the last answer
	asked    bool      // for a summary, by a person who waits for it
	full     bool      // the window had no room for the last request or its answer
	spent    spent     // by sub-agents that have ended
}

// New returns a run that has not begun. It keeps a copy of the setup.
func New(log Log, setup *Setup) *Run {
	r := newRun(log, *setup)
	r.agents = &agents{root: log, newID: setup.NewID}
	return r
}

func newRun(log Log, setup Setup) *Run {
	if setup.Now == nil {
		setup.Now = time.Now
	}
	if setup.Decide == nil {
		setup.Decide = permission.Decide
	}
	if setup.CanAsk == nil {
		setup.CanAsk = func() bool { return false }
	}
	if setup.NewID == nil {
		setup.Tools = setup.Tools.Filter(func(s tool.Spec) bool { return !s.Spawns })
	}
	if setup.Grammar == nil {
		setup.Grammar = Grammar(setup.Tools)
	}
	return &Run{log: log, setup: &setup, builtin: setup.Tools, abort: func(error) {}, finished: make(chan event.DeveloperSaid, maxAgents)}
}

// Abort stops the run. It may be called at any time, from any goroutine.
func (r *Run) Abort() { r.abort(ErrAborted) }

// Steer interrupts the stream, if one is open; a steer with when=now is queued
// before it is called.
func (r *Run) Steer() {
	if cancel := r.stream.Load(); cancel != nil {
		(*cancel)(ErrSteered)
	}
}

// Start prepares ctx for the run; Abort works from then on.
func (r *Run) Start(ctx context.Context) context.Context {
	ctx, r.abort = context.WithCancelCause(ctx)
	return ctx
}

// Do takes the open run to its end: begin has appended run.started and the
// first turn. It returns when run.ended is durable, or with the error of a log
// that refuses.
func (r *Run) Do(ctx context.Context) error {
	// The log is written to also when the run was aborted.
	logged := context.WithoutCancel(ctx)
	for {
		reason, err := r.turn(ctx, logged)
		if err != nil {
			return err
		}
		more, err := r.next(ctx, logged, reason)
		if err != nil || !more {
			return err
		}
	}
}

// next ends the turn and takes what is queued as the next one, or ends the run. It
// does so in one batch, so that no input is lost between.
func (r *Run) next(ctx, logged context.Context, reason event.Reason) (more bool, err error) {
	// No sub-agent outlives the run that started it.
	for r.waiting.Load() > 0 && (ctx.Err() != nil || reason != event.ReasonSteered) {
		if _, err := r.deliver(ctx, logged, true); err != nil {
			return false, err
		}
	}
	err = r.log.Commit(logged, func(s *transcript.State) []event.Event {
		more = false
		b := newBatch(s)
		aborted := ctx.Err() != nil
		if aborted {
			reason = event.ReasonAborted
			b.add(transcript.Closing(b.s, transcript.Why{Reason: reason, Keep: true, After: true})...)
		}
		b.endTurn(reason)
		b.spend(r.spent.take())
		if !aborted {
			if taken := NextInputs(b.s); len(taken) > 0 {
				b.take(taken)
				more = true
				return b.out
			}
		}
		return append(b.out, b.endRun(runReason(reason), r.setup.Now()))
	})
	return more, err
}

// tell appends the reminders.
func (r *Run) tell(logged context.Context) error {
	if r.depth > 0 || r.setup.Reminders == nil {
		return nil
	}
	var bodies []event.Body
	for _, said := range r.setup.Reminders() {
		bodies = append(bodies, said)
	}
	if bodies == nil {
		return nil
	}
	return r.emit(logged, bodies...)
}

// runReason is the reason of the run whose last turn ended so.
func runReason(r event.Reason) event.Reason {
	if r == event.ReasonSteered {
		return event.ReasonDone
	}
	return r
}

// Fail closes everything after an error that the run cannot go on from.
func Fail(s *transcript.State, err error) []event.Event {
	b := newBatch(s)
	f := command.FaultOf(err)
	b.emit(event.FaultRaised{Code: f.Code, Message: f.Message, RetryMS: f.Retry.Milliseconds()})
	b.add(transcript.Closing(b.s, transcript.Why{Reason: event.ReasonError, Message: f.Message, After: true})...)
	return b.out
}
