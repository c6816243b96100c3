package plain

import (
	"fmt"
	"strings"

	"parley/internal/cell"
	"parley/internal/display"
	"parley/internal/event"
	"parley/internal/markdown"
)

// failureLines is how much of a failed call of a sub-agent is shown, in lines.
const failureLines = 5

// renderAgent shows a command of a sub-agent, with no stream of the main session
// open. Its calls are shown as pairs when they end, because sub-agents run side
// by side.
func (r *Renderer) renderAgent(c display.RenderCommand) {
	switch c := c.(type) {
	case display.OpenAgent:
		text := flat(c.Description)
		if text == "" {
			text = flat(c.Prompt)
		}
		if text == "" {
			text = "started"
		}
		r.agentLine(c.At, clip(text))
	case display.EndCall:
		r.endAgentCall(c)
	case display.CloseAgent:
		r.closeAgent(c)
	case display.OpenAsk, display.AnswerAsk, display.CloseAsk:
		r.renderAsk(c)
	case display.ShowNote, display.ShowRetry:
		r.renderNews(c)
	case display.ShowFault:
		if !r.past {
			r.part(Aside)
			r.wrapped(cell.Join(label(c.At.Voice), cell.Styled("Error: "+flat(c.Message), cell.Style{Color: cell.Red})))
		}
	case display.ShowImage:
		r.agentLine(c.At, "[image "+flat(c.Path)+"]")
	case display.UpdateAgent:
		if c.Header != "" {
			r.part(Aside)
			r.wrapped(cell.Join(label(c.At.Voice), cell.Styled("~ "+flat(c.Header), cell.Style{Color: cell.Dim})))
		}
	case display.StartCall, display.PreviewCall, display.DecideCall, display.ShowFiles:
		// Too fleeting for lines that stay.
	default:
		// The rest is the main session's alone.
	}
}

func (r *Renderer) agentLine(at display.At, text string) {
	r.part(Aside)
	r.wrapped(cell.Join(label(at.Voice), cell.Plain(text)))
}

func (r *Renderer) endAgentCall(c display.EndCall) {
	r.callLine(c.At, c.Ended.Call, c.Ended.Name, c.Title)
	o := c.Words()
	r.outcomeLine(c.At.Voice, o.Good, o.Text)
	if o.Good || c.Ended.Status == event.StatusDenied || c.Ended.Status == event.StatusSkipped {
		return
	}
	lines := strings.Split(strings.TrimRight(o.Content, "\n"), "\n")
	if more := len(lines) - failureLines; more > 0 {
		lines = append(lines[:failureLines], fmt.Sprintf("… %d more lines", more))
	}
	if o.Content != "" {
		o.Content = strings.Join(lines, "\n")
		o.Diff = false
		r.content(o)
	}
}

// closeAgent shows what a sub-agent came to, and then all that it answered.
func (r *Renderer) closeAgent(c display.CloseAgent) {
	text := flat(string(c.Reason))
	if c.Calls == 1 {
		text += "  1 call"
	} else if c.Calls > 1 {
		text += fmt.Sprintf("  %d calls", c.Calls)
	}
	if c.Duration > 0 {
		text += fmt.Sprintf("  %.1fs", c.Duration.Seconds())
	}
	r.part(Aside)
	r.outcomeLine(c.At.Voice, c.Reason == event.ReasonDone, text)
	for _, l := range markdown.Render(strings.TrimSpace(c.Result), r.width(), markdown.Options{Hyperlinks: r.options.Profile&cell.Links != 0}) {
		r.line(l)
	}
}
