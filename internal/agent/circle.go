package agent

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"parley/internal/event"
	"parley/internal/transcript"
)

// longestCircle is how many steps a circle may have to be seen.
const longestCircle = 4

// circle returns the steps of which the last ones are rounds of the same: the same
// calls with the same results, the shortest such circle. It is nil where there is
// none. Its work is bounded by the rounds and the results of these steps.
func circle(parts []transcript.Part, rounds int) []transcript.Part {
	for n := 1; n <= longestCircle && n*rounds <= len(parts); n++ {
		last := parts[len(parts)-n*rounds:]
		again := true
		for i := len(last) - 1; i >= n && again; i-- {
			again = sameCalls(last[i], last[i-n])
		}
		if again {
			return last[:n]
		}
	}
	return nil
}

// sameCalls reports whether two steps made the same calls, in the same order, and
// learned the same. What was said beside them does not matter.
func sameCalls(a, b transcript.Part) bool {
	return len(a.Calls) > 0 && slices.EqualFunc(a.Calls, b.Calls, func(a, b *transcript.Call) bool {
		return a.Name == b.Name && bytes.Equal(a.Arguments, b.Arguments) && a.Ended != nil && b.Ended != nil &&
			a.Ended.Status == b.Ended.Status && slices.Equal(a.Ended.Images, b.Ended.Images) && learned(a.Ended) == learned(b.Ended)
	})
}

// learned is the result of a call without the name of the file that keeps all of it:
// each call has a file of its own.
func learned(e *event.CallEnded) string {
	if e.File == "" {
		return e.Result
	}
	return strings.ReplaceAll(e.Result, e.File, "")
}

// A watch is what a turn remembers of the circles that it was in.
type watch struct {
	from int  // the first part that counts
	told bool // the model was told
}

// The answers to a circle; anything else that is written is told to the model.
const (
	circleOn   = "go_on"
	circleStop = "stop"
)

// noticeCircle asks a person what to do about a model that makes the same calls with
// the same results over and over. Where nobody can be asked, or nobody answers, the
// model is told once, and then the turn ends. The reason is empty where it goes on.
func (r *Run) noticeCircle(ctx, logged context.Context, at *watch) (event.Reason, error) {
	turn := r.log.State().Turn
	if r.setup.Repeats <= 0 || turn == nil {
		return "", nil
	}
	rounds := max(r.setup.Repeats, 2)
	steps := circle(turn.Parts[min(at.from, len(turn.Parts)):], rounds)
	if steps == nil {
		return "", nil
	}
	at.from = len(turn.Parts)
	what := fmt.Sprintf("the same calls %d times, with the same results each time (%s)", rounds, callsOf(steps))
	if r.setup.CanAsk() {
		key, text, err := r.askCircle(ctx, logged, what)
		switch {
		case err != nil || key == circleOn || ctx.Err() != nil:
			return "", err
		case key == circleStop:
			return event.ReasonDenied, nil
		case text != "":
			return "", r.emit(logged, event.DeveloperSaid{Origin: event.ReminderCircle, Text: "You have made " + what + ". The user was asked about it and says: " + text})
		}
	}
	if at.told {
		return event.ReasonLimit, r.raise(logged, event.CodeLimit, "the model made "+what+", also after it was told; say 'go on', or set limits.repeats")
	}
	at.told = true
	return "", r.emit(logged, event.DeveloperSaid{Origin: event.ReminderCircle, Text: "You have made " + what +
		". Do not make them again: try something else, or say what keeps you from going on."})
}

// askCircle is the answer of a person; both are empty where the ask was closed without one.
func (r *Run) askCircle(ctx, logged context.Context, what string) (key, text string, err error) {
	reply, err := r.question(ctx, logged, &event.AskOpened{Kind: event.AskQuestions, Title: "The model goes in a circle", Questions: []event.Question{{
		Text:    "The model made " + what + ". What now? What you write is told to it.",
		Options: []event.Option{{Key: circleOn, Label: "let it go on"}, {Key: circleStop, Label: "stop the run"}},
	}}})
	if err != nil || reply == nil || len(reply.Answers) == 0 {
		return "", "", err
	}
	answer := reply.Answers[len(reply.Answers)-1]
	if len(answer.Keys) > 0 {
		key = answer.Keys[0]
	}
	return key, strings.TrimSpace(answer.Text), nil
}

// callsOf names the calls of some steps for people, as far as they fit a line.
func callsOf(steps []transcript.Part) string {
	var names []string
	for _, p := range steps {
		for _, c := range p.Calls {
			name := c.Name
			if c.Title != "" {
				name += " " + c.Title
			}
			names = append(names, cut(name, 60))
		}
	}
	return cut(strings.Join(names, ", "), 200)
}
