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

var peer = wire.Peer{ID: "c1", Ready: true, Class: wire.Class{Dialect: "nous"}}

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

func TestLawsOfEvents(t *testing.T) {
	c := document(t)
	wiretest.Laws{Dialect: &nous.Events, Peer: peer, Text: deltas, Valid: c.line}.Run(t)
}

func TestAnswers(t *testing.T) {
	c := document(t)
	var ids, made []string
	for name := range c.Commands {
		switch name {
		case "get_state", "get_messages", "get_tree", "compact_session":
			made = append(made, name+"/7") // the family makes their payload
		default:
			ids = append(ids, name+"/7")
		}
	}
	wiretest.Laws{Dialect: &nous.Commands, Peer: peer, Valid: c.line, IDs: append(ids, "7", "dance/7")}.Answers(t)
	wiretest.Laws{Dialect: &nous.Commands, Peer: peer, IDs: made}.Answers(t)
}

func TestTraffic(t *testing.T) {
	wiretest.Traffic(t, "testdata/*.traffic", &nous.Commands, &nous.Events)
}
