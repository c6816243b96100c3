package fence

// Kind is how much a fence holds.
type Kind string

// The kinds, from the most to the least.
const (
	// Full is namespaces, a list of system calls, and a proxy as the only way out: Linux.
	Full Kind = "full"
	// Files is writes outside the workspace only: Landlock on Linux, sandbox-exec on macOS.
	Files Kind = "files"
	// None is no fence. Nothing is called fenced where it is None.
	None Kind = "none"
)

// State says what holds on this machine.
type State struct {
	Kind Kind
	// Why says, for people, why it is not a better kind; "" for Full.
	Why string
	// Fix says what an administrator does to get a better one; "" where nothing helps.
	Fix string
}
