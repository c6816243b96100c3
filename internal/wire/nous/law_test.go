package nous_test

import (
	"encoding/json"
	"flag"
	"strings"
	"testing"

	"parley/internal/wire"
	"parley/internal/wire/nous"
	"parley/internal/wire/wiretest"
)

var _ = flag.Bool("update", false, "rewrite the golden files")

var laws = wiretest.Laws{
	Dialect: &nous.Events,
	Peer:    wire.Peer{ID: "c1", Ready: true, Class: wire.Class{Dialect: "nous-events"}},
	Text:    deltas,
}

// deltas is what a client that appends every message_update has in the end.
func deltas(frames []wire.Frame) string {
	var out strings.Builder
	for _, f := range frames {
		var e struct {
			Type    string
			Payload struct{ Delta string }
		}
		_ = json.Unmarshal(f, &e)
		if e.Type == "message_update" {
			out.WriteString(e.Payload.Delta)
		}
	}
	return out.String()
}

func TestLawsOfEvents(t *testing.T) { laws.Run(t) }

func TestLawsOfCommands(t *testing.T) {
	wiretest.Laws{Dialect: &nous.Commands, Peer: wire.Peer{ID: "c1", Ready: true, Class: wire.Class{Dialect: "nous"}}}.Run(t)
}

func TestTraffic(t *testing.T) {
	wiretest.Traffic(t, "testdata/*.traffic", &nous.Commands, &nous.Events)
}
