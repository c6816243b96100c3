package permission

import "slices"

// Mode says which calls need no question, beside those that rules allow. Deny
// rules hold in each, and so does the question about a line of which a deny rule
// cannot tell whether it means it.
type Mode string

// The modes, from the most to the least questions.
const (
	ModeAsk Mode = "ask"
	// ModeEdits allows changes to files in the workspace, but for those that decide
	// what runs in it, and commands that a full fence holds.
	ModeEdits Mode = "edits"
	// ModeAll allows everything, and takes no notice of ask rules.
	ModeAll Mode = "all"
)

// fullFence is the kind of fence that ModeEdits relies on.
const fullFence = "full"

// allows reports whether the mode allows a call that no rule covers.
func (m Mode) allows(c Call) bool {
	switch m {
	case ModeAll:
		return true
	case ModeEdits:
		if c.line() {
			return c.Tool == Shell && c.Fence == fullFence && !c.Outside
		}
		return c.Kind == KindPath && edits(c.Paths)
	case ModeAsk:
	}
	return false
}

// deniesCommands reports whether a deny rule is about some commands: no mode
// allows a line then that was not read whole.
func (p Policy) deniesCommands(c Call) bool {
	return slices.ContainsFunc(compile(p.Rules, c), func(r compiled) bool { return r.Effect == EffectDeny && len(r.words) > 0 })
}

// edits reports whether all paths are ordinary files of the workspace.
func edits(paths []Path) bool {
	for _, p := range paths {
		if !p.Inside || p.Write && inGuarded(p.Rel) {
			return false
		}
	}
	return len(paths) > 0
}
