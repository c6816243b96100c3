package agent

import (
	"regexp"
	"slices"

	"parley/internal/event"
	"parley/internal/permission"
	"parley/internal/tool"
	"parley/internal/transcript"
)

// A JoinedTool is a tool that a session has for as long as whoever brought it is there.
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

// join takes up the tools that there are now, after those that the session had and in their order: a request to the
// model begins as the one before did. It returns what is new, nil where nothing is.
func (r *Run) join(had []event.JoinedTool) event.Body {
	if r.depth > 0 {
		return nil // a sub-agent keeps the tools that it began with
	}
	now, tools := r.joined()
	set, changed := r.builtin, event.ToolsChanged{}
	for _, t := range had {
		if tools[t] == nil {
			changed.Left = append(changed.Left, t.Name)
			continue
		}
		set = set.With(tools[t])
	}
	for _, t := range now {
		if !slices.Contains(had, t) {
			changed.Joined = append(changed.Joined, t)
			set = set.With(tools[t])
		}
	}
	if len(now)+len(had) > 0 {
		r.setup.Tools, r.setup.Grammar = set, Grammar(set)
	}
	if changed.Joined == nil && changed.Left == nil {
		return nil
	}
	return changed
}

// joined are the tools beyond the built-in ones, in their order. One whose name is taken, or is none, is left out.
func (r *Run) joined() (order []event.JoinedTool, tools map[event.JoinedTool]tool.Tool) {
	if r.setup.Joined == nil {
		return nil, nil
	}
	tools = map[event.JoinedTool]tool.Tool{}
	for _, j := range r.setup.Joined() {
		name := j.Tool.Spec().Name
		taken := slices.ContainsFunc(order, func(t event.JoinedTool) bool { return t.Name == name })
		if _, builtin := r.builtin.Get(name); builtin || taken || !fit.MatchString(name) {
			continue
		}
		t := event.JoinedTool{Name: name, Origin: j.Origin}
		tools[t], order = j.Tool, append(order, t)
	}
	return order, tools
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

// title is the one title of a call.
func (r *Run) title(name string, arguments []byte) string {
	if t, ok := r.setup.Tools.Get(name); ok {
		return tool.Title(t, arguments)
	}
	return event.TitleOf(arguments)
}
