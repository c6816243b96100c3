package wiretest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"parley/internal/event"
	"parley/internal/event/eventtest"
	"parley/internal/transcript"
	"parley/internal/wire"
)

// A Column is one dialect of the matrix.
type Column struct {
	Dialect *wire.Dialect
	Peer    wire.Peer
	Name    func(wire.Frame) string // what the frame is called on the wire; nil: its key type
}

// Matrix returns the table of docs/dialects.md: for each kind of event, what it
// is called on the wire of each dialect, or – where the dialect has no word for
// it.
func Matrix(columns ...Column) string {
	var out strings.Builder
	out.WriteString("| kind |")
	for _, c := range columns {
		fmt.Fprintf(&out, " %s |", c.Dialect.Name)
	}
	out.WriteString("\n|---|" + strings.Repeat("---|", len(columns)) + "\n")
	for _, b := range event.Kinds() {
		kind := event.KindOf(b)
		fmt.Fprintf(&out, "| %s |", kind)
		for _, c := range columns {
			fmt.Fprintf(&out, " %s |", c.cell(kind))
		}
		out.WriteString("\n")
	}
	return out.String()
}

func (c Column) cell(kind string) string {
	var names []string
	see := func(frames []wire.Frame) {
		for _, f := range frames {
			if n := c.name(f); n != "" && !slices.Contains(names, n) {
				names = append(names, n)
			}
		}
	}
	for _, log := range Logs() {
		s := transcript.New()
		for _, e := range log {
			at := s.Clone()
			s.Apply(e)
			// Each kind once more from this point, so that those which the logs
			// do not hold are seen too.
			for _, sample := range append(eventtest.All(), e) {
				if sample.Kind() != kind {
					continue
				}
				if sample.Seq != e.Seq || sample.Run == "" {
					sample.Session, sample.Run, sample.Turn, sample.Step, sample.Response = e.Session, e.Run, e.Turn, e.Step, e.Response
				}
				after := at.Clone()
				after.Apply(sample)
				see(c.Dialect.Encode(c.Peer.Class, after, sample))
				if c.Dialect.ForPeer != nil {
					see(c.Dialect.ForPeer(c.Peer, after, sample))
				}
			}
		}
	}
	if names == nil {
		return "–"
	}
	return strings.Join(names, ", ")
}

func (c Column) name(f wire.Frame) string {
	if c.Name != nil {
		return c.Name(f)
	}
	var l struct {
		Type string `json:"type"`
	}
	_ = json.Unmarshal(f, &l)
	return l.Type
}
