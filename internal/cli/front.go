package cli

import (
	"context"

	"github.com/spf13/cobra"
)

// front is what `parley` alone does: the terminal.
func (a *app) front(root *cobra.Command) {
	root.RunE = func(c *cobra.Command, _ []string) error { return a.openTUI(c.Context(), "new") }
}

// openTUI opens the terminal on a session.
func (a *app) openTUI(ctx context.Context, session string) error {
	return usage("the terminal is not built yet; use 'parley run PROMPT' or 'parley attach %s --format plain'", session)
}
