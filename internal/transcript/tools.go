package transcript

import (
	"slices"

	"parley/internal/event"
)

// applyTools keeps those that stay in their order: requests list them so.
func (s *State) applyTools(b event.ToolsChanged) {
	tools := slices.DeleteFunc(slices.Clone(s.Tools), func(t event.JoinedTool) bool { return slices.Contains(b.Left, t.Name) })
	for _, t := range b.Joined {
		if !hasTool(tools, t.Name) {
			tools = append(tools, t)
		}
	}
	s.Tools = tools
}

func hasTool(tools []event.JoinedTool, name string) bool {
	return slices.ContainsFunc(tools, func(t event.JoinedTool) bool { return t.Name == name })
}

// tools checks that a tool joins where it is not, and leaves where it is.
func (c *check) tools() {
	b, s := c.e.Body.(event.ToolsChanged), c.s
	for _, name := range b.Left {
		c.must(s.Partial || hasTool(s.Tools, name), LawTools, "tool %s leaves, which is not there", name)
	}
	for i, t := range b.Joined {
		stays := hasTool(s.Tools, t.Name) && !slices.Contains(b.Left, t.Name)
		c.must(t.Name != "" && !stays && !hasTool(b.Joined[:i], t.Name), LawTools, "tool %q joins a second time or without a name", t.Name)
	}
}
