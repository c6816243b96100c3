package cli

import (
	"bufio"
	"io"
	"time"

	"parley/internal/client"
	"parley/internal/event"
	"parley/internal/transcript"
	"parley/internal/wire"
)

// A format is a dialect, and what its reader is able to.
type format struct {
	dialect      *wire.Dialect
	capabilities string
}

// output prints to w in this format.
func (f format) output(w io.Writer) output {
	return &dialectOutput{
		d: f.dialect, w: bufio.NewWriterSize(w, 64<<10),
		peer: wire.Peer{ID: "stdout", Ready: true, Class: wire.Class{Dialect: f.dialect.Name, Capabilities: f.capabilities}},
	}
}

// dialectOutput prints a session in the words of a dialect, a frame a line.
type dialectOutput struct {
	d     *wire.Dialect
	peer  wire.Peer
	w     *bufio.Writer
	begun bool // what a client gets on joining was printed
}

func (d *dialectOutput) frames(frames []wire.Frame) error {
	for _, f := range frames {
		if _, err := d.w.Write(f); err != nil {
			return err
		}
		if err := d.w.WriteByte('\n'); err != nil {
			return err
		}
	}
	return nil
}

func (d *dialectOutput) begin(j client.Joined) error {
	if d.begun || j.State.Seq == 0 && len(j.State.Entries) == 0 {
		return nil
	}
	d.begun = true
	return d.frames(d.d.Attach(d.peer, j.State))
}

func (d *dialectOutput) event(s *transcript.State, e event.Event, _ []byte) error {
	if _, opened := e.Body.(event.SessionOpened); !d.begun && !opened {
		// The stream begins between two runs: it is joined there.
		s.Session, s.Time = e.Session, e.Time
		if err := d.frames(d.d.Attach(d.peer, s)); err != nil {
			return err
		}
	}
	d.begun = true
	return d.frames(d.d.Frames(d.peer, s, e))
}

func (d *dialectOutput) close(s *transcript.State) error {
	if d.d.Detach != nil {
		if err := d.frames(d.d.Detach(d.peer, s)); err != nil {
			return err
		}
	}
	return d.w.Flush()
}

// wants the content of the entries: a dialect shows the past from the state.
func (d *dialectOutput) wants() ([]string, int)           { return []string{client.Content}, 0 }
func (d *dialectOutput) tick(time.Time) error             { return nil }
func (d *dialectOutput) flush() error                     { return d.w.Flush() }
func (d *dialectOutput) interrupt() error                 { return d.w.Flush() }
func (d *dialectOutput) failure(*transcript.State) string { return "" }
func (d *dialectOutput) asks() bool                       { return false }
func (d *dialectOutput) animated() bool                   { return false }
