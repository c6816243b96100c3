package runtime

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/tool"
)

// The model is told how a background command ended, and the end of its output.
func TestEndedJobIsReported(t *testing.T) {
	start := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	job := tool.Job{ID: "job-1", Command: "make serve", State: tool.JobExited, Started: start, Ended: start.Add(1500 * time.Millisecond)}
	for name, c := range map[string]struct {
		change func(*tool.Job)
		output string
		want   string
	}{
		"by itself": {nil, "one\ntwo\n", "The background command job-1 has ended with exit code 0, after 1.5s: make serve\nThe end of its output:\n\none\ntwo"},
		"fails": {func(j *tool.Job) { j.Exit.Code, j.File = 2, "/out/b1.txt" }, "",
			"The background command job-1 has ended with exit code 2, after 1.5s: make serve\nAll of its output is in /out/b1.txt.\nIt wrote nothing."},
		"by a signal": {func(j *tool.Job) { j.Exit = tool.Exit{Code: 137, Signal: "killed"} }, "x",
			"The background command job-1 has ended by the signal killed, after 1.5s: make serve\nThe end of its output:\n\nx"},
		"stopped": {func(j *tool.Job) { j.State, j.Exit.Code = tool.JobKilled, 143 }, "x",
			"The background command job-1 has ended because it was stopped or its time was over, after 1.5s: make serve\nThe end of its output:\n\nx"},
		"says much": {nil, strings.Repeat("é", lastOutput), "The background command job-1 has ended with exit code 0, after 1.5s: make serve\nThe end of its output:\n\n…" + strings.Repeat("é", lastOutput/2)},
	} {
		j := job
		if c.change != nil {
			c.change(&j)
		}
		if d := cmp.Diff(c.want, jobEnd(j, c.output)); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}
