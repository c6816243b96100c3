package plain

import (
	"strings"

	"parley/internal/cell"
	"parley/internal/display"
	"parley/internal/event"
)

func (r *Renderer) renderCall(c display.RenderCommand) {
	switch c := c.(type) {
	case display.StartCall:
		if c.Alone {
			r.callLine(c.At, c.Call, c.Name, c.Title)
		}
	case display.EndCall:
		r.endCall(c)
	case display.PreviewCall:
		// Shown with the question, where one is asked.
	}
}

// callLine writes the line of a call, unless the last part is about that call.
func (r *Renderer) callLine(at display.At, id event.CallID, name, title string) {
	key := string(at.Session) + " " + string(id)
	if r.state.Call == key || name == "" {
		return
	}
	if at.Voice.Name != "" {
		r.part(Aside)
	} else {
		r.part(CallLine)
	}
	r.state = r.state.About(key)
	line := form(name, title)
	if over := r.width() - cell.Width(line) - cell.Width(at.Voice.Name) - len("[] "); r.width() > 0 && over < 0 {
		line = cell.Truncate(cell.Plain(line), max(minTitle, r.width()-cell.Width(at.Voice.Name)-len("[] "))).Text()
	}
	r.line(cell.Join(label(at.Voice), cell.Plain(line)))
}

// minTitle is how much of a call is shown on the narrowest terminal, in columns.
const minTitle = 6

// label is what stands before a line of a sub-agent.
func label(v display.Voice) cell.Line {
	if v.Name == "" {
		return nil
	}
	return cell.Line{{Text: "[" + v.Name + "]", Style: v.Style}, {Text: " "}}
}

func (r *Renderer) endCall(c display.EndCall) {
	if c.Ended.Name != "" {
		r.callLine(c.At, c.Ended.Call, c.Ended.Name, c.Title)
	}
	shown := r.asked == c.Ended.Call && r.asked != "" && r.state.Call != ""
	if c.At.Voice.Name == "" {
		r.part(Outcome)
	}
	o := c.Words()
	r.outcomeLine(c.At.Voice, o.Good, o.Text)
	if o.Diff && shown {
		return
	}
	r.content(o)
	for _, image := range c.Ended.Images {
		name := image.Name
		if name == "" {
			name = image.Path
		}
		r.line(cell.Plain("[image " + flat(name) + "]"))
	}
}

func (r *Renderer) outcomeLine(v display.Voice, good bool, text string) {
	sign := cell.Span{Text: "✗", Style: cell.Style{Color: cell.Red}}
	if good {
		sign = cell.Span{Text: "✓", Style: cell.Style{Color: cell.Green}}
	}
	r.wrapped(cell.Join(label(v), cell.Line{sign, {Text: " " + text}}))
}

// content writes a result as it is, without the newlines at its end.
func (r *Renderer) content(o display.Words) {
	text := strings.TrimRight(o.Content, "\n")
	switch {
	case text == "":
	case o.Diff:
		r.diff(text, false)
	default:
		for line := range strings.SplitSeq(text, "\n") {
			r.raw(line, cell.Style{})
		}
	}
}
