package agent

import (
	"context"
	"fmt"
	"strings"
	"time"

	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/llm"
	"parley/internal/transcript"
)

// What compaction leaves alone.
const (
	recentParts = 2    // steps at the end of the turn
	smallResult = 512  // bytes: a result that is not worth taking out
	minSummary  = 2000 // tokens: below this there is nothing to summarise
)

// compact makes room before the limit is hit: old tool output first, then a
// summary by the model. It runs between steps.
func (r *Run) compact(ctx, logged context.Context) error {
	if r.full {
		r.full = false
		return r.fit(ctx, logged)
	}
	limit := r.setup.ContextLimit
	if limit <= 0 || r.setup.Threshold <= 0 {
		return nil
	}
	s := r.log.State()
	before := r.size(s)
	if before < int(r.setup.Threshold*float64(limit)) {
		return nil
	}
	return r.shrink(ctx, logged, s, before, int(r.setup.Target*float64(limit)), event.TriggerThreshold)
}

// fit makes room for a request that was too large: for as much as the server says
// that it takes, or else for half of it.
func (r *Run) fit(ctx, logged context.Context) error {
	s := r.log.State()
	before := r.size(s)
	target := before / 2
	if o := r.overflow; o.Requested > o.Limit && o.Limit > o.Reserved {
		// By the server's count; ours only says which share of it has to go.
		prompt := max(1, o.Requested-o.Reserved)
		target = min(target+before/4, int(float64(before)*float64(o.Limit-o.Reserved)/float64(prompt)))
	}
	r.overflow = llm.Fault{Message: r.overflow.Message}
	return r.shrink(ctx, logged, s, before, target, event.TriggerOverflow)
}

// size estimates the tokens of the next request: what the last one took by the
// provider's count, or four bytes a token where that says less.
func (r *Run) size(s *transcript.State) int { return Size(s, r.setup) }

// Size estimates the tokens of the request that the transcript calls for, at
// four bytes a token.
func Size(s *transcript.State, setup *Setup) int {
	request, err := Request(s, setup)
	if err != nil {
		return 0
	}
	return tokens(request)
}

func tokens(request llm.Request) int {
	n := len(request.System)
	for _, t := range request.Tools {
		n += len(t.Name) + len(t.Description) + len(t.Schema)
	}
	for _, m := range request.Messages {
		for _, p := range m.Parts {
			switch p := p.(type) {
			case llm.Text:
				n += len(p.Text)
			case llm.Thinking:
				n += len(p.Text)
			case llm.ToolCall:
				n += len(p.Name) + len(p.Arguments)
			case llm.ToolResult:
				n += len(p.Text) + 4000*len(p.Images)
			case llm.Opaque:
				n += len(p.Data)
			case llm.Image:
				n += 4000 // about a thousand tokens, whatever its bytes
			}
			n += 16
		}
	}
	return n / 4
}

func (r *Run) shrink(ctx, logged context.Context, s *transcript.State, before, target int, trigger event.Trigger) error {
	after := s.Clone()
	if elided := elide(after); len(elided) > 0 {
		e := event.ContextCompacted{Elided: elided, TokensBefore: before, Trigger: trigger}
		after.Elided = append(after.Elided, elided...)
		e.TokensAfter = r.size(after)
		if err := r.emit(logged, e); err != nil {
			return err
		}
		if e.TokensAfter <= target {
			return nil
		}
		before = e.TokensAfter
	}
	_, fault, err := r.summarize(ctx, logged, r.log.State(), before, target, trigger, "")
	if err == nil && fault != nil && ctx.Err() == nil {
		err = r.emit(logged, event.NoteAdded{Level: event.LevelWarn, Text: "The conversation could not be summarised: " + fault.Message, Source: "compaction"})
	}
	return err
}

// elide names the calls whose results can go: all but small ones and those of
// the last steps.
func elide(s *transcript.State) []event.CallID {
	gone := names(s.Elided)
	var out []event.CallID
	take := func(parts []transcript.Part) {
		for _, p := range parts {
			for _, c := range p.Calls {
				if c.Ended != nil && (len(c.Ended.Result) > smallResult || c.Ended.Images != nil) && !gone[c.ID] {
					out = append(out, c.ID)
				}
			}
		}
	}
	path, _ := kept(s)
	for _, e := range path {
		if e.Content != nil {
			take(e.Content.Parts[min(e.Content.Hidden, len(e.Content.Parts)):])
		}
	}
	if s.Turn != nil {
		take(s.Turn.Parts[s.Turn.Hidden:max(s.Turn.Hidden, len(s.Turn.Parts)-recentParts)])
	}
	return out
}

const summaryPrompt = `Summarise the conversation above for yourself, so that you can go on with the work without it. Keep: what the
user wants and how they want it, in their words; what was decided and why; which files were read or changed, with the names, paths,
commands and values that matter; what failed; what is done and what comes next. Leave out greetings and whole file contents.
Answer with the summary only.`

// summarize replaces the older entries, and the older steps of an open turn, by
// a summary. done is false where there was nothing to replace.
func (r *Run) summarize(ctx, logged context.Context, s *transcript.State, before, target int, trigger event.Trigger, instruction string) (done bool, fault *llm.Fault, err error) {
	old, first, parts := r.cut(s, target)
	if old == nil {
		return false, nil, nil
	}
	request, err := Request(old, r.setup)
	if err != nil {
		return false, nil, err
	}
	request.Tools = nil
	prompt := summaryPrompt
	if instruction != "" {
		prompt += "\n\nAlso: " + instruction
	}
	request.Messages = append(request.Messages, llm.Message{Role: llm.User, Parts: []llm.Content{llm.Text{Text: prompt}}})
	text, end := collect(r.setup.Model.Stream(ctx, request), func(again llm.Retry) error {
		return r.emit(logged, event.NoteAdded{Level: event.LevelWarn, Text: fmt.Sprintf("the summary is asked for again in %s: %s", again.Wait.Round(time.Second), again.Reason), Source: r.setup.Provider})
	})
	if end.Fault != nil || strings.TrimSpace(text) == "" {
		if end.Fault == nil {
			end.Fault = &llm.Fault{Code: "provider", Message: "the model answered with no text"}
		}
		return false, end.Fault, nil
	}
	err = r.log.Commit(logged, func(now *transcript.State) []event.Event {
		e := event.ContextCompacted{Entry: now.NextEntry(), Summary: strings.TrimSpace(text), FirstKept: first, Parts: parts,
			TokensBefore: before, Trigger: trigger, Instruction: instruction}
		b := newBatch(now)
		b.emit(e)
		e.TokensAfter = r.size(b.s)
		b = newBatch(now)
		b.emit(e)
		return b.out
	})
	return err == nil, nil, err
}

// collect reads an answer that is not shown; each retry is reported.
func collect(parts func(func(llm.Part) bool), tell func(llm.Retry) error) (string, llm.End) {
	var text strings.Builder
	var end llm.End
	for p := range parts {
		switch p := p.(type) {
		case llm.TextDelta:
			text.WriteString(p.Text)
		case llm.Retry:
			if err := tell(p); err != nil {
				return "", llm.End{Reason: llm.Failed, Fault: &llm.Fault{Code: llm.CodeProvider, Message: err.Error()}}
			}
		case llm.End:
			end = p
		}
	}
	return text.String(), end
}

// cut divides the active branch: old is a state with only what a summary replaces, nil
// where that is nothing; first is the first entry that stays, and parts is how many
// steps of the open turn are replaced.
func (r *Run) cut(s *transcript.State, target int) (old *transcript.State, first event.EntryID, parts int) {
	path, _ := kept(s)
	turn := 0 // entries that belong to the open turn stay
	if s.Turn != nil && len(path) > 0 && path[len(path)-1].ID == s.Turn.Entry {
		turn = 1
	}
	keep, elided := len(path)-turn, names(s.Elided)
	for keep > 0 && r.costs(path[keep-1:], elided) <= target/2 {
		keep--
	}
	if s.Turn != nil {
		parts = s.Turn.Hidden
		for last := len(s.Turn.Parts) - recentParts; parts < last && r.costsParts(s.Turn.Parts[parts:]) > target/2; {
			parts++
		}
	}
	if keep < len(path) {
		first = path[keep].ID
	}
	if keep == 0 && (s.Turn == nil || parts <= s.Turn.Hidden) {
		return nil, "", 0
	}
	old = s.Clone()
	if s.Turn != nil {
		t := *s.Turn
		t.Parts = t.Parts[:parts]
		old.Turn = &t
	}
	if parts == 0 || s.Turn == nil || parts == s.Turn.Hidden {
		if keep > 0 {
			old.Leaf = path[keep-1].ID
		}
		old.Turn = nil
	}
	return old, first, parts
}

func (r *Run) costs(path []*transcript.Entry, elided map[event.CallID]bool) int {
	m := &messages{setup: r.setup, elided: elided}
	for _, e := range path {
		if e.Content == nil || m.entry(e) != nil {
			return 1 << 30
		}
	}
	return tokens(llm.Request{Messages: m.out})
}

func (r *Run) costsParts(parts []transcript.Part) int {
	m := &messages{setup: r.setup}
	for _, p := range parts {
		m.part(p)
	}
	return tokens(llm.Request{Messages: m.out})
}

// Summarize compacts a session that is idle, because a person asked for it.
func Summarize(ctx context.Context, setup *Setup, log Log, instruction string) (command.Compacted, *command.Fault) {
	r := New(log, setup)
	r.join(log.State().Tools)
	s := log.State()
	before := r.size(s)
	if before < minSummary {
		return command.Compacted{}, command.Faultf(command.Invalid, "nothing_to_compact")
	}
	done, fault, err := r.summarize(ctx, ctx, s, before, before/2, event.TriggerManual, instruction)
	switch {
	case err != nil:
		return command.Compacted{}, command.FaultOf(err)
	case fault != nil:
		return command.Compacted{}, command.Faultf(command.Code(fault.Code), "%s", fault.Message)
	case !done:
		return command.Compacted{}, command.Faultf(command.Invalid, "nothing_to_compact")
	}
	sum := log.State().Summary
	if sum == nil {
		return command.Compacted{}, command.Faultf(command.Internal, "%s", fmt.Sprintf("session %s kept no summary", s.Session))
	}
	return command.Compacted{Session: s.Session, Summary: sum.Text, FirstKept: sum.FirstKept, Tokens: before}, nil
}
