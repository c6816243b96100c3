package cli

import (
	"fmt"

	"parley/internal/event"
)

// mode is a permission mode as a flag; empty leaves what the session or the
// configuration says.
type mode event.PermissionMode

const modeHelp = "`MODE`, which calls run without a question: ask, edits (in the workspace, and commands where the fence is full) or all"

func (m *mode) String() string { return string(*m) }

// Type names the value in help.
func (m *mode) Type() string { return "MODE" }

// Set takes one of the modes.
func (m *mode) Set(text string) error {
	switch event.PermissionMode(text) {
	case event.PermissionAsk, event.PermissionEdits, event.PermissionAll:
		*m = mode(text)
		return nil
	}
	return fmt.Errorf("it is ask, edits or all")
}

// setting is what sets the mode; nothing for none.
func (m mode) setting() (set event.SettingChanged) {
	if m != "" {
		set.Mode = (*event.PermissionMode)(&m)
	}
	return set
}
