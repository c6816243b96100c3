package agent

import (
	"fmt"
	"io"

	"parley/internal/event"
	"parley/internal/room"
	"parley/internal/tool"
	"parley/internal/transcript"
)

// What of the window a result has, and the results of a step together, in percent.
const (
	resultShare = 5
	stepShare   = 15
)

// tokenBytes is how many bytes a token has at the least in what tools print, as far as a share of the window goes.
const tokenBytes = 3

// leastShare is what a result has in any window, in bytes, so that it says what it is.
const leastShare = 1 << 10

// share is how many bytes of the window so many percent are; where the window is not known there is no limit.
func (s *Setup) share(percent int) int {
	if s.ContextLimit <= 0 {
		return 1 << 30
	}
	return max(leastShare, s.ContextLimit*tokenBytes*percent/100)
}

// shares says how many bytes of each call's result the model is shown.
func (s *Setup) shares(calls []*transcript.Call) []int {
	sizes := make([]int, len(calls))
	for i, c := range calls {
		if c.Ended != nil {
			sizes[i] = len(c.Ended.Result)
		}
	}
	return room.Share(sizes, s.share(resultShare), max(s.share(stepShare), leastShare*len(calls)))
}

// excerpt is the beginning and the end of a result that has more bytes than its share.
func excerpt(text string, share int, file string) string {
	if len(text) <= share {
		return text
	}
	head := tool.Head(text, share*2/3)
	tail := tool.Valid(text[len(text)-(share-share*2/3):])
	where := "call again for less of it"
	if file != "" {
		where = "the whole is in " + file + ", read it with offset and limit, or grep it"
	}
	return fmt.Sprintf("%s\n[%d of %d bytes are left out here; %s]\n%s", head, len(text)-len(head)-len(tail), len(text), where, tail)
}

// gone is what stands for a result that is no longer sent.
func (m *messages) gone(c *transcript.Call) string {
	file := c.Ended.File
	if file == "" {
		file = m.files[c.ID]
	}
	if file == "" {
		return "(Old output, no longer here. Run the call again if it is needed.)"
	}
	return fmt.Sprintf("(Old output of %d bytes, no longer here. It is in %s.)", len(c.Ended.Result), file)
}

// keepWhole puts a result into a file where the model may be shown a part of it only; calls is how many there are in its
// step. What cannot be kept is said to be left out, no more.
func (r *Run) keepWhole(end *event.CallEnded, calls int) {
	if end.File == "" && len(end.Result) > min(r.setup.share(resultShare), r.setup.share(stepShare)/max(1, calls)) {
		end.File = r.keep(string(end.Call), end.Result)
	}
}

// keep writes a text to a file of the session's outputs and returns its path, "" where that fails.
func (r *Run) keep(name, text string) string {
	if r.setup.World.Spill == nil {
		return ""
	}
	file, path, err := r.setup.World.Spill(name)
	if err != nil {
		return ""
	}
	_, err = io.WriteString(file, text)
	if closing := file.Close(); err != nil || closing != nil {
		return ""
	}
	return path
}
