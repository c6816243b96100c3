package agent

import (
	"context"
	"fmt"
	"strings"
	"time"

	"parley/internal/event"
	"parley/internal/llm"
	"parley/internal/room"
	"parley/internal/tool"
	"parley/internal/transcript"
)

// summaryPrompt asks for a summary; it takes the number of words.
const summaryPrompt = `Summarise the conversation above for yourself. Its older part is about to be replaced by what you write; the newest steps stay. Go on
from your summary as if you had read all of it. Answer with the summary as text, call no tool, use %d words at the most and these headings:

## Task
What the user wants and how they want it, in their own words where those matter.
## Decisions
What was decided, and why.
## Files
Which were read and which were changed, with what matters of them: paths, names, commands, values.
## Open work
What is done, what is not, and what comes next.
## What failed
What was tried and did not work, and why.

Leave out greetings and whole contents of files. What an earlier summary says and still matters belongs into this one.`

// summaryTokens is how long a summary may be where room is made down to a target.
func summaryTokens(target int) int { return min(max(target/5, 200), 8000) }

// summary asks the model for a summary of the first groups: with the request as it was, so that the server's cache serves
// it, and if that is refused or does not fit with less of it. Where both fail the oldest goes without one, except where
// somebody waits who can ask again.
func (r *Run) summary(ctx, logged context.Context, s *transcript.State, c contents, groups int, limits room.Limits, e event.ContextCompacted) (string, error) {
	most := summaryTokens(limits.Target)
	bytes := int(float64(4*most) / max(1, r.scale(s)))
	prompt := fmt.Sprintf(summaryPrompt, most/2)
	if e.Instruction != "" {
		prompt += "\n\nWhat matters most, in the user's words: " + e.Instruction
	}
	whole, err := Request(s, r.setup)
	if err != nil {
		return "", err
	}
	fault := &llm.Fault{Message: "there is no room to ask for a summary of all of it"}
	if c.total+tokens(len(prompt), r.scale(s))+most <= limits.Window {
		r.fitAnswer(&whole, c.total)
		var text string
		if text, fault, err = r.ask(ctx, logged, whole, prompt); err != nil || ctx.Err() != nil || fault == nil {
			return cut(text, bytes), err
		}
		if unanswered(fault) {
			return "", fault
		}
	}
	smaller := whole
	smaller.MaxOutput = r.setup.MaxOutput
	smaller.Messages = c.smaller(s, r.setup, groups, limits.Window/2, r.scale(s))
	r.fitAnswer(&smaller, limits.Window/2)
	text, again, err := r.ask(ctx, logged, smaller, prompt)
	if err != nil || ctx.Err() != nil || again == nil {
		return cut(text, bytes), err
	}
	if r.asked || unanswered(again) {
		return "", again
	}
	if fault.Code == "" {
		fault = again
	}
	return leftOut, r.emit(logged, event.NoteAdded{Level: event.LevelWarn, Text: "The conversation could not be summarised, its beginning is left out: " + fault.Message, Source: "compaction"})
}

// unanswered reports whether a fault is one that has nothing to do with what was asked.
func unanswered(f *llm.Fault) bool {
	return f.Unreachable || f.Code == llm.CodeDenied || f.Code == llm.CodeNotFound
}

// leftOut stands for a summary that could not be had.
const leftOut = "(The beginning of the conversation is left out here: it could not be summarised.)"

// smaller are the messages of the first groups without their old results, as far back as fits.
func (c contents) smaller(s *transcript.State, setup *Setup, groups, most int, scale float64) []llm.Message {
	m := newMessages(s, setup)
	from, left := groups, most*4
	for from > 0 {
		size := len(leftOut)
		if g := c.groups[from-1]; g.part != nil {
			size = saidBytes(g.part)
			for _, call := range g.part.Calls {
				m.elided[call.ID] = true
				_, rest := m.resultBytes(call, smallResult)
				size += rest
			}
		} else {
			size = len(g.entry.Content.Text) + pictureBytes*len(g.entry.Content.Attachments)
		}
		if left -= int(float64(size) * scale); left < 0 {
			break
		}
		from--
	}
	switch {
	case s.Summary != nil:
		m.user(recall(s.Summary))
	case from > 0:
		m.user(leftOut)
	}
	for _, g := range c.groups[from:groups] {
		m.group(g)
	}
	return m.out
}

// ask sends a request with a prompt at its end and returns the text of the answer.
func (r *Run) ask(ctx, logged context.Context, request llm.Request, prompt string) (string, *llm.Fault, error) {
	m := &messages{out: request.Messages[:len(request.Messages):len(request.Messages)]}
	if n := len(m.out); n > 0 && m.out[n-1].Role == llm.User {
		// The parts of a message that is sent again are not to be written over.
		m.out = append(m.out[:n-1:n-1], llm.Message{Role: llm.User, Parts: append([]llm.Content(nil), m.out[n-1].Parts...)})
	}
	m.user(prompt)
	request.Messages = m.out
	var writing error
	text, end := collect(r.setup.Model.Stream(ctx, request), func(again llm.Retry) error {
		writing = r.emit(logged, event.NoteAdded{Level: event.LevelWarn, Text: fmt.Sprintf("the summary is asked for again in %s: %s", again.Wait.Round(time.Second), again.Reason), Source: r.setup.Provider})
		return writing
	})
	text = strings.TrimSpace(text)
	if end.Fault == nil && text == "" {
		end.Fault = &llm.Fault{Code: llm.CodeProvider, Message: "the model answered with no text"}
	}
	return text, end.Fault, writing
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

// written is what the first groups hold, word for word, for a file.
func (c contents) written(s *transcript.State, groups int) string {
	var out strings.Builder
	if s.Summary != nil {
		out.WriteString(recall(s.Summary) + "\n\n")
	}
	for _, g := range c.groups[:groups] {
		if g.part == nil {
			fmt.Fprintf(&out, "## The user\n\n%s\n\n", g.entry.Content.Text)
			continue
		}
		out.WriteString("## The model\n\n")
		for _, b := range g.part.Blocks {
			if b.Text != "" {
				out.WriteString(b.Text + "\n\n")
			}
		}
		for _, call := range g.part.Calls {
			fmt.Fprintf(&out, "### %s %s\n\n", call.Name, tool.Valid(string(call.Arguments)))
			if call.Ended != nil {
				out.WriteString(call.Ended.Result + "\n\n")
			}
		}
		for _, text := range g.part.Said {
			out.WriteString("## To the model\n\n" + text + "\n\n")
		}
	}
	return out.String()
}
