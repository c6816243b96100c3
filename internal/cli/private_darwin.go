package cli

// private does nothing here: the system has no such switch for a process.
func private() {}
