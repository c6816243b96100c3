package agent

import (
	"encoding/json"
	"regexp"
	"slices"

	"parley/internal/event"
	"parley/internal/llm"
	"parley/internal/permission"
	"parley/internal/tool"
	"parley/internal/transcript"
)

// A JoinedTool is a tool that a session has as long as its origin, such as a server of tools, is there.
type JoinedTool struct {
	Tool   tool.Tool
	Origin string // where it is from, such as mcp:github
}

// Grammar is how permission rules on these tools are read.
func Grammar(tools tool.Set) permission.Grammar {
	g := permission.Grammar{}
	for _, spec := range tools.Specs() {
		g[spec.Name] = permission.Tool{Kind: permission.Kind(spec.Pattern), Family: spec.Family}
	}
	return g
}

// fit is a name that models and permission rules can name.
var fit = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]{0,63}$`)

// Offer is the set of tools of a session: those that it always has, then those of had that are still there, in their
// order, then what is new. So a request to the model begins as the one before did. changed says what is different from
// had. A tool whose name is taken, or is none, is left out.
func Offer(builtin tool.Set, had []event.JoinedTool, now []JoinedTool) (set tool.Set, changed event.ToolsChanged) {
	set = builtin
	tools := map[event.JoinedTool]tool.Tool{}
	var order []event.JoinedTool
	for _, j := range now {
		t := event.JoinedTool{Name: j.Tool.Spec().Name, Origin: j.Origin}
		taken := slices.ContainsFunc(order, func(other event.JoinedTool) bool { return other.Name == t.Name })
		if _, always := builtin.Get(t.Name); !always && !taken && fit.MatchString(t.Name) {
			tools[t], order = j.Tool, append(order, t)
		}
	}
	for _, t := range had {
		if tools[t] == nil {
			changed.Left = append(changed.Left, t.Name)
			continue
		}
		set = set.With(tools[t])
	}
	for _, t := range order {
		if !slices.Contains(had, t) {
			changed.Joined = append(changed.Joined, t)
			set = set.With(tools[t])
		}
	}
	return set, changed
}

// join takes up the tools that there are now, and returns what is different; nil where nothing is.
func (r *Run) join(had []event.JoinedTool) event.Body {
	var now []JoinedTool
	if r.setup.Joined != nil {
		now = r.setup.Joined()
	}
	if r.depth > 0 || len(now)+len(had) == 0 {
		return nil // a sub-agent keeps the tools that it began with
	}
	set, changed := Offer(r.builtin, had, now)
	r.setup.Tools, r.setup.Grammar = set, Grammar(set)
	if changed.Joined == nil && changed.Left == nil {
		return nil
	}
	return changed
}

// budget is what is sent with every request: what the system prompt is made of, and the tools.
func (r *Run) budget() []event.BudgetSource {
	if r.depth > 0 || r.setup.Budget == nil {
		return nil
	}
	n := 0
	for _, spec := range r.setup.Tools.Specs() {
		n += len(spec.Name) + len(spec.Description) + len(spec.Schema)
	}
	return append(slices.Clip(r.setup.Budget), event.BudgetSource{Name: "tools", Tokens: n / 4})
}

// active is the set of tools that the session's settings leave.
func (s *Setup) active(state *transcript.State) tool.Set {
	if state.Settings.AllTools {
		return s.Tools
	}
	only, _ := s.Tools.Only(state.Settings.Tools...)
	return only
}

// normalised is a call with the name and the arguments that its model meant.
func (s *Setup) normalised(c llm.ToolCall) llm.ToolCall {
	c.Name = s.Tools.Name(c.Name)
	t, ok := s.Tools.Get(c.Name)
	if !ok {
		return c
	}
	if c.Malformed == "" {
		c.Arguments = tool.Normalise(t, c.Arguments)
		return c
	}
	if whole := llm.NewCall(c.ID, c.Name, string(tool.Normalise(t, json.RawMessage(c.Malformed)))); whole.Malformed == "" {
		return whole // an object within a string
	}
	return c
}

// title is the one title of a call.
func (r *Run) title(name string, arguments []byte) string {
	if t, ok := r.setup.Tools.Get(name); ok {
		return tool.Title(t, arguments)
	}
	return event.TitleOf("", arguments)
}
