package runtime

import (
	"slices"
	"sync"

	"parley/internal/agent"
	"parley/internal/command"
	"parley/internal/permission"
	"parley/internal/tool"
	"parley/internal/tool/bash"
	"parley/internal/tool/edit"
	"parley/internal/tool/fetch"
	"parley/internal/tool/glob"
	"parley/internal/tool/grep"
	"parley/internal/tool/job"
	"parley/internal/tool/ls"
	"parley/internal/tool/read"
	"parley/internal/tool/task"
	"parley/internal/tool/write"
	"parley/internal/transcript"
)

// builtin are the program's tools. Another one is a folder below tool, and a word here.
var builtin = sync.OnceValue(func() []tool.Tool {
	return []tool.Tool{read.New(), write.New(), edit.New(), ls.New(), glob.New(), grep.New(), bash.New(), fetch.New(), job.New(), task.New(task.Profiles...)}
})

// Grammar is how permission rules on the program's tools are read.
func Grammar() permission.Grammar { return grammar() }

var grammar = sync.OnceValue(func() permission.Grammar { return agent.Grammar(tool.NewSet(builtin()...)) })

// Tools lists the tools of a session, and says which are active.
func (r *Resolver) Tools(s *transcript.State) []command.ToolEntry {
	var out []command.ToolEntry
	set, _ := agent.Offer(r.tools, s.Tools, r.o.Joined(s.Session))
	for _, spec := range set.Specs() {
		out = append(out, command.ToolEntry{Name: spec.Name, Description: spec.Description, Schema: spec.Schema,
			Active: s.Settings.AllTools || slices.Contains(s.Settings.Tools, spec.Name)})
	}
	return out
}
