package permission

import "parley/internal/shell"

// Call is what a tool is about to do, as far as permission is concerned.
// The zero value of a field means that the call has no such part.
type Call struct {
	// Tool is the tool's name, such as "bash", and Kind and Family what a [Tool]
	// says of it.
	Tool   string
	Kind   Kind
	Family string
	// Paths are the files and folders the call reads or writes, resolved
	// through links. For a command line: those named by [Files].
	Paths []Path
	// Command is a command line for the shell, and Dir the absolute folder
	// it starts in (the workspace root, when empty).
	Command, Dir string
	// Shell is the world that the command line is read in, given what the agent may write by rules; nil: no line is
	// read whole.
	Shell func(writable func(path string) bool) shell.World
	// Host is the host that the call connects to, with or without a port.
	Host string
	// Name is what the call names otherwise, such as the kind of a sub-agent.
	Name string
	// Root is the absolute root of the workspace, Home the user's home.
	Root, Home string
	// ReadOnly says that the tool changes nothing, whatever its arguments.
	ReadOnly bool
	// Fence is the kind of fence that the command runs in, such as "full"; empty for none. Outside says that
	// it is to run outside of it.
	Fence   string
	Outside bool
}

// Path is a file or folder of a call.
type Path struct {
	// Name is the path as [Files] returned it; empty for file tools.
	Name string
	// Abs is the absolute path behind all links; Rel is the same relative to
	// the workspace root, with slashes, when Inside says that it is below it.
	Abs, Rel string
	Inside   bool
	// Write says that the call creates, changes or removes it.
	Write bool
	// Below says that the call is about what is below it, not about one file.
	Below bool
}

// family is the name that the rules which hold for the call are on.
func (c Call) family() string { return familyOf(c.Tool, c.Family) }

// line reports whether the call is a command line.
func (c Call) line() bool { return c.Kind == KindCommand || c.Command != "" }
