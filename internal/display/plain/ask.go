package plain

import (
	"fmt"
	"strings"

	"parley/internal/cell"
	"parley/internal/display"
	"parley/internal/event"
)

// Asked returns the ask that is shown and waits for an answer, the question of
// it that is next, and its session; ok is false where there is none. Asks are
// shown one at a time.
func (r *Renderer) Asked() (session event.SessionID, ask event.AskOpened, question int, ok bool) {
	if len(r.asks) == 0 {
		return "", event.AskOpened{}, 0, false
	}
	a := r.asks[0]
	return a.At.Session, a.Ask, r.question, true
}

// Typed says that a person has ended a line after the prompt of an ask, and that
// the terminal has shown it.
func (r *Renderer) Typed() { r.state.Midline = false }

// Remark shows a line to the person who is asked, such as what was wrong with an
// answer, and asks again.
func (r *Renderer) Remark(text string) {
	r.endLine()
	r.prose("  "+flat(text), cell.Style{Color: cell.Yellow})
	if len(r.asks) > 0 {
		r.prompt(r.asks[0].Ask)
	}
}

func (r *Renderer) renderAsk(c display.RenderCommand) {
	if !r.options.Terminal || r.past {
		return
	}
	switch c := c.(type) {
	case display.OpenAsk:
		r.asks = append(r.asks, c)
		if len(r.asks) == 1 {
			r.ask(c)
		}
	case display.AnswerAsk:
		if len(r.asks) > 0 && r.asks[0].Ask.Ask == c.Answer.Ask && r.asks[0].At.Session == c.At.Session {
			r.answered(c.Answer)
		}
	case display.CloseAsk:
		r.closeAsk(c)
	}
}

// ask shows a question: the call that it is about, what the call would do, and
// the possible answers.
func (r *Renderer) ask(c display.OpenAsk) {
	r.asked, r.question = "", 0
	if c.Tool != "" {
		r.callLine(c.At, c.Ask.Call, c.Tool, c.Title)
		if p := c.Preview; p != nil && p.Diff != "" {
			r.diff(p.Diff, true)
			r.asked = c.Ask.Call
		} else {
			r.show(c)
		}
	} else {
		r.part(Aside)
	}
	title := cell.Escape(strings.TrimSpace(c.Ask.Title))
	r.wrapped(cell.Join(label(c.At.Voice), cell.Line{{Text: "▲", Style: cell.Style{Color: cell.Yellow}}, {Text: " " + title, Style: cell.Style{Attr: cell.Bold}}}))
	if text := strings.TrimSpace(c.Ask.Text); text != "" && text != strings.TrimSpace(c.Ask.Title) {
		for _, line := range cell.EscapeLines(text) {
			r.prose("  "+line, cell.Style{})
		}
	}
	for _, w := range c.Ask.Warnings {
		color := cell.Yellow
		if w.Level == event.LevelDanger {
			color = cell.Red
		}
		r.prose("  ! "+cell.Escape(w.Text), cell.Style{Color: color})
	}
	r.choices(c.Ask.Options)
	r.nextQuestion(c.Ask)
}

// show writes what a call would do, every byte of it.
func (r *Renderer) show(c display.OpenAsk) {
	s := &cell.Sheet{Width: r.width()}
	display.Show(s, cell.Join(cell.Plain("  "), cell.Styled(display.OneWord(c.Tool)+" ", cell.Style{Attr: cell.Bold})), c.Title, c.Arguments)
	if p := c.Preview; p != nil && p.Summary != "" {
		s.Block(cell.Plain("  ! "), p.Summary)
	}
	for _, row := range s.Rows {
		r.line(row)
	}
}

// choices shows what can be answered, with the rules that an answer would store.
func (r *Renderer) choices(options []event.Option) {
	for _, o := range options {
		text := cell.Escape(o.Label)
		if rules := strings.Join(o.Rules, ", "); rules != "" && !strings.Contains(o.Label, rules) {
			text += ": " + cell.Escape(rules)
		}
		if o.Detail != "" {
			text += " (" + cell.Escape(o.Detail) + ")"
		}
		key := cell.Span{Text: "  " + cell.Escape(o.Key), Style: cell.Style{Attr: cell.Bold}}
		r.wrapped(cell.Line{key, {Text: "  " + text}})
	}
}

// nextQuestion shows the question that is to be answered, where an ask has some,
// and the prompt.
func (r *Renderer) nextQuestion(a event.AskOpened) {
	if r.question < len(a.Questions) {
		q := a.Questions[r.question]
		text := cell.Escape(q.Text)
		if n := len(a.Questions); n > 1 {
			text = fmt.Sprintf("%d of %d: %s", r.question+1, n, text)
		}
		r.prose("  "+text, cell.Style{})
		r.choices(q.Options)
	}
	r.prompt(a)
}

// prompt leaves the cursor where the answer is typed.
func (r *Renderer) prompt(a event.AskOpened) {
	r.stopSpinner()
	options, fallback := a.Options, ""
	if r.question < len(a.Questions) {
		options, fallback = a.Questions[r.question].Options, a.Questions[r.question].Default
	}
	keys := make([]string, 0, len(options))
	for _, o := range options {
		keys = append(keys, cell.Escape(o.Key))
	}
	text := "  " + strings.Join(keys, "/")
	if fallback != "" {
		text += " [" + cell.Escape(fallback) + "]"
	}
	r.out = append(r.out, text+"? "...)
	r.state.Midline = true
}

func (r *Renderer) answered(a event.AskAnswered) {
	ask := r.asks[0].Ask
	if len(ask.Questions) == 0 {
		return // closing it says the same
	}
	text := strings.Join(append(append([]string(nil), a.Keys...), strings.TrimSpace(a.Text)), " ")
	if a.Question < len(ask.Questions) && ask.Questions[a.Question].Secret {
		text = "(hidden)"
	}
	r.fillPrompt(flat(text))
	r.question = a.Question + 1
	if r.question < len(ask.Questions) {
		r.nextQuestion(ask)
	}
}

// fillPrompt writes an answer where it would have been typed.
func (r *Renderer) fillPrompt(text string) {
	if !r.state.Midline {
		r.wrapped(cell.Plain("  " + text))
		return
	}
	r.state.Midline = false
	r.line(cell.Plain(text))
}

func (r *Renderer) closeAsk(c display.CloseAsk) {
	for i, a := range r.asks {
		if a.Ask.Ask != c.Closed.Ask || a.At.Session != c.At.Session {
			continue
		}
		r.asks = append(r.asks[:i:i], r.asks[i+1:]...)
		if i > 0 {
			return // it was never shown
		}
		r.verdict(c)
		if len(r.asks) > 0 {
			r.ask(r.asks[0])
		}
		return
	}
}

// verdict says how an ask was closed, and by whom.
func (r *Renderer) verdict(c display.CloseAsk) {
	text := flat(string(c.Closed.Outcome))
	if c.Label != "" {
		text += ": " + flat(c.Label)
	}
	if c.Closed.Who != "" {
		text += " (" + flat(c.Closed.Who) + ")"
	}
	if c.Closed.Reason != "" {
		text += ": " + flat(c.Closed.Reason)
	}
	r.fillPrompt(text)
}
