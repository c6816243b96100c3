package wiretest

import (
	"testing"

	"parley/internal/event"
	"parley/internal/transcript"
)

// The logs that laws are checked with are legal and leave nothing open.
func TestLogsAreLegal(t *testing.T) {
	for i, log := range Logs() {
		s := transcript.New()
		for _, e := range log {
			for _, b := range transcript.Check(s, e) {
				t.Errorf("log %d, %d %s: %v", i, e.Seq, e.Kind(), b)
			}
			s.Apply(e)
		}
		if open := transcript.Closing(s, transcript.Why{Reason: event.ReasonAborted}); len(open) > 0 {
			t.Errorf("log %d leaves %d things open", i, len(open))
		}
	}
}
