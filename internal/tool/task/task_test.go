package task_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/event"
	"parley/internal/tool"
	"parley/internal/tool/task"
	"parley/internal/tool/tooltest"
)

// spawner is a World in which every sub-agent answers at once; it keeps what they were to do.
func spawner(asked *[]tool.Agent) tool.World {
	return tool.World{Spawn: func(_ context.Context, a tool.Agent) (tool.Result, error) {
		*asked = append(*asked, a)
		return tool.Result{Status: tool.Success, Text: "Found.", Summary: "1 call", Display: tool.Display{Agent: event.SessionID("sess-1")}}, nil
	}}
}

func TestSuite(t *testing.T) {
	tooltest.Run(t, tooltest.Suite{
		Tool:  task.New(task.Profiles...),
		World: func(testing.TB, string) tool.World { return spawner(&[]tool.Agent{}) },
		Calls: []string{
			`{"description":"find callers","prompt":"Find all callers of Login."}`,
			`{"description":"find callers","prompt":"Find them.","profile":"research","tools":["read"],"model":"a/b"}`,
			`{"description":"write tests","prompt":"Write tests.","background":true}`,
		},
	})
}

func FuzzArguments(f *testing.F) {
	tooltest.Fuzz(f, task.New(task.Profiles...), `{"description":"x","prompt":"y","profile":"research"}`)
}

// A sub-agent is what its profile says; rules name the profile, people see the description.
func TestSpawnFollowsTheProfile(t *testing.T) {
	tl := task.New(task.Profiles...)
	var asked []tool.Agent
	w := spawner(&asked)
	var got []any
	for _, arguments := range []string{
		`{"description":"find callers","prompt":"Find all.","profile":"research","tools":["read"],"model":"a/b"}`,
		`{"description":"write tests","prompt":"Write.","background":true}`,
		`{"description":" ","prompt":"Write."}`,
		`{"description":"a","prompt":"b","profile":"boss"}`,
	} {
		c := tool.Call{Name: "task", Arguments: json.RawMessage(arguments)}
		targets, err := tl.Targets(w, c)
		got = append(got, targets.Name, err != nil, tool.Title(tl, c.Arguments), tl.Run(context.Background(), w, c, nil).Text)
	}
	want := []any{
		"research", false, "find callers", "Found.",
		"general", false, "write tests", "The sub-agent write tests works in the background; its answer comes by itself.",
		"general", true, "Write.", "task needs a description and a prompt",
		"", true, "a", `task: profile must be one of "general", "research"`,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	agents := []tool.Agent{
		{Profile: "research", Description: "find callers", Prompt: "Find all.", System: task.Profiles[1].System, Tools: []string{"read"}, ReadOnly: true, Model: "a/b"},
		{Profile: "general", Description: "write tests", Prompt: "Write.", System: task.Profiles[0].System, Background: true},
	}
	if d := cmp.Diff(agents, asked); d != "" {
		t.Error(d)
	}
}
