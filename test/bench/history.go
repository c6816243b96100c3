package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"parley/internal/agent"
	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/journal"
	"parley/internal/journal/memory"
	"parley/internal/journal/sqlite"
	"parley/internal/llm"
	"parley/internal/tool"
	"parley/internal/transcript"
)

// A history says how a generated session is to be: the agent itself makes it, in
// memory, on a model that works through its steps without a pause.
type history struct {
	steps  int  // of a run
	result int  // bytes of a call's result
	said   int  // bytes of a step's text
	lines  bool // the text is short lines
	enough func(events, bytes int) bool
}

// ordinary runs are what a session of some length is made of: six steps, each
// with a thought, a sentence and a call that reads a file.
func ordinary(enough func(events, bytes int) bool) history {
	return history{steps: 6, result: 4000, said: 1500, enough: enough}
}

// wrote is what came of a history.
type wrote struct {
	id                          event.SessionID
	events, bytes, runs, shrunk int
}

// write puts the session into a store that nobody has open. It ends with the
// first run past its size that was compacted, so that sessions of all lengths
// leave a next prompt the same conversation.
func (h history) write(ctx context.Context, dir, workspace string, id event.SessionID) (wrote, error) {
	w := wrote{id: id}
	kept, err := sqlite.Open(dir, journal.Options{})
	if err != nil {
		return w, err
	}
	defer kept.Close()
	to, err := kept.Create(ctx, id)
	if err != nil {
		return w, err
	}
	from, err := memory.New(journal.Options{}).Create(ctx, id)
	if err != nil {
		return w, err
	}
	opened := event.Event{Session: id, Body: event.SessionOpened{Origin: event.OriginNew, Workspace: workspace}}
	if _, err := from.Append(ctx, opened); err != nil {
		return w, err
	}
	log := agentLog{from}
	var at event.Seq
	for {
		if err := h.run(ctx, log, w.runs+1); err != nil {
			return w, err
		}
		w.runs++
		shrunk, err := w.move(ctx, from, to, &at)
		if err != nil {
			return w, err
		}
		if shrunk && h.enough(w.events, w.bytes) {
			return w, errors.Join(from.Close(), to.Close())
		}
	}
}

// batch is how many events become durable together.
const batch = 200

// move appends what is new in one log to another and reports whether a summary
// was among it.
func (w *wrote) move(ctx context.Context, from, to journal.Log, at *event.Seq) (shrunk bool, err error) {
	for {
		page, err := from.Page(ctx, *at, batch)
		if err != nil || len(page) == 0 {
			return shrunk, err
		}
		*at = page[len(page)-1].Seq
		var out []event.Event
		for _, e := range page {
			switch b := e.Body.(type) {
			case event.BlockDelta, event.CallDelta:
				continue
			case event.ContextCompacted:
				w.shrunk++
				shrunk = shrunk || b.Summary != ""
			}
			text, err := e.AppendJSON(nil)
			if err != nil {
				return shrunk, err
			}
			w.bytes += len(text)
			w.events++
			out = append(out, e)
		}
		if len(out) == 0 {
			continue
		}
		if _, err := to.Append(ctx, out...); err != nil {
			return shrunk, err
		}
	}
}

func (h history) run(ctx context.Context, log agentLog, number int) error {
	s := log.State()
	in := event.InputQueued{Input: s.NextInput(), Lane: event.LanePrompt, Text: fmt.Sprintf("Look into part %d, please, and say what you find.", number), Run: s.NextRun(), Number: number}
	if _, err := log.Append(ctx, event.Event{Session: log.ID(), Body: in}); err != nil {
		return err
	}
	s = log.State()
	if _, err := log.Append(ctx, agent.Begin(s, s.Queued(event.LanePrompt)[0])...); err != nil {
		return err
	}
	run := agent.New(log, &agent.Setup{
		Model: &worker{history: h}, Provider: "openai-chat", ModelName: "m", ContextLimit: 128_000, Threshold: 0.8, Target: 0.5,
		System: "You are a coding agent.", Tools: tool.NewSet(reader(h.result)),
	})
	return run.Do(run.Start(ctx))
}

// A worker is the model of one run.
type worker struct {
	history
	step int
}

// Stream implements llm.Model.
func (m *worker) Stream(_ context.Context, r llm.Request) iter.Seq[llm.Part] {
	return func(yield func(llm.Part) bool) {
		said := fill(m.said, m.lines)
		end := llm.End{Reason: llm.Stop, Usage: llm.Usage{Input: 30_000, Output: 200}}
		if len(r.Tools) == 0 { // a summary is asked for
			yield(llm.TextDelta{Text: fill(3000, false)})
			yield(end)
			return
		}
		m.step++
		if !yield(llm.ThinkingDelta{Text: fill(700, false)}) || !yield(llm.TextDelta{Text: said}) {
			return
		}
		if m.step < m.steps {
			call := llm.ToolCall{ID: fmt.Sprintf("call_%d_%d", r.Answered+len(r.Messages), m.step), Name: "look", Arguments: []byte(fmt.Sprintf(`{"at":"internal/part/file_%d.go"}`, m.step))}
			end.Reason = llm.ToolCalls
			if !yield(llm.ToolCallStart{ID: call.ID, Name: call.Name}) || !yield(call) {
				return
			}
		}
		yield(end)
	}
}

// fill is prose or lines of about n bytes.
func fill(n int, lines bool) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		b.WriteString(vocabulary[(i*i+i/3)%len(vocabulary)])
		if lines && i%4 == 3 {
			b.WriteByte('\n')
		} else {
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// reader is a tool that reads what nobody wrote.
func reader(size int) tool.Tool {
	text := fill(size, true)
	type arguments struct {
		At string `json:"at"`
	}
	return tool.Definition[arguments]{
		Spec:    tool.Spec{Name: "look", Description: "Looks at a file.", Schema: []byte(`{"type":"object","properties":{"at":{"type":"string"}},"required":["at"]}`), ReadOnly: true},
		Targets: func(tool.World, arguments) (tool.Targets, error) { return tool.Targets{}, nil },
		Run: func(context.Context, tool.World, tool.Call, arguments, tool.Grow) tool.Result {
			return tool.Result{Status: tool.Success, Text: text, Summary: "read"}
		},
	}.Tool()
}

// agentLog is a journal as a run wants it.
type agentLog struct{ journal.Log }

// Commit implements agent.Log. One run at a time writes.
func (l agentLog) Commit(ctx context.Context, f func(*transcript.State) []event.Event) error {
	events := f(l.State())
	if len(events) == 0 {
		return nil
	}
	_, err := l.Append(ctx, events...)
	return err
}

// Grow implements agent.Log. What only grows would be dropped at its end.
func (l agentLog) AppendDelta(context.Context, event.Event) error { return nil }

// Wait implements agent.Log.
func (l agentLog) Wait(context.Context, event.Seq, func(event.Event) bool) error {
	return command.Faultf(command.Internal, "a generated session has nothing to wait for")
}
