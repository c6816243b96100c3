package tui

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/transcript"
)

// us is the client of a recording that it was recorded by: the first.
const us = event.ClientID("c1")

// page of the past that a client reads when it comes, in events.
const firstPage = 400

// A playback is a harness, the recording that it plays, and how far it is.
type playback struct {
	*harness
	log   []event.Event
	at    int
	heard int      // intents that the recording has to agree with
	past  []string // what was written in earlier sessions
}

func newPlayback(s *harness) *playback { return &playback{harness: s} }

// session opens a recording.
func (s *playback) session(name string) error {
	text, err := os.ReadFile(filepath.Join("testdata", "sessions", name+".jsonl"))
	if err != nil {
		return err
	}
	for _, l := range bytes.Split(bytes.TrimSpace(text), []byte("\n")) {
		e, err := event.Decode(l)
		if err != nil {
			return err
		}
		s.log = append(s.log, e)
	}
	s.reduce(Opened{Client: us})
	s.reduce(Inputs{s.past})
	return nil
}

// find returns how many events there are up to and with the N-th of a kind, or the
// last of it.
func (s *playback) find(text string) (int, error) {
	kind, number, _ := strings.Cut(text, " ")
	n, found := 1, 0
	if number != "" && number != "last" {
		var err error
		if n, err = strconv.Atoi(number); err != nil {
			return 0, err
		}
	}
	for i, e := range s.log {
		if e.Kind() == kind && (n > 0 || number == "last") {
			n, found = n-1, i+1
		}
	}
	if n > 0 {
		return 0, fmt.Errorf("it does not happen that often")
	}
	return found, nil
}

// until plays up to an event.
func (s *playback) until(text string) error {
	end, err := s.find(text)
	if err == nil && end <= s.at {
		err = fmt.Errorf("it has happened already")
	}
	for err == nil && s.at < end {
		s.next()
	}
	s.draw()
	return err
}

// reads plays until a text has been written.
func (s *playback) reads(text string) error {
	said := ""
	for s.at < len(s.log) {
		s.next()
		switch b := s.log[s.at-1].Body.(type) {
		case event.BlockDelta:
			said += b.Text
		case event.CallDelta:
			said += b.Text
		}
		if strings.Contains(said, text) {
			s.draw()
			return nil
		}
	}
	return fmt.Errorf("it is not written")
}

// rest plays what happens by a time, and lets that time come; the zero time is
// the end of the recording.
func (s *playback) rest(end time.Time) {
	for s.at < len(s.log) && (end.IsZero() || !s.log[s.at].Time.After(end)) {
		s.next()
	}
	s.come(end)
	s.draw()
}

// come lets the time come, a second at a time, with a frame before each.
func (s *playback) come(at time.Time) {
	for s.now.Before(at) {
		s.draw()
		s.pass(min(at.Sub(s.now), time.Second))
	}
}

// next plays one event, at its time.
func (s *playback) next() {
	e := s.log[s.at]
	s.at++
	s.come(e.Time)
	s.agree(e)
	s.reduce(Happened{e})
}

// agree fails unless what the person of the story sent is what the recorded one
// did.
func (s *playback) agree(e event.Event) {
	s.t.Helper()
	if s.heard >= len(s.intents) {
		return
	}
	send, ok := s.intents[s.heard].(Send)
	if !ok {
		s.heard++
		return
	}
	text := ""
	switch b := send.Body.(type) {
	case command.Prompt:
		text = b.Text
	case command.Steer:
		text = b.Text
	case command.FollowUp:
		text = b.Text
	}
	switch b := e.Body.(type) {
	case event.InputQueued:
		if b.Text != text {
			s.t.Fatalf("the story sends %q, the recording %q", text, b.Text)
		}
	case event.AskClosed:
		if a, ok := send.Body.(command.Answer); ok && b.Key != "" && !slices.Contains(a.Keys, b.Key) {
			s.t.Fatalf("the story answers %q, the recording %q", a.Keys, b.Key)
		}
	case event.RunAborting:
		if _, ok := send.Body.(command.Abort); !ok {
			s.t.Fatalf("the story sends %T, the recording an abort", send.Body)
		}
	default:
		return
	}
	s.heard++
}

// resume comes to the session after an event, as somebody does who attaches: what
// happened before the open run is the past, without the deltas of what has ended, which
// no log keeps; the run is told from its begin.
func (s *playback) resume(text string) error {
	end, err := s.find(text)
	if err != nil {
		return err
	}
	s.join(end)
	s.draw()
	return nil
}

// join comes to the session after so many events.
func (s *playback) join(end int) {
	now := transcript.New()
	for _, e := range s.log[:end] {
		now.Apply(e)
	}
	opened := Opened{Client: "c9", State: now.Checkpoint().Tail(20)}
	ended := map[string]bool{}
	for _, e := range s.log[:end] {
		switch b := e.Body.(type) {
		case event.BlockEnded:
			ended[string(e.Session)+string(b.Block)] = true
		case event.CallEnded:
			ended[string(e.Session)+string(b.Call)] = true
		}
	}
	for _, e := range s.log[:end] {
		of := ""
		switch b := e.Body.(type) {
		case event.BlockDelta:
			of = string(e.Session) + string(b.Block)
		case event.CallDelta:
			of = string(e.Session) + string(b.Call)
		}
		if e.Seq <= opened.State.Seq && !ended[of] {
			opened.Past = append(opened.Past, e)
		}
	}
	opened.More = len(opened.Past) > firstPage
	opened.Past = opened.Past[max(0, len(opened.Past)-firstPage):]
	s.now = s.log[end-1].Time
	s.reduce(Ticked{s.now})
	head := opened.State.Seq
	s.reduce(opened)
	for s.at = 0; s.at < end; s.at++ {
		if e := s.log[s.at]; e.Seq > head {
			s.reduce(Happened{e})
		}
	}
}
