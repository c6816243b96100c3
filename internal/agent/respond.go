package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"parley/internal/event"
	"parley/internal/llm"
	"parley/internal/tool"
	"parley/internal/transcript"
)

// respond makes the request of the open step and writes the answer down. It
// returns the calls that the answer asks for.
func (r *Run) respond(ctx, logged context.Context) (outcome, []llm.ToolCall, error) {
	if startAfter := r.setup.StartAfter; startAfter != nil { // closed before the second request
		select {
		case <-startAfter:
		case <-ctx.Done():
		}
	}
	s := r.log.State()
	request, err := Request(s, r.setup)
	if err != nil {
		return stepFailed, nil, r.raise(logged, event.CodeInvalid, err.Error())
	}
	streaming, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r.stream.Store(&cancel)
	defer r.stream.Store(nil)
	if slices.ContainsFunc(s.Queued(event.LaneSteer), func(in transcript.Input) bool { return in.When == event.WhenNow }) {
		cancel(ErrSteered) // it came before there was a stream to interrupt
	}
	w := &writer{run: r, logged: logged, s: s}
	if c, err := contentsOf(s, r.setup, 1); err == nil {
		w.estimate = c.total
		r.fitAnswer(&request, int(float64(c.total)*r.scale(s)))
	}
	var end llm.End
	for part := range r.setup.Model.Stream(streaming, request) {
		if e, ok := part.(llm.End); ok {
			end = e
			break
		}
		if err := w.part(part); err != nil {
			return stepFailed, nil, err
		}
	}
	return w.end(streaming, end)
}

// writer turns the parts of an answer into events. Only this goroutine writes
// to the step while it streams.
type writer struct {
	run      *Run
	logged   context.Context
	s        *transcript.State // of the step, at the time of the request
	estimate int               // tokens that the request was taken for
	started  bool
	open     *event.BlockStarted
	text     []byte // of the open block
	blocks   []event.BlockID
	calls    []llm.ToolCall
	written  []event.WrittenCall // those of calls that are read in another way
	begun    []event.CallID
	pending  []event.Body // to be appended with the next batch
}

func (w *writer) envelope() event.Event {
	e := w.s.Now(nil)
	if w.started {
		e.Response = event.ResponseID(string(e.Step) + ".m")
	}
	return e
}

// flush appends what is pending as one batch.
func (w *writer) flush() error {
	if len(w.pending) == 0 {
		return nil
	}
	bodies := w.pending
	w.pending = nil
	return w.run.emit(w.logged, bodies...)
}

func (w *writer) start() {
	if !w.started {
		w.started = true
		w.pending = append(w.pending, event.ResponseStarted{Provider: w.run.setup.Provider, Model: w.run.setup.ModelName})
	}
}

func (w *writer) part(part llm.Part) error {
	switch p := part.(type) {
	case llm.TextDelta:
		return w.delta(event.RoleText, p.Text)
	case llm.ThinkingDelta:
		return w.delta(event.RoleThinking, p.Text)
	case llm.ToolCallStart:
		w.start()
		w.close()
		w.begun = append(w.begun, event.CallID(p.ID))
		w.pending = append(w.pending, event.CallAnnounced{Call: event.CallID(p.ID), Name: w.run.setup.Tools.Name(p.Name)})
		return w.flush()
	case llm.ToolCall:
		w.call(p)
		if !slices.Contains(w.begun, event.CallID(p.ID)) {
			return w.part(llm.ToolCallStart{ID: p.ID, Name: p.Name})
		}
	case llm.Image:
		return w.image(p)
	case llm.Retry:
		return w.run.emit(w.logged, event.RetryScheduled{Attempt: p.Attempt, Max: p.Max, DelayMS: p.Wait.Milliseconds(),
			Reason: p.Reason, Status: p.Status, Provider: w.run.setup.Provider})
	case llm.Opaque, llm.End:
		// Opaque comes again with the end.
	}
	return nil
}

// call normalises a call. From here on everything sees this form of it only.
func (w *writer) call(c llm.ToolCall) {
	written := event.WrittenCall{Call: event.CallID(c.ID), Name: c.Name, Arguments: string(c.Arguments)}
	if c.Malformed != "" {
		written.Arguments = tool.Valid(c.Malformed)
	}
	c = w.run.setup.normalised(c)
	if c.Name != written.Name || string(c.Arguments) != written.Arguments {
		w.written = append(w.written, written)
	}
	w.calls = append(w.calls, c)
}

func (w *writer) delta(role event.Role, text string) error {
	w.start()
	if w.open != nil && w.open.Role != role {
		w.close()
	}
	if w.open == nil {
		w.begin(role)
	}
	if err := w.flush(); err != nil {
		return err
	}
	e := w.envelope()
	e.Body = event.BlockDelta{Block: w.open.Block, Offset: len(w.text), Text: text}
	w.text = append(w.text, text...)
	return w.run.log.AppendDelta(w.logged, e)
}

func (w *writer) begin(role event.Role) {
	id := event.BlockID(fmt.Sprintf("%s.b%d", w.s.Step.ID, len(w.blocks)+1))
	w.blocks = append(w.blocks, id)
	w.open, w.text = &event.BlockStarted{Block: id, Role: role}, nil
	w.pending = append(w.pending, *w.open)
}

func (w *writer) close() {
	if w.open != nil {
		w.pending = append(w.pending, event.BlockEnded{Block: w.open.Block, Role: w.open.Role, Text: string(w.text)})
		w.open = nil
	}
}

func (w *writer) image(p llm.Image) error {
	w.start()
	w.close()
	saved, err := w.run.setup.Save(p.MediaType, p.Data)
	if err != nil {
		return err
	}
	w.begin(event.RoleImage)
	w.pending = append(w.pending, event.BlockEnded{Block: w.open.Block, Role: event.RoleImage, Path: saved.Path, MediaType: p.MediaType})
	w.open = nil
	return w.flush()
}

// end closes the response as its end says.
func (w *writer) end(streaming context.Context, end llm.End) (outcome, []llm.ToolCall, error) {
	switch end.Reason {
	case llm.Stop, llm.ToolCalls, llm.Length, llm.Filtered:
		w.start()
		w.close()
		w.complete(end)
		if err := w.flush(); err != nil {
			return stepFailed, nil, err
		}
		if end.Fault != nil {
			return stepFailed, nil, w.run.raise(w.logged, event.Code(end.Fault.Code), end.Fault.Message)
		}
		w.run.full = end.Room != llm.Enough
		switch {
		case end.Room == llm.Full && len(w.calls) == 0:
			return stepCut, nil, w.goOn("the model's window is full")
		case end.Said != llm.Something:
			return stepEmpty, nil, nil
		}
		if note := shortened[end.Reason]; note != "" {
			return stepDone, w.calls, w.run.emit(w.logged, event.NoteAdded{Level: event.LevelWarn, Text: note, Source: w.run.setup.Provider})
		}
		return stepDone, w.calls, nil
	}
	// Cut: by us, or by the provider.
	w.close()
	if streaming.Err() != nil {
		reason, out := event.InterruptedByAbort, stepAborted
		if errors.Is(interrupted(streaming), ErrSteered) {
			reason, out = event.InterruptedBySteer, stepSteered
		}
		w.interrupt(reason, "")
		return out, nil, w.flush()
	}
	fault := end.Fault
	if fault == nil {
		fault = &llm.Fault{Code: "provider", Message: "the model's answer broke off"}
	}
	if !w.started && fault.Overflow {
		w.run.overflow = *fault
		w.run.overflow.Message = explain(w.run.setup.Provider, *fault)
		return stepOverflow, nil, nil
	}
	if !w.started && len(fault.Pictures) > 0 {
		return stepRefused, nil, w.refuse(fault)
	}
	fault.Message = explain(w.run.setup.Provider, *fault)
	w.interrupt(event.InterruptedByProvider, fault.Message)
	if fault.Retryable && w.started {
		// A call that was announced only is forgotten: the model makes it again.
		return stepCut, nil, w.goOn(fault.Message)
	}
	w.pending = append(w.pending, event.FaultRaised{Code: event.Code(fault.Code), Message: fault.Message, RetryMS: fault.Retry.Milliseconds()})
	return stepFailed, nil, w.flush()
}

// cutOff is told to a model whose answer ends in the middle.
const cutOff = "Your answer was cut off. Go on exactly where it stops; repeat nothing."

// goOn has the next step go on from an answer that was cut.
func (w *writer) goOn(why string) error {
	w.pending = append(w.pending, event.NoteAdded{Level: event.LevelWarn, Text: "The answer was cut (" + why + "); going on from there.", Source: w.run.setup.Provider})
	if w.visible() {
		w.pending = append(w.pending, event.DeveloperSaid{Text: cutOff, Origin: event.ReminderContinue})
	}
	return w.flush()
}

// refuse leaves out the pictures that the server does not take, from the next
// request on.
func (w *writer) refuse(fault *llm.Fault) error {
	refused := event.ImagesRefused{Reason: w.run.setup.Provider + ": " + fault.Message}
	for _, p := range fault.Pictures {
		refused.Images = append(refused.Images, p.SHA256)
	}
	w.pending = append(w.pending, refused)
	return w.flush()
}

// shortened says why a complete answer is shorter than the model meant it to be.
var shortened = map[llm.StopReason]string{
	llm.Length:   "the answer ends here because it reached the most tokens that the model gives out",
	llm.Filtered: "the provider's filter ended the answer",
}

// explain is a fault in words that say whose it is and what to do.
func explain(provider string, f llm.Fault) string {
	switch {
	case f.Unreachable:
		return fmt.Sprintf("the server of %s cannot be reached (%s): is it running, and is its base URL right?", provider, f.Message)
	case f.Code == llm.CodeDenied:
		return fmt.Sprintf("%s refused the key (%s): check the key and what it may do", provider, f.Message)
	case f.Code == llm.CodeNotFound:
		return fmt.Sprintf("%s does not know the model or the address (%s)", provider, f.Message)
	}
	text := fmt.Sprintf("%s: %s", provider, f.Message)
	if f.Retry > 0 {
		text += fmt.Sprintf("; it asks for a wait of %s", f.Retry.Round(time.Second))
	}
	return text
}

// visible reports whether anything of the answer was shown.
func (w *writer) visible() bool { return len(w.blocks) > 0 }

func (w *writer) interrupt(reason event.Interruption, message string) {
	if w.started {
		w.pending = append(w.pending, event.ResponseInterrupted{Reason: reason, Message: message})
	}
}

// complete writes the snapshot, the usage and the calls in one batch.
func (w *writer) complete(end llm.End) {
	usage := event.Usage{Input: end.Usage.Input, Output: end.Usage.Output, CachedRead: end.Usage.CachedRead, CachedWrite: end.Usage.CachedWrite, Reasoning: end.Usage.Reasoning}
	if cost := w.run.setup.Cost; cost != nil {
		usage.Cost, usage.Unpriced = cost(end.Usage)
	}
	w.run.agents.use(usage)
	snapshot := event.ResponseEnded{Blocks: w.blocks, Calls: w.begun, Stop: event.Stop(end.Reason), Usage: usage, Model: end.ResponseModel, Written: w.written}
	if snapshot.Blocks == nil {
		snapshot.Blocks = []event.BlockID{}
	}
	if snapshot.Calls == nil {
		snapshot.Calls = []event.CallID{}
	}
	for _, o := range end.Opaque {
		snapshot.Opaque = append(snapshot.Opaque, event.Opaque{Provider: o.Provider, Model: o.Model, Data: o.Data})
	}
	total := event.UsageChanged{Step: usage, Run: w.s.Run.Usage.Plus(usage), Session: w.s.Usage.Session.Plus(usage),
		ContextUsed: usage.Input + usage.Output, ContextEstimate: w.estimate, ContextLimit: w.run.window(),
		ContextGuess: w.run.setup.ContextGuess && w.run.told == 0, Threshold: w.run.setup.Threshold}
	if total.ContextUsed == 0 {
		total.ContextUsed = w.s.Usage.ContextUsed
	}
	if usage.Input > 0 {
		w.run.taught = 0
	}
	w.pending = append(w.pending, snapshot, total)
	slices.SortStableFunc(w.calls, func(a, b llm.ToolCall) int {
		return slices.Index(w.begun, event.CallID(a.ID)) - slices.Index(w.begun, event.CallID(b.ID))
	})
	for _, c := range w.calls {
		w.pending = append(w.pending, event.CallStarted{Call: event.CallID(c.ID), Name: c.Name, Title: w.run.title(c.Name, c.Arguments), Arguments: c.Arguments, Origin: event.CallerModel})
	}
}
