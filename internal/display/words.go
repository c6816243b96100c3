package display

import (
	"strings"

	"parley/internal/cell"
	"parley/internal/event"
)

// Words are the end of a call as people read it; the texts are clean.
type Words struct {
	Good    bool   // it went well
	Text    string // the outcome in a few words
	Content string // in full, as far as Text does not say it
	Diff    bool   // Content is a unified diff
}

// Words are what the end of a call is shown as.
func (c EndCall) Words() Words {
	e := c.Ended
	o := Words{Text: cell.Flat(e.Summary)}
	switch e.Status {
	case event.StatusSuccess:
		o.Good = true
		o.fill("ok", e)
	case event.StatusDenied:
		o.Text = denied(c.Decided)
	case event.StatusSkipped:
		o.Text = "skipped"
	case event.StatusAborted:
		o.fill("aborted", e)
	case event.StatusLost:
		o.fill("lost: nobody knows how far it came", e)
	case event.StatusError:
		o.fill("error", e)
	default:
		o.fill(cell.Flat(string(e.Status)), e)
	}
	return o
}

// fill sets the content, and a text where the call gave no summary of itself: a
// result of one line, or else the word for the status.
func (o *Words) fill(word string, e event.CallEnded) {
	o.Content = cell.Clean(e.Result)
	if d := e.Display; d != nil {
		switch {
		case d.Agent != "":
			// What the sub-agent found is shown when it closes.
			o.Content = ""
		case d.Diff != "":
			o.Content, o.Diff = cell.Clean(d.Diff), true
		}
	}
	line := strings.TrimSpace(o.Content)
	switch {
	case o.Text != "":
	case line != "" && !strings.Contains(line, "\n") && cell.Width(line) <= 100:
		o.Text, o.Content = cell.Flat(line), ""
	default:
		o.Text = word
	}
	if line == o.Text {
		o.Content = ""
	}
}

// denied says what refused a call.
func denied(d *event.PermissionDecided) string {
	switch {
	case d == nil:
		return "denied"
	case d.Method == event.MethodPerson:
		text := "denied"
		if d.Who != "" {
			text += " by " + cell.Flat(d.Who)
		}
		if d.Reason != "" {
			text += ": " + cell.Flat(d.Reason)
		}
		return text
	case d.Reason != "":
		return cell.Flat(d.Reason)
	case d.Rule != "":
		return "denied by the rule " + cell.Flat(d.Rule)
	}
	return "denied"
}
