package plain

import (
	"encoding/json"
	"strings"

	"parley/internal/cell"
	"parley/internal/display"
	"parley/internal/event"
)

func (r *Renderer) renderCall(c display.RenderCommand) {
	switch c := c.(type) {
	case display.StartCall:
		if c.Alone {
			r.callLine(c.At, c.Call, c.Name, c.Arguments)
		}
	case display.EndCall:
		r.endCall(c)
	case display.PreviewCall:
		// Shown with the question, where one is asked.
	}
}

// callLine writes the line of a call, unless the last part is about that call.
func (r *Renderer) callLine(at display.At, id event.CallID, name string, arguments json.RawMessage) {
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
	line := Title(name, arguments)
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
		r.callLine(c.At, c.Ended.Call, c.Ended.Name, c.Arguments)
	}
	shown := r.asked == c.Ended.Call && r.asked != "" && r.state.Call != ""
	if c.At.Voice.Name == "" {
		r.part(Outcome)
	}
	o := outcomeOf(c)
	r.outcomeLine(c.At.Voice, o.good, o.text)
	if o.diff && shown {
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
func (r *Renderer) content(o outcome) {
	text := strings.TrimRight(o.content, "\n")
	switch {
	case text == "":
	case o.diff:
		r.diff(text)
	default:
		for line := range strings.SplitSeq(text, "\n") {
			r.raw(line, cell.Style{})
		}
	}
}

// Words returns the end of a call as it is shown: whether it went well, the
// outcome in a few words, and the content in full. The texts are clean.
func Words(c display.EndCall) (good bool, text, content string) {
	o := outcomeOf(c)
	return o.good, o.text, o.content
}

// outcome is what is shown of the end of a call; its texts are clean.
type outcome struct {
	good    bool
	text    string
	content string
	diff    bool // content is a unified diff
}

func outcomeOf(c display.EndCall) outcome {
	e := c.Ended
	o := outcome{text: flat(e.Summary)}
	switch e.Status {
	case event.StatusSuccess:
		o.good = true
		o.fill("ok", e)
	case event.StatusDenied:
		o.text = denied(c.Decided)
	case event.StatusSkipped:
		o.text = "skipped"
	case event.StatusAborted:
		o.fill("aborted", e)
	case event.StatusLost:
		o.fill("lost: nobody knows how far it came", e)
	case event.StatusError:
		o.fill("error", e)
	default:
		o.fill(flat(string(e.Status)), e)
	}
	return o
}

// fill sets the content, and a text where the call gave no summary of itself: a
// result of one line, or else the word for the status.
func (o *outcome) fill(word string, e event.CallEnded) {
	o.content = cell.Clean(e.Result)
	if d := e.Display; d != nil {
		switch {
		case d.Agent != "":
			// What the sub-agent found is shown when it closes.
			o.content = ""
		case d.Diff != "":
			o.content, o.diff = cell.Clean(d.Diff), true
		}
	}
	line := strings.TrimSpace(o.content)
	switch {
	case o.text != "":
	case line != "" && !strings.Contains(line, "\n") && cell.Width(line) <= 100:
		o.text, o.content = flat(line), ""
	default:
		o.text = word
	}
	if line == o.text {
		o.content = ""
	}
}

// denied says what refused a call.
func denied(d *event.PermissionDecided) string {
	switch {
	case d == nil:
		return "denied"
	case d.Method == "person":
		text := "denied"
		if d.Who != "" {
			text += " by " + flat(d.Who)
		}
		if d.Reason != "" {
			text += ": " + flat(d.Reason)
		}
		return text
	case d.Reason != "":
		return flat(d.Reason)
	case d.Rule != "":
		return "denied by the rule " + flat(d.Rule)
	}
	return "denied"
}
