package transcripttest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"parley/internal/event"
	"parley/internal/event/eventtest"
	"parley/internal/transcript"
)

// A Generator makes a session at random, event by event: prompts, steers and
// follow-ups, models that change, answers that are cut and go on, calls side by
// side that are asked about, sub-agents, compactions, clients that come and go,
// and runs that are stopped, fail, or are recovered.
type Generator struct {
	State *transcript.State // after Log
	Log   []event.Event

	r     *rand.Rand
	at    time.Time
	names int
	tasks map[event.CallID]event.SessionID // the sub-agent that a call has opened
}

// NewGenerator returns a generator of a session that has not begun.
func NewGenerator(seed uint64) *Generator {
	return &Generator{State: transcript.New(), r: rand.New(rand.NewPCG(seed, 5)), at: eventtest.Epoch, tasks: make(map[event.CallID]event.SessionID)}
}

// Generate returns the log of a session of at least n events, which is idle at its end.
func Generate(seed uint64, n int) []event.Event {
	s := NewGenerator(seed)
	for len(s.Log) < n || s.State.Run != nil {
		s.Step()
	}
	return s.Log
}

// Add lets something happen now, in the session or a sub-agent of it. It panics where that
// is not legal.
func (s *Generator) Add(id event.SessionID, bodies ...event.Body) {
	for _, b := range bodies {
		in := s.State.In(id)
		if in == nil {
			in = transcript.New()
		}
		e := in.Now(b)
		e.Session = id
		s.take(e)
	}
}

func (s *Generator) take(e event.Event) {
	s.at = s.at.Add(time.Duration(1+s.r.IntN(1500)) * time.Millisecond)
	e.Seq, e.Time = event.Seq(len(s.Log)+1), s.at
	if found := transcript.Check(s.State, e); len(found) > 0 {
		panic(fmt.Sprintf("%d %s: %v", e.Seq, e.Kind(), found))
	}
	s.State.Apply(e)
	s.Log = append(s.Log, e)
}

func (s *Generator) one(n int) bool           { return s.r.IntN(n) == 0 }
func (s *Generator) pick(of ...string) string { return of[s.r.IntN(len(of))] }

func (s *Generator) name(prefix string) string {
	s.names++
	return fmt.Sprint(prefix, s.names)
}

func (s *Generator) words() string {
	return s.pick("the ", "file ", "says “hi”", ". ", "\n", "\n\n", "- item", "```go\n", "naïve ", "漢字 ", "**bold** ") + s.pick("", "x", "one two three ")
}

// More adds what comes next.
func (s *Generator) Step() {
	root := s.State
	switch {
	case root.Session == "":
		s.Add(eventtest.Session, event.SessionOpened{Origin: event.OriginNew, Workspace: "/home/ann/shop"},
			event.ClientJoined{Client: "c1", Name: "parley", Dialect: "native", CanAsk: true})
	case root.Run == nil && s.one(3):
		s.beside()
	case root.Run == nil:
		s.prompt()
	case s.one(12):
		s.beside()
	case s.one(90):
		s.stop()
	default:
		agents := root.Agents()
		if n := s.r.IntN(len(agents) + 1); n < len(agents) {
			s.agent(agents[n])
			return
		}
		s.run(root)
	}
}

// prompt queues a prompt and begins its run.
func (s *Generator) prompt() {
	id, root := s.State.Session, s.State
	if len(root.Queued(event.LanePrompt)) == 0 {
		q := s.queued(event.LanePrompt)
		if leaf := root.Leaf; root.Unfinished() && s.one(2) {
			q.Text, q.Continue, q.Leaf = "", true, &leaf
		}
		s.Add(id, q)
	}
	p := root.Queued(event.LanePrompt)[0]
	s.Add(id, event.RunStarted{Number: p.Number})
	if p.Continue && p.Leaf != nil && *p.Leaf == root.Leaf {
		s.Add(id, event.TurnStarted{Number: 1, Inputs: []event.InputID{p.Input}, Lane: p.Lane, From: root.Leaf})
		return
	}
	s.turn(root, []transcript.Input{p})
}

func (s *Generator) queued(lane event.Lane) event.InputQueued {
	b := event.InputQueued{Input: s.State.NextInput(), Lane: lane, Text: s.name("do ") + " " + s.words(), Position: len(s.State.Queued(lane)), Who: "parley"}
	if lane == event.LanePrompt {
		b.Run, b.Number = s.State.NextRun(), s.State.Counts.Runs+1
		if s.one(4) {
			b.Model = s.pick("openai/alpha", "anthropic/beta")
		}
	}
	return b
}

func (s *Generator) turn(in *transcript.State, inputs []transcript.Input) {
	_, n := in.NextTurn()
	b := event.TurnStarted{Number: n, Lane: inputs[0].Lane}
	for _, i := range inputs {
		b.Inputs = append(b.Inputs, i.Input)
	}
	s.Add(in.Session, b, event.UserSaid{Entry: in.NextEntry(), Parent: in.Leaf, Text: inputs[0].Text, Origin: inputs[0].Lane})
}

// run takes an open run a bit further.
func (s *Generator) run(in *transcript.State) {
	id := in.Session
	switch {
	case in.Turn == nil:
		s.afterTurn(in)
	case in.Step == nil && (in.Turn.Steps == 0 || in.Turn.Steps < 5 && !s.one(3)):
		s.between(in)
		_, n := in.NextStep()
		s.Add(id, event.StepStarted{Number: n})
	case in.Step == nil:
		s.endTurn(in, event.Reason(s.pick("done", "done", "done", "limit")))
	case in.Step.Response == nil && s.one(6):
		s.Add(id, event.RetryScheduled{Attempt: 1, Max: 4, DelayMS: 1000, Reason: "429 Too Many Requests"})
	case in.Step.Response == nil:
		provider, model := s.pick("openai", "anthropic"), s.pick("alpha", "beta")
		s.Add(id, event.ResponseStarted{Provider: provider, Model: model})
	case in.Step.Response.Phase == transcript.Open:
		s.respond(in)
	default:
		s.calls(in)
	}
}

func (s *Generator) afterTurn(in *transcript.State) {
	for _, lane := range []event.Lane{event.LaneSteer, event.LaneFollowUp} {
		if waiting := in.Queued(lane); len(waiting) > 0 {
			s.Add(in.Session, event.InputTaken{Inputs: []event.InputID{waiting[0].Input}, Lane: lane})
			s.turn(in, waiting[:1])
			return
		}
	}
	s.Add(in.Session, event.RunEnded{Reason: event.ReasonDone, Usage: in.Run.Usage, DurationMS: 40})
}

func (s *Generator) endTurn(in *transcript.State, reason event.Reason) {
	if reason == event.ReasonLimit {
		s.Add(in.Session, event.FaultRaised{Code: event.CodeLimit, Message: "too many steps"})
	}
	end := event.TurnEnded{Number: in.Turn.Number, Reason: reason}
	if in.Turn.Answered() {
		end.Entry, end.Parent = in.NextEntry(), in.Turn.Parent()
	}
	s.Add(in.Session, end)
}

// between is what can happen between two steps.
func (s *Generator) between(in *transcript.State) {
	switch {
	case s.one(6):
		s.Add(in.Session, event.DeveloperSaid{Text: "a job is done", Origin: event.ReminderJob})
	case s.one(8):
		s.Add(in.Session, event.ContextCompacted{Entry: in.NextEntry(), Summary: "We looked.", FirstKept: in.Turn.Entry, Parts: s.r.IntN(len(in.Turn.Parts) + 1), TokensBefore: 9000, TokensAfter: 900, Trigger: event.TriggerThreshold})
	case s.one(8):
		s.Add(in.Session, event.NoteAdded{Level: event.LevelInfo, Text: s.name("note ")})
	case s.one(8):
		s.Add(in.Session, event.ImagesRefused{Images: []string{s.name("sum")}, Reason: "it cannot be read"})
	}
}

func (s *Generator) respond(in *transcript.State) {
	r, id := in.Step.Response, in.Session
	if b := r.Block; b != nil {
		if !s.one(4) {
			s.Add(id, event.BlockDelta{Block: b.ID, Offset: b.Text.Len(), Text: s.words()})
			return
		}
		s.Add(id, event.BlockEnded{Block: b.ID, Role: b.Role, Text: b.Text.String(), DurationMS: 300})
		if s.one(5) {
			s.cut(in)
		}
		return
	}
	block := event.BlockID(fmt.Sprintf("%s.b%d", in.Step.ID, len(r.Blocks)+1))
	switch n := s.r.IntN(10); {
	case n < 4:
		s.Add(id, event.BlockStarted{Block: block, Role: event.RoleText})
	case n < 6:
		s.Add(id, event.BlockStarted{Block: block, Role: event.RoleThinking})
	case n < 8 && len(r.Announced) < 3:
		tool := s.pick("bash", "read", "edit", "task")
		s.Add(id, event.CallAnnounced{Call: event.CallID(s.name("call_")), Name: tool})
	case n == 8 && s.one(4):
		s.cut(in)
	default:
		s.answered(in)
	}
}

// cut breaks an answer off, as a connection does; the next step goes on from it.
func (s *Generator) cut(in *transcript.State) {
	id := in.Session
	s.Add(id, event.ResponseInterrupted{Reason: event.InterruptedByProvider, Message: "unexpected EOF"}, event.NoteAdded{Level: event.LevelWarn, Text: "The answer was cut; going on from there."})
	if len(in.Step.Response.Blocks) > 0 {
		s.Add(id, event.DeveloperSaid{Text: "Go on exactly where it stops.", Origin: event.ReminderContinue})
	}
	s.Add(id, event.StepEnded{Number: in.Step.Number})
}

// answered ends the response and starts its calls.
func (s *Generator) answered(in *transcript.State) {
	r, id := in.Step.Response, in.Session
	end := event.ResponseEnded{Blocks: []event.BlockID{}, Calls: []event.CallID{}, Stop: event.StopDone, Usage: event.Usage{Input: 60, Output: 40}}
	for _, b := range r.Blocks {
		end.Blocks = append(end.Blocks, b.ID)
	}
	for _, a := range r.Announced {
		end.Calls, end.Stop = append(end.Calls, a.Call), event.StopCalls
	}
	announced := slices.Clone(r.Announced)
	s.Add(id, end, event.UsageChanged{Step: end.Usage, Run: in.Run.Usage.Plus(end.Usage), Session: in.Usage.Session.Plus(end.Usage), ContextUsed: 100, ContextLimit: 128000})
	for _, a := range announced {
		s.Add(id, event.CallStarted{Call: a.Call, Name: a.Name, Arguments: json.RawMessage(fmt.Sprintf(`{"path":"%s"}`, a.Call)), Origin: event.CallerModel})
	}
}
