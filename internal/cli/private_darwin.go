package cli

// keepPrivate does nothing here: the system shows a process's environment to all
// processes of its user, and has no switch for it.
func keepPrivate() {}
