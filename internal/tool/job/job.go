// Package job is the tool that looks after the commands that bash left running in the background.
//
// It guarantees that it reaches the session's own jobs only, and that one which it ended is gone with all
// that came from it when the call returns. It needs no permission: whoever was allowed to start a job may
// end it. It starts none; bash does.
package job

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"parley/internal/tool"
)

type arguments struct {
	ID     string `json:"id"`
	End    bool   `json:"end"`
	WaitMS int64  `json:"wait_ms"`
}

// New returns the tool.
func New() tool.Tool {
	return tool.Definition[arguments]{
		Spec: tool.Spec{
			Name: "job",
			Description: "Look after commands in the background: without id, list them; with id, say how one is and show the end of its " +
				"output, after waiting for it to end where wait_ms is given. With end, end it first.",
			Schema: []byte(`{
				"type": "object",
				"properties": {
					"id": {"type": "string", "description": "The job, such as job-1; by default all are listed"},
					"end": {"type": "boolean", "description": "End the job and everything that it started"},
					"wait_ms": {"type": "integer", "minimum": 0, "maximum": 600000, "description": "Wait so long at most for it to end"}
				},
				"additionalProperties": false
			}`),
			ReadOnly: true,
		},
		Targets: func(_ tool.World, a arguments) (tool.Targets, error) {
			if a.ID == "" && (a.End || a.WaitMS > 0) {
				return tool.Targets{}, errors.New("id is missing: end and wait_ms are about one job")
			}
			return tool.Targets{}, nil
		},
		Run: run,
		Title: func(a arguments) string {
			switch {
			case a.ID == "":
				return "all jobs"
			case a.End:
				return "end " + a.ID
			}
			return a.ID
		},
	}.Tool()
}

func run(ctx context.Context, w tool.World, _ tool.Call, a arguments, _ tool.Grow) tool.Result {
	if w.Jobs == nil {
		return tool.Failed(fmt.Errorf("background jobs: %w", tool.ErrRefused))
	}
	if a.ID == "" {
		return all(w)
	}
	j, err := look(ctx, w, a)
	if err != nil {
		return tool.Failed(err)
	}
	output, err := w.Jobs.Output(j.ID)
	if err != nil {
		return tool.Failed(err)
	}
	text := line(w, j)
	if j.File != "" {
		text += "\nAll of its output is in " + j.File + "."
	}
	if output = strings.TrimRight(output, "\n"); output == "" {
		text += "\nIt wrote nothing."
	} else {
		text += "\n\n" + output
	}
	r := tool.Result{Status: tool.Success, Text: tool.Clip(text), Summary: string(j.State), File: j.File}
	if ctx.Err() != nil {
		r.Status = tool.Aborted
	}
	return r
}

// look ends a job, or waits for it, and says how it is then.
func look(ctx context.Context, w tool.World, a arguments) (tool.Job, error) {
	switch {
	case a.End:
		return w.Jobs.Kill(a.ID)
	case a.WaitMS > 0:
		limited, cancel := context.WithTimeout(ctx, time.Duration(a.WaitMS)*time.Millisecond)
		defer cancel()
		if j, err := w.Jobs.Wait(limited, a.ID); err == nil || limited.Err() == nil {
			return j, err
		}
	}
	return w.Jobs.Get(a.ID)
}

func all(w tool.World) tool.Result {
	jobs := w.Jobs.List()
	if len(jobs) == 0 {
		return tool.Result{Status: tool.Success, Text: "There are no jobs.", Summary: "no jobs"}
	}
	lines := make([]string, len(jobs))
	for i, j := range jobs {
		lines[i] = line(w, j)
	}
	return tool.Result{Status: tool.Success, Text: tool.Clip(strings.Join(lines, "\n")), Summary: tool.Count(len(jobs), "job")}
}

// line says how a job is.
func line(w tool.World, j tool.Job) string {
	how := fmt.Sprintf("runs since %s", w.Now().Sub(j.Started).Round(time.Second))
	switch {
	case j.State == tool.JobKilled:
		how = "was ended"
	case j.State == tool.JobExited:
		how = fmt.Sprintf("ended with exit code %d", j.Exit.Code)
	}
	return fmt.Sprintf("%s %s: %s", j.ID, how, j.Command)
}
