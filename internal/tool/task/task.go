// Package task is the tool that starts a sub-agent.
//
// It guarantees that a sub-agent is one of the profiles it was made with, and that rules on the tool name them:
// task(research). What a sub-agent may do and how long it lives is the session's to say: all it does is [tool.World]'s
// Spawn.
package task

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"parley/internal/tool"
)

// A Profile is a kind of sub-agent.
type Profile struct {
	Name     string
	Says     string // what it is for
	System   string // added to the system prompt
	ReadOnly bool   // it has only those tools that change nothing
}

// Profiles are the kinds of sub-agent that are built in. The first is meant where none is named.
var Profiles = []Profile{
	{Name: "general", Says: "does a task of its own with the parent's tools",
		System: "You were started by another agent for one task. Do it and answer with its result: what you found or did, in full, for a reader who saw none of it."},
	{Name: "research", Says: "finds things out and changes nothing", ReadOnly: true,
		System: "You were started by another agent to find something out. Change nothing. Answer with what you found, with the files and lines, for a reader who saw none of it."},
}

type arguments struct {
	Description string   `json:"description"`
	Prompt      string   `json:"prompt"`
	Profile     string   `json:"profile"`
	Tools       []string `json:"tools"`
	Model       string   `json:"model"`
	Background  bool     `json:"background"`
}

// New returns the tool for these profiles, of which there is at least one.
func New(profiles ...Profile) tool.Tool {
	return tool.Definition[arguments]{
		Spec: tool.Spec{Name: "task", Description: description(profiles), Schema: schema(profiles), Concurrent: true, Spawns: true,
			Aliases: []tool.Alias{{Of: "profile", Names: []string{"subagent_type", "agent_type"}}, {Of: "background", Names: []string{"run_in_background"}}}},
		Targets: func(_ tool.World, a arguments) (tool.Targets, error) {
			return tool.Targets{Name: profile(profiles, a).Name}, a.check()
		},
		Run: func(ctx context.Context, w tool.World, _ tool.Call, a arguments, _ tool.Grow) tool.Result {
			return run(ctx, w, profile(profiles, a), a)
		},
		Title: func(a arguments) string { return a.Description },
	}.Tool()
}

func description(profiles []Profile) string {
	var says []string
	for _, p := range profiles {
		says = append(says, p.Name+" "+p.Says)
	}
	return "Start a sub-agent with a task of its own and get its answer. It sees nothing of this conversation: put all it needs into prompt. " +
		"Several run at the same time when called in one answer. Profiles: " + strings.Join(says, "; ") + "."
}

func schema(profiles []Profile) json.RawMessage {
	var names []string
	for _, p := range profiles {
		names = append(names, p.Name)
	}
	enum, _ := json.Marshal(names) // strings always encode
	return json.RawMessage(`{"type":"object","required":["description","prompt"],"additionalProperties":false,"properties":{` +
		`"description":{"type":"string","minLength":1,"description":"the task in a few words"},` +
		`"prompt":{"type":"string","minLength":1,"description":"the whole task"},` +
		`"profile":{"type":"string","enum":` + string(enum) + `},` +
		`"tools":{"type":"array","items":{"type":"string"},"description":"names of the tools it may use; all of its profile's where absent"},` +
		`"model":{"type":"string","description":"provider/model; this one where absent"},` +
		`"background":{"type":"boolean","description":"go on at once; the answer comes later by itself"}}}`)
}

// profile is the one that is named. The schema lets no other name through.
func profile(profiles []Profile, a arguments) Profile {
	return profiles[max(0, slices.IndexFunc(profiles, func(p Profile) bool { return p.Name == a.Profile }))]
}

func (a arguments) check() error {
	if strings.TrimSpace(a.Prompt) == "" || strings.TrimSpace(a.Description) == "" {
		return errors.New("task needs a description and a prompt")
	}
	return nil
}

func run(ctx context.Context, w tool.World, p Profile, a arguments) tool.Result {
	if err := a.check(); err != nil {
		return tool.Failed(err)
	}
	result, err := w.Spawn(ctx, tool.Agent{Profile: p.Name, Description: a.Description, Prompt: a.Prompt, System: p.System,
		Tools: a.Tools, ReadOnly: p.ReadOnly, Model: a.Model, Background: a.Background})
	if err != nil {
		return tool.Failed(err)
	}
	if a.Background {
		result.Text = "The sub-agent " + a.Description + " works in the background; its answer comes by itself."
		result.Summary = "in the background"
	}
	return result
}
