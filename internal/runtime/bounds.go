package runtime

import (
	"parley/internal/agent"
	"parley/internal/command"
	"parley/internal/tool"
)

// bound puts into a setup what its prompt says of how much the run may use and what its answer has to look like.
func bound(setup *agent.Setup, p command.Prompt) *command.Fault {
	if a := p.Allowance; a != nil && (a.Tokens < 0 || a.Cost < 0) {
		return command.Faultf(command.Invalid, "a budget cannot be less than nothing")
	}
	if why := agent.Affordable(p.Allowance, setup); why != "" {
		return command.Faultf(command.Invalid, "%s", why)
	}
	setup.Allowance = p.Allowance
	if len(p.Schema) == 0 {
		return nil
	}
	shape, err := tool.NewShape(p.Schema)
	if err != nil {
		return command.Faultf(command.Invalid, "%s", err)
	}
	setup.Shape = shape
	return nil
}
