package tui

import (
	"fmt"
	"strings"
	"time"

	"parley/internal/cell"
	"parley/internal/display"
	"parley/internal/event"
)

// outputRows is how much of a call's output is seen while it runs, and
// outputTail in how many bytes of it they are looked for.
const (
	outputRows = 4
	outputTail = 8 << 10
)

// A callView is a tool call: one line where all is well, its output while it runs,
// and its error where it failed. A preview that somebody was asked about stays in the
// log as it was; the outcome is a line of its own then.
type callView struct {
	item    *display.Item
	shown   *event.PermissionPreviewed // that preview tells last
	preview []line                     // what was shown before the decision
	final   []line
}

func (v *callView) prune(int) {}

// named writes the tool and what it is to do.
func named(r *lineBuilder, call *display.Call) *lineBuilder {
	r.add(plain.With(cell.Bold), cell.Clean(call.Name))
	if t := titleOf(call); t != "" {
		r.add(plain, " "+t)
	}
	return r
}

// titleBytes bounds the title of a call in its one line.
const titleBytes = 160

// titleOf is what a call does in a few words.
func titleOf(call *display.Call) string {
	title, _ := oneLine(call.Title, titleBytes)
	return title
}

func (v *callView) lines(width int, s *viewContext) (all []line, stable int) {
	call := v.item.Call
	v.show(width)
	if !v.item.Open {
		if v.final == nil {
			v.final = append(v.preview[:len(v.preview):len(v.preview)], number(v.outcome())...)
			for i := range v.final {
				v.final[i].end = i + 1
			}
		}
		return v.final, len(v.final)
	}
	if call.Decided == nil && len(v.preview) > 0 {
		return v.preview, len(v.preview)
	}
	all = append(all, v.preview...)
	sign, state := "·", ""
	if call.Decided != nil {
		sign, state = s.sign(), seconds(v.item.Duration(s.now))
	}
	left := named((&lineBuilder{}).add(dim, sign+" "), call).line
	right := cell.Styled(state, dim)
	room := max(width-1-right.Width()-2, 1)
	add := func(l cell.Line) { all = append(all, line{text: l, end: len(all) + 1, live: true}) }
	add(justify(cell.Truncate(left, room), right, width))
	for _, l := range outputEnd(v.item.Text()) {
		add(l)
	}
	return all, len(v.preview)
}

// show sets the preview once it is known, and in full what somebody was asked
// about. What is asked anew, because it has changed, is shown below.
func (v *callView) show(width int) {
	call := v.item.Call
	asked := call.Asked != nil
	if asked {
		call = call.Asked
	}
	if v.final != nil || len(v.preview) > 0 && v.shown == call.Preview {
		return
	}
	rows, _ := shownOf((&lineBuilder{}).add(plain, "  "), call, asked, width, shownLines)
	if v.shown = call.Preview; len(rows) == 0 {
		return
	}
	for _, l := range rows {
		v.preview = append(v.preview, line{text: l, end: len(v.preview) + 1})
	}
}

// outputEnd is the end of an output, two columns in.
func outputEnd(text string) []cell.Line {
	if len(text) > outputTail {
		text = text[len(text)-outputTail:]
	}
	text = strings.TrimRight(cell.Clean(printed(strings.ToValidUTF8(text, ""))), "\n")
	if text == "" {
		return nil
	}
	rows := strings.Split(text, "\n")
	if n := len(rows) - outputRows; n > 0 {
		rows = rows[n:]
	}
	var out []cell.Line
	for _, t := range rows {
		out = append(out, cell.Styled("  "+clip(t), dim))
	}
	return out
}

// printed is what a terminal would show at the end of lines that overwrite themselves,
// such as progress bars.
func printed(output string) string {
	if !strings.Contains(output, "\r") {
		return output
	}
	rows := strings.Split(output, "\n")
	for i, row := range rows {
		row = strings.TrimRight(row, "\r")
		rows[i] = row[strings.LastIndexByte(row, '\r')+1:]
	}
	return strings.Join(rows, "\n")
}

// failure is the output of a call that failed, without the exit code, which is in its
// line already.
func failure(e *event.CallEnded) string {
	text := printed(e.Result)
	if e.Display != nil && e.Display.Exit != nil {
		text = strings.TrimSuffix(text, fmt.Sprintf("Command exited with code %d", *e.Display.Exit))
	}
	return text
}

// outcomes are the sign, the style and the word of each status.
var outcomes = map[event.Status]struct {
	sign  string
	style cell.Style
	word  string
}{
	event.StatusSuccess: {"✓", good, ""},
	event.StatusError:   {"✗", bad, "failed"},
	event.StatusDenied:  {"✗", bad, "denied"},
	event.StatusSkipped: {"-", dim, "skipped"},
	event.StatusAborted: {"-", dim, "stopped"},
	event.StatusLost:    {"✗", bad, "lost: the daemon stopped while it ran"},
}

// outcome is a call that has ended: one line, and its output when it failed.
func (v *callView) outcome() []cell.Line {
	call := v.item.Call
	e := call.Ended
	if e == nil {
		e = &event.CallEnded{Status: event.StatusAborted}
	}
	o, ok := outcomes[e.Status]
	if !ok {
		o = outcomes[event.StatusError]
	}
	r := named((&lineBuilder{}).add(o.style, o.sign+" "), call)
	for _, fact := range details(call, e, o.word) {
		r.add(dim, "  "+fact)
	}
	lines := []cell.Line{r.line}
	switch {
	case e.Status == event.StatusError:
		lines = append(lines, excerpt(failure(e), resultLines)...)
	case e.Status == event.StatusSuccess && e.Display != nil && e.Display.Diff != "" && (call.Preview == nil || call.Preview.Diff == ""):
		lines = append(lines, diffOf(e.Display.Diff, 0, diffLines)...)
	}
	return lines
}

// details are the notes at the end of a finished call's line.
func details(call *display.Call, e *event.CallEnded, word string) []string {
	var out []string
	if e.Display != nil && e.Display.Exit != nil && *e.Display.Exit != 0 {
		word = fmt.Sprintf("exit %d", *e.Display.Exit)
	}
	if e.Status == event.StatusDenied {
		word = denied(call.Decided)
	}
	if word != "" {
		out = append(out, word)
	}
	if e.Display != nil && e.Display.Diff != "" {
		out = append(out, stat(e.Display.Diff))
	} else if e.Summary != "" && e.Status == event.StatusSuccess {
		s, _ := oneLine(e.Summary, titleBytes)
		out = append(out, s)
	}
	if e.DurationMS > 0 {
		out = append(out, duration(time.Duration(e.DurationMS)*time.Millisecond))
	}
	if d := call.Decided; d != nil && d.Granted && len(d.Stored) > 0 {
		out = append(out, "allowed "+stored(d))
	}
	return out
}

// scopes say for how long a rule holds.
var scopes = map[event.Scope]string{
	event.ScopeRun: "for this run", event.ScopeSession: "for this session", event.ScopeProject: "in this project", event.ScopeUser: "everywhere",
}

// stored are the rules that an answer stored, and for how long.
func stored(d *event.PermissionDecided) string {
	return scopes[d.Scope] + ": " + cell.Clean(strings.Join(d.Stored, ", "))
}

// ourName is how terminals are called where others see them.
const ourName = "parley"

// denied says who or what refused a call.
func denied(d *event.PermissionDecided) string {
	switch {
	case d == nil:
		return "denied"
	case len(d.Stored) > 0:
		return "denied " + stored(d)
	case d.Method == event.MethodPerson && d.Reason != "":
		reason, _ := oneLine(d.Reason, titleBytes)
		return "denied: " + reason
	case d.Method == event.MethodUnasked:
		return "denied: nobody could be asked"
	case d.Rule != "":
		return "denied by the rule " + cell.Clean(d.Rule)
	case d.Who != "" && d.Who != ourName:
		return "denied by you on " + cell.Clean(d.Who)
	case d.Who != "":
		return "denied by you"
	}
	return "denied"
}
