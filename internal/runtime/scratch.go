package runtime

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"parley/internal/event"
	"parley/internal/fence"
	"parley/internal/tool"
)

// scratch is what a session's tools remember while the daemon runs.
type scratch struct {
	seen *tool.Seen
	jobs *tool.Jobs
	// fence is what commands run in, made when it is first needed.
	fence func() *fence.Fence

	mu    sync.Mutex
	ended []tool.Job // background commands that the model was not told of
	where string     // that the model was told; empty: nothing yet
}

// place is where and when the session works, as it was first asked for.
func (s *scratch) place(now func() string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.where == "" {
		s.where = now()
	}
	return s.where
}

func newScratch() *scratch {
	s := &scratch{seen: tool.NewSeen(), fence: sync.OnceValue(func() *fence.Fence { return fence.New(fence.Options{}) })}
	s.jobs = tool.NewJobs(func(j tool.Job) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.ended = append(s.ended, j)
	})
	return s
}

// close ends what the session left running.
func (s *scratch) close() {
	s.jobs.Close()
	s.fence().Close()
}

// endedJobs says which background commands have ended since it was last asked.
func (s *scratch) endedJobs() []event.DeveloperSaid {
	s.mu.Lock()
	ended := s.ended
	s.ended = nil
	s.mu.Unlock()
	var out []event.DeveloperSaid
	for _, j := range ended {
		output, err := s.jobs.Output(j.ID)
		if err != nil {
			output = "" // so many have ended since that it is forgotten
		}
		out = append(out, event.DeveloperSaid{Origin: event.ReminderJob, Text: jobEnd(j, output)})
	}
	return out
}

// busy reports whether a background command runs.
func (s *scratch) busy() bool {
	for _, j := range s.jobs.List() {
		if j.State == tool.JobRunning {
			return true
		}
	}
	return false
}

// lastOutput is how much of a background command's output its end repeats, in
// bytes.
const lastOutput = 2000

// jobEnd is what the model is told of a background command that has ended.
func jobEnd(j tool.Job, output string) string {
	how := fmt.Sprintf("with exit code %d", j.Exit.Code)
	switch {
	case j.State == tool.JobKilled:
		how = "because it was stopped or its time was over"
	case j.Exit.Signal != "":
		how = "by the signal " + j.Exit.Signal
	}
	text := fmt.Sprintf("The background command %s has ended %s, after %s: %s", j.ID, how, j.Ended.Sub(j.Started).Round(time.Millisecond), j.Command)
	if j.File != "" {
		text += "\nAll of its output is in " + j.File + "."
	}
	if len(j.Exit.Stopped) > 0 {
		text += "\nThe fence stopped: " + strings.Join(j.Exit.Stopped, "; ") + "."
	}
	if len(j.Exit.Later) > 0 {
		text += "\nIt changed what is run or obeyed later: " + strings.Join(j.Exit.Later, ", ") + "."
	}
	if output = strings.TrimRight(output, "\n"); output == "" {
		return text + "\nIt wrote nothing."
	}
	if len(output) > lastOutput {
		output = "…" + tool.Valid(output[len(output)-lastOutput:])
	}
	return text + "\nThe end of its output:\n\n" + output
}
