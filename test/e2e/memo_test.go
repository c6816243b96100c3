package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"os/exec"
	"strings"
	"testing"

	"parley/internal/event"
	"parley/internal/tool"
	"parley/test/need"
)

// memoTool is a tool that nobody else has heard of: all that the program knows of it stands here. The program memo is
// parley with this tool. It asks for two things, makes a plan, names the session and has another read its text.
func memoTool() tool.Tool {
	type arguments struct {
		Path string `json:"path"`
		Text string `json:"text"`
	}
	return tool.Definition[arguments]{
		Spec: tool.Spec{
			Name: "memo", Description: "Write a memo in a colour that the person chooses.", Pattern: tool.PatternPath, Family: tool.FamilyEdit,
			Schema: json.RawMessage(`{"type":"object","required":["path","text"],"additionalProperties":false,
				"properties":{"path":{"$ref":"#/$defs/path"},"text":{"type":"string"}},"$defs":{"path":{"type":"string","pattern":"\\.md$"}}}`),
		},
		Targets: func(w tool.World, a arguments) (tool.Targets, error) {
			t, err := w.Target(a.Path, true)
			return tool.Targets{Paths: []tool.Target{t}}, err
		},
		Title: func(a arguments) string { return a.Path + ": " + a.Text },
		Run: func(ctx context.Context, w tool.World, _ tool.Call, a arguments, _ tool.Grow) tool.Result {
			text, err := compose(ctx, w, a.Text)
			if err != nil {
				return tool.Failed(err)
			}
			t, err := w.Reach(a.Path, true)
			if err == nil {
				err = w.Replace(t, []byte(text))
			}
			if err != nil {
				return tool.Failed(err)
			}
			return tool.Result{Status: tool.Success, Text: text, Summary: "written"}
		},
	}.Tool()
}

// compose does all that a tool may do to its session.
func compose(ctx context.Context, w tool.World, text string) (string, error) {
	plan := func(ask, write event.PlanStatus) error {
		return w.Plan(ctx, event.PlanChanged{Steps: []event.PlanStep{{Text: "ask", Status: ask}, {Text: "write", Status: write}}})
	}
	first := plan(event.PlanInProgress, event.PlanPending)
	colour, signed := "grey", "nobody"
	reply, asked := w.Ask(ctx, event.AskOpened{Kind: event.AskQuestions, Title: "A memo", Questions: []event.Question{
		{Text: "Which colour?", Options: []event.Option{{Key: "red", Label: "red"}, {Key: "blue", Label: "blue"}}}, {Text: "Signed by whom?"}}})
	for _, answer := range reply.Answers {
		if answer.Question == 0 {
			colour = strings.Join(answer.Keys, " ")
		} else {
			signed = answer.Text
		}
	}
	if asked != nil && !errors.Is(asked, tool.ErrNobody) {
		return "", asked
	}
	second := plan(event.PlanCompleted, event.PlanInProgress)
	read, failed := w.Spawn(ctx, tool.Agent{Profile: "reader", Description: "proofread", Prompt: "Proofread: " + text, ReadOnly: true})
	named := w.Title(ctx, event.SessionTitled{Title: "Memo in " + colour})
	last := w.Plan(ctx, event.PlanChanged{})
	return colour + ": " + text + " (" + signed + "; " + read.Text + ")\n", errors.Join(first, second, failed, named, last)
}

// A tool of a few lines is asked for, titled, and answered in a terminal, which has never heard of it.
func TestForeignToolInATerminal(t *testing.T) {
	need.Time(t)
	t.Parallel()
	home := newHome(t)
	memo, err := exec.LookPath("memo")
	if err != nil {
		t.Fatal(err)
	}
	_, err = home.Write("memo.ndjson", `
{"when":"write"}
{"expect":"memo","in":"tools"}
{"call":{"id":"m","name":"memo","arguments":{"path":"a.md","text":"buy milk"}}}
{"stop":""}
{"when":"Proofread"}
{"text":"no mistakes"}
{"stop":""}
{"when":""}
{"text":"There it is."}
{"stop":""}`)
	if err != nil {
		t.Fatal(err)
	}
	w := newWindow(t, home, "tmux", shell(memo+" --model script/memo.ndjson"))
	w.until(ready)
	w.press("write\r")
	w.until(may)
	w.until("\n    text: \"buy milk\"")
	w.press("y")
	w.until("  2  blue\n")
	w.press("2")
	w.until("Question 2 of 2: Signed by whom?")
	w.press("ann\r")
	w.until("There it is.")
	w.until("✓ task reader \"proofread\"")
	w.until("✓ memo a.md: buy milk  written")
	w.until("Memo in blue")
}
