package event

// A JoinedTool is a tool that a session has beyond the built-in ones.
type JoinedTool struct {
	Name   string `json:"name"`
	Origin string `json:"origin" doc:"where it is from, such as mcp:github"`
}

// ToolsChanged says that the session has other tools than before, beyond the built-in ones, which it always has. It comes
// before the request to the model that first has them.
type ToolsChanged struct {
	Joined []JoinedTool `json:"joined,omitempty" doc:"in the order in which requests list them, after all that were there"`
	Left   []string     `json:"left,omitempty" doc:"names"`
}

func (ToolsChanged) kind() string { return "tools.changed" }
