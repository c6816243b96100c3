// Package bash is the tool that runs a shell command.
//
// It guarantees that output is passed on as it comes, that a time limit or an abort ends every process
// that came from the command, that what a finished command left running in its session is ended and named,
// and that memory stays bounded whatever is printed. What rules with a pattern allowed runs from its plan, without a
// shell, see package shell. Nobody sits in front of a command, and its environment says so ([shell.Unattended]): git and
// others start no editor and no pager and ask nothing. A program that is named and waits for somebody, such as vim, is
// ended by the time limit. Everything else gets bash where there is one and sh otherwise, without files of its own and
// with an empty standard input and no terminal.
//
// A command in the background becomes a job of the session and outlives the call.
//
// It does not judge or confine the command: permission decides, and the World runs it, in a fence where there
// is one. What the fence stopped is at the end of the result.
package bash

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"parley/internal/shell"
	"parley/internal/tool"
)

const (
	defaultLimit = 2 * time.Minute
	longestLimit = 10 * time.Minute
)

type arguments struct {
	Command     string `json:"command"`
	TimeoutMS   int64  `json:"timeout_ms"`
	Background  bool   `json:"background"`
	Description string `json:"description"`
	Outside     bool   `json:"outside"`
}

// New returns the tool.
func New() tool.Tool {
	return tool.Definition[arguments]{
		Spec: tool.Spec{
			Name: "bash",
			Description: "Run a shell command in the workspace and return its output, standard output and error in the order " +
				"they came. There is no input and no terminal. Each command starts anew in the workspace's root: cd and " +
				"variables do not last. What is still running in the background when the command ends is ended; to keep " +
				"something running, such as a server, set background. Prefer read, ls, glob and grep to cat, ls, find and grep.",
			Schema: []byte(`{
				"type": "object",
				"properties": {
					"command": {"type": "string", "minLength": 1, "description": "The command, as for bash -c"},
					"timeout_ms": {"type": "integer", "minimum": 1, "maximum": 86400000, "description": "Time limit in milliseconds; 120000 by default, none in the background"},
					"background": {"type": "boolean", "description": "Return at once and let the command run; its output goes to a file"},
					"description": {"type": "string", "description": "What the command does, in a few words, for the person who reads along"},
					"outside": {"type": "boolean", "description": "Run outside of the fence, which a person has to allow: for a command that the fence has stopped and that needs it"}
				},
				"required": ["command"],
				"additionalProperties": false
			}`),
			Aliases: []tool.Alias{
				{Of: "command", Names: []string{"cmd", "script"}},
				{Of: "timeout_ms", Names: []string{"timeout"}, Unit: tool.SecondsOrMilliseconds},
				{Of: "timeout_ms", Names: []string{"timeout_seconds", "timeout_secs", "timeout_sec", "timeout_s"}, Unit: tool.Seconds},
				{Of: "background", Names: []string{"run_in_background", "is_background"}},
			},
			Pattern: tool.PatternCommand,
		},
		Targets: func(w tool.World, a arguments) (tool.Targets, error) {
			return tool.Targets{Command: a.Command, Dir: w.Root, Outside: a.Outside && w.Outside != nil}, nil
		},
		Run:   run,
		Title: func(a arguments) string { return a.Command },
	}.Tool()
}

// errLimit is the cause of a context that a command's own time limit ended.
var errLimit = errors.New("time limit")

func run(ctx context.Context, w tool.World, c tool.Call, a arguments, grow tool.Grow) tool.Result {
	if strings.IndexByte(a.Command, 0) >= 0 {
		return tool.Failf("a command cannot hold a zero byte")
	}
	limit, err := timeLimit(w, a)
	if err != nil {
		return tool.Failed(err)
	}
	command, err := command(w, a)
	if err != nil {
		return tool.Failed(err)
	}
	if a.Background {
		return background(w, c, a, command, limit)
	}
	limited, cancel := context.WithTimeoutCause(ctx, limit, errLimit)
	defer cancel()
	output := tool.NewOutput(grow, func() (io.WriteCloser, string, error) { return w.Spill(c.ID) }, false)
	command.Output = output.Write
	exit, err := w.Exec(limited, command)
	output.Close()
	if err != nil && limited.Err() == nil {
		return tool.Failed(err)
	}
	return result(output, exit, ctx.Err() != nil, context.Cause(limited) == errLimit, limit)
}

func timeLimit(w tool.World, a arguments) (time.Duration, error) {
	asked := time.Duration(a.TimeoutMS) * time.Millisecond
	if a.Background {
		return asked, nil
	}
	longest := w.CommandLimit
	if longest == 0 {
		longest = longestLimit
	}
	if asked > longest {
		return 0, fmt.Errorf("timeout_ms is %d; the most is %d, and background commands have no limit",
			a.TimeoutMS, longest.Milliseconds())
	}
	if asked == 0 {
		asked = min(defaultLimit, longest)
	}
	return asked, nil
}

// command is what runs: the plan that was decided on, or a shell with the command as it stands.
func command(w tool.World, a arguments) (tool.Command, error) {
	if plan := w.Granted().Plan; plan != nil {
		return tool.Command{Plan: plan}, nil
	}
	c := tool.Command{Dir: w.Root, Env: shell.BashEnvironment(w.Env)}
	bash, err := w.LookPath("bash")
	if err == nil {
		c.Args = slices.Concat([]string{bash}, shell.BashOptions, []string{"-c", a.Command})
		return c, nil
	}
	if errors.Is(err, tool.ErrRefused) {
		return c, err
	}
	sh, err := w.LookPath("sh")
	if err != nil {
		sh = "/bin/sh" // a PATH that was emptied by mistake should not take the shell away
	}
	c.Args = []string{sh, "-c", a.Command}
	return c, nil
}

func background(w tool.World, c tool.Call, a arguments, command tool.Command, limit time.Duration) tool.Result {
	job, err := w.Jobs.Start(w, tool.Task{
		Call: c.ID, Command: a.Command, Description: a.Description, Timeout: limit,
		Args: command.Args, Dir: w.Root, Env: command.Env, Plan: command.Plan,
	})
	if err != nil {
		return tool.Failed(err)
	}
	text := "Started " + job.ID + " in the background"
	if job.PID != 0 {
		text += fmt.Sprintf(", process %d", job.PID)
	}
	if job.File != "" {
		text += fmt.Sprintf(". Its output goes to %s: look at it with the read tool.", job.File)
	} else {
		text += ". Its output is not kept."
	}
	text += " The tool job says how it is, and ends it."
	return tool.Result{Status: tool.Success, Text: text, Summary: job.ID, File: job.File}
}

func result(output *tool.Output, exit tool.Exit, aborted, late bool, limit time.Duration) tool.Result {
	text, file := output.Text()
	_, lines, _ := output.Size()
	r := tool.Result{Status: tool.Success, File: file, Summary: tool.Count(int(lines), "line")}
	if !strings.HasSuffix(text, "\n") && text != "" {
		r.Summary = tool.Count(int(lines)+1, "line")
	}
	if text == "" {
		r.Summary = "no output"
	}
	var last []string
	switch {
	case aborted:
		r.Status = tool.Aborted
		last = append(last, "Command aborted")
	case late:
		r.Status, r.Summary = tool.Error, "timed out after "+limit.String()
		last = append(last, "Command timed out after "+seconds(limit))
	default:
		r.Display.ExitCode = &exit.Code
		if exit.Code == 0 {
			break
		}
		r.Status, r.Summary = tool.Error, fmt.Sprintf("exit %d", exit.Code)
		line := fmt.Sprintf("Command exited with code %d", exit.Code)
		if exit.Signal != "" {
			line += " (" + exit.Signal + ")"
		}
		last = append(last, line)
	}
	if len(exit.Ended) > 0 {
		last = append(last, fmt.Sprintf("[Ended what the command left running: %s. Set background to keep a command running.]", list(exit.Ended)))
	}
	if len(exit.Stuck) > 0 {
		last = append(last, fmt.Sprintf("[Could not be ended: %s.]", list(exit.Stuck)))
	}
	if len(exit.Stopped) > 0 {
		last = append(last, fmt.Sprintf("[The fence stopped: %s. If the command needs that, run it again with outside; a person is asked.]", strings.Join(exit.Stopped, "; ")))
	}
	r.Text, r.Later = join(text, strings.Join(last, "\n")), exit.Later
	return r
}

// join keeps the output as it came and sets what is said about it apart by a blank line.
func join(output, last string) string {
	switch {
	case output == "" && last == "":
		return "(no output)"
	case output == "":
		return last
	case last == "":
		return output
	case strings.HasSuffix(output, "\n"):
		return output + "\n" + last
	}
	return output + "\n\n" + last
}

func seconds(d time.Duration) string {
	return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) + " seconds"
}

func list(processes []string) string {
	if len(processes) > 5 {
		return strings.Join(processes[:5], ", ") + fmt.Sprintf(" and %d more", len(processes)-5)
	}
	return strings.Join(processes, ", ")
}
