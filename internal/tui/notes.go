package tui

import (
	"fmt"
	"path/filepath"
	"strings"

	"parley/internal/cell"
	"parley/internal/display"
	"parley/internal/event"
)

// noteView shows notes, faults, retries and the like in a few lines each.
func noteView(it *display.Item) []cell.Line {
	switch it.Kind {
	case display.KindDeveloper:
		text, _ := oneLine(it.Text(), thoughtLine)
		return []cell.Line{(&lineBuilder{}).add(dim, "  told the model: ", text).line}
	case display.KindImage:
		return []cell.Line{(&lineBuilder{}).add(plain, "▣ image  ").add(dim.With(cell.Underline), cell.Clean(it.Label)).line}
	case display.KindNote:
		return noteLines(it.Label, it.Text())
	case display.KindFault:
		return prefixed("✗ ", bad, plain, it.Text())
	case display.KindFiles:
		return nil // the calls that changed them said so
	case display.KindCompaction:
		c, what := it.Compaction, "earlier messages were summarised"
		if c.Entry == "" {
			what = "old results were taken out"
		}
		return []cell.Line{(&lineBuilder{}).add(dim, fmt.Sprintf("  %s: %s to %s tokens", what, short(c.TokensBefore), short(c.TokensAfter))).line}
	case display.KindRun:
		return runLines(it.Run)
	}
	return nil
}

func noteLines(level, text string) []cell.Line {
	switch level {
	case "warn":
		return prefixed("! ", needed, plain, text)
	case "error":
		return prefixed("✗ ", bad, plain, text)
	}
	return prefixed("  ", dim, dim, text)
}

// prefixed sets a text behind a sign, further lines two columns in.
func prefixed(sign string, style, text cell.Style, s string) []cell.Line {
	var out []cell.Line
	rows := strings.Split(strings.TrimSpace(cell.Clean(s)), "\n")
	for i, t := range head(rows, userLines) {
		if i > 0 {
			sign = "  "
		}
		out = append(out, (&lineBuilder{}).add(style, sign).add(text, clip(t)).line)
	}
	if n := len(rows) - userLines; n > 0 {
		out = append(out, more(n))
	}
	return out
}

// runLines says how a run ended, where that is not plain from what it said.
func runLines(r *display.Run) []cell.Line {
	facts := ""
	if r.Duration > 0 {
		facts = "  " + duration(r.Duration)
	}
	switch r.Reason {
	case event.ReasonAborted:
		return []cell.Line{(&lineBuilder{}).add(needed, "⚠").add(plain, " interrupted").add(dim, facts).line}
	case event.ReasonLimit:
		return []cell.Line{(&lineBuilder{}).add(needed, "⚠").add(plain, " stopped at a limit").add(dim, facts).line}
	case event.ReasonDenied:
		return []cell.Line{(&lineBuilder{}).add(dim, "  stopped: a call was denied", facts).line}
	case event.ReasonRecovered:
		return []cell.Line{(&lineBuilder{}).add(needed, "⚠").add(plain, " the daemon stopped in this run").line}
	case event.ReasonDone, event.ReasonError, event.ReasonSteered:
		// The answer, or the fault before it, says so.
	}
	return nil
}

// retryView says that the model was asked again: no wait is silent, also when
// it is over.
func retryView(it *display.Item) []cell.Line {
	r := it.Retry
	reason, _ := oneLine(r.Reason, thoughtLine)
	text := fmt.Sprintf("  asked again, %s: %s", r.Count(" of "), reason)
	if d := it.Duration(it.Ended); d > 0 {
		text += "  " + duration(d)
	}
	return []cell.Line{(&lineBuilder{}).add(dim, text).line}
}

// askView is what stays of an ask: the answers to questions, and the decisions on
// calls of sub-agents. Any other call has a line of its own, which says whether it
// ran and what the answer stored.
func askView(it *display.Item) []cell.Line {
	a := it.Ask
	if a.Closed == nil {
		return nil
	}
	if a.Opened.Kind == event.AskPermission {
		for _, o := range a.Opened.Options {
			if o.Key == a.Closed.Key && len(o.Rules) > 0 && it.Voice.Name != "" {
				return []cell.Line{(&lineBuilder{}).add(dim, "  ", cell.Clean(string(a.Closed.Outcome))+" "+scopes[o.Scope]+": "+cell.Clean(strings.Join(o.Rules, ", "))).line}
			}
		}
		return nil
	}
	title, _ := oneLine(a.Opened.Title, titleBytes)
	var lines []cell.Line
	for _, answer := range a.Answers {
		question := title
		if answer.Question < len(a.Opened.Questions) {
			question, _ = oneLine(a.Opened.Questions[answer.Question].Text, titleBytes)
		}
		lines = append(lines, (&lineBuilder{}).add(accent, "? ").add(plain, question).add(dim, "  ").add(plain, answered(a.Opened, answer)).line)
	}
	if len(lines) == 0 {
		lines = append(lines, (&lineBuilder{}).add(accent, "? ").add(plain, title).add(dim, "  ", cell.Clean(string(a.Closed.Outcome))).line)
	}
	return lines
}

// answered writes an answer in words; a secret is not written.
func answered(a event.AskOpened, answer event.AskAnswered) string {
	options := a.Options
	if answer.Question < len(a.Questions) {
		q := a.Questions[answer.Question]
		if q.Secret {
			return "•••"
		}
		options = q.Options
	}
	var words []string
	for _, key := range answer.Keys {
		label := key
		for _, o := range options {
			if o.Key == key {
				label = o.Label
			}
		}
		words = append(words, cell.Clean(label))
	}
	if answer.Text != "" {
		words = append(words, answer.Text)
	}
	text, _ := oneLine(strings.Join(words, ", "), titleBytes)
	return text
}

// base is the last part of a path, for a status line.
func base(path string) string {
	if path == "" {
		return ""
	}
	return filepath.Base(path)
}
