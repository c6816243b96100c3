package tui

import (
	"fmt"
	"time"

	"parley/internal/term"
)

// A Terminal is what Run draws on: a [term.Terminal], or an emulator in tests.
type Terminal interface {
	Events() <-chan term.Event
	Size() term.Size
	Abilities() term.Abilities
	// Do writes a frame with one write and returns its bytes.
	Do(ops []term.Op) (int, error)
	Suspend() error
	Close() error
}

// A screen owns the terminal's output: at most one frame is being written at a
// time, by a goroutine of its own, so that keys and events are read also while the
// terminal does not take its bytes.
type screen struct {
	terminal Terminal
	frames   chan []term.Op
	written  chan error
	writing  bool
	shown    Page // what the terminal shows
	next     Page // what is being written
	pace     pace
	broken   any // a panic of the goroutine
}

func newScreen(t Terminal) *screen {
	s := &screen{terminal: t, frames: make(chan []term.Op), written: make(chan error, 1)}
	go s.write()
	return s
}

func (s *screen) write() {
	defer func() {
		if v := recover(); v != nil {
			s.broken = v
			s.written <- fmt.Errorf("draw: %v", v)
		}
	}()
	for ops := range s.frames {
		_, err := s.terminal.Do(ops)
		s.written <- err
	}
}

// start begins to write the frame that shows a page. It reports false when the
// terminal shows it already.
func (s *screen) start(p Page) bool {
	ops := Draw(s.shown, p)
	if len(ops) == 0 {
		s.shown = p
		return false
	}
	s.next, s.writing = p, true
	s.frames <- ops
	return true
}

// done takes the outcome of the frame that was written.
func (s *screen) done() Page {
	s.writing = false
	s.shown = s.next
	return s.shown
}

// settle waits until nothing is being written, at most for timeout, and hands over
// the outcome of the last frame.
func (s *screen) settle(timeout time.Duration, took func(error)) bool {
	if !s.writing {
		return true
	}
	select {
	case err := <-s.written:
		took(err)
		return err == nil
	case <-time.After(timeout):
		return false
	}
}

// erase takes the live rows off the screen.
func (s *screen) erase() {
	s.terminal.Do(Erase(s.shown, s.terminal.Size()))
	s.shown = Page{}
}
