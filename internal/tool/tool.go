// Package tool is the contract of what a model can do: a [Tool] takes a [Call], touches the world only
// through the [World] it is given, and answers with a [Result]. One child package holds one tool;
// tooltest is the suite that each of them passes, and local makes the World of this machine.
//
// It guarantees, for every tool built from a [Definition]: arguments that do not fit the schema are
// refused in words a model can act on, and have one reading ([Normalise]); failing is a Result, never an error or a panic; a text is valid
// UTF-8 of at most [MaxText] bytes and says what was cut and how to get the rest; what [Grow] was given is
// the beginning of the text; a missing effect refuses.
//
// A tool says everything about itself: what its rules mean, what it may run beside, how its calls are called
// for people. Nothing outside its package and the list of tools knows its name.
//
// It does not decide what is permitted. Targets says what a call would touch, the caller decides and then
// narrows the World with [World.Grant] to just that.
package tool

import (
	"context"
	"encoding/json"

	"parley/internal/event"
	"parley/internal/shell"
)

// Spec is what a tool says about itself. A model is told the first three.
type Spec struct {
	// Name is the tool's name in calls and in permission rules, such as "read".
	Name string
	// Description tells the model when and how to use it.
	Description string
	// Schema is a JSON Schema (2020-12 or draft 7) of the arguments object.
	Schema json.RawMessage
	// Aliases are other names of arguments that models know. See [Normalise].
	Aliases []Alias
	// Pattern says what the text in a permission rule's parentheses means.
	Pattern Pattern
	// Family is the name whose permission rules hold for this tool too: FamilyRead for ls, FamilyEdit for write.
	// It is empty for a tool on its own.
	Family string
	// ReadOnly tools change nothing: inside the workspace they need no permission.
	ReadOnly bool
	// Concurrent tools may run beside each other, where a model calls several at once.
	Concurrent bool
	// Spawns says that the tool starts sub-agents: it is left out where none may be started.
	Spawns bool
}

// The families that more than one tool belongs to.
const (
	FamilyRead = "read"
	FamilyEdit = "edit"
)

// PathAlias are the names that other agents have for the path of a file, DirAlias for that of a directory.
var (
	PathAlias = Alias{Of: "path", Names: []string{"file_path", "filename", "file", "absolute_path", "target_file"}}
	DirAlias  = Alias{Of: "path", Names: []string{"directory", "dir", "dir_path", "directory_path", "folder", "file_path"}}
)

// Pattern says what the text in the parentheses of a permission rule on a tool means.
type Pattern string

// The meanings of a pattern, and what Targets says accordingly.
const (
	PatternName    Pattern = ""        // the name in Targets.Name
	PatternCommand Pattern = "command" // the words of Targets.Command; the tool runs World.Granted's Plan where there is one
	PatternPath    Pattern = "path"    // a glob for Targets.Paths
	PatternHost    Pattern = "host"    // Targets.Host
)

// Call is one use of a tool.
type Call struct {
	// ID is unique in its session. It comes from a provider and may hold anything.
	ID   string
	Name string
	// Arguments is the JSON object the model wrote; nothing at all counts as {}.
	Arguments json.RawMessage
}

// Stream says where live output came from.
type Stream string

// The two streams of a process; tools without processes use Stdout.
const (
	Stdout Stream = "stdout"
	Stderr Stream = "stderr"
)

// Grow is called with output as it comes, never by two goroutines at once and never after Run returned.
// Each chunk is valid UTF-8, also where a character came in two reads. All chunks together are the
// beginning of the result's text. It must not call back into the tool. A nil Grow is legal.
type Grow func(s Stream, chunk string)

// Status says how a call went.
type Status string

// The ways a run can end; what was denied or skipped never ran.
const (
	Success Status = "success"
	Error   Status = "error"
	Aborted Status = "aborted"
)

// Image is a picture for the model.
type Image struct {
	// MediaType is image/png, image/jpeg, image/gif or image/webp.
	MediaType string
	Data      []byte
}

// Display is what people are shown besides the text.
type Display struct {
	// Diff is a unified diff of one file, cut at a line where Truncated says so.
	Diff      string
	Truncated bool
	// File is the file the call was about, relative to the workspace where it is inside.
	File string
	// Language names the highlighting of File by its lower-case usual name, such as "go"; "" if unknown.
	Language string
	// ExitCode is that of the command, where one ran to its end.
	ExitCode *int
	// Agent is the session of the sub-agent that did it.
	Agent event.SessionID
}

// Result is the outcome of a call.
type Result struct {
	Status Status
	// Text is for model and person: valid UTF-8, at most MaxText bytes.
	Text string
	// Summary is one short line, such as "212 lines", "4 matches" or "exit 1".
	Summary string
	Display Display
	// File is the path of the whole output where Text was cut.
	File   string
	Images []Image
	// Later lists files that the call changed and that somebody runs or obeys later.
	Later []string
}

// Tool is something a model can do.
type Tool interface {
	// Spec is constant.
	Spec() Spec
	// Targets says what a call would touch, with links resolved. It reads names, never contents. An error
	// means that the call cannot run: its text is for the model.
	Targets(World, Call) (Targets, error)
	// Run does it. When ctx ends the result is Aborted, with the output so far.
	Run(ctx context.Context, w World, c Call, grow Grow) Result
}

// Previewer is a Tool that can show what a call would change before it is permitted.
type Previewer interface {
	// Preview changes nothing. An error means that the call would fail; its text is for the model.
	Preview(context.Context, World, Call) (Preview, error)
}

// Titled is a Tool that says in a few words what a call does.
type Titled interface {
	// Title is for people, and made of arguments that may be anything.
	Title(arguments json.RawMessage) string
}

// Title is the one title of a call, fit to be shown: what the tool says, else what can be told without it.
func Title(t Tool, arguments json.RawMessage) string {
	title := ""
	if t, ok := t.(Titled); ok {
		title = event.Title(t.Title(arguments))
	}
	return event.TitleOf(title, arguments)
}

// Preview is what a call would change.
type Preview struct {
	// Change tells this change from any other: of another file, from another content or to another one.
	Change Change
	// Diff is unified, and cut at a line where Truncated says so. It is exact: see [Exact].
	Diff      string
	File      string
	Language  string
	Summary   string
	Truncated bool
}

// Targets is what permission decides on.
type Targets struct {
	Paths []Target
	// Command and Dir are the shell's.
	Command, Dir string
	// Outside says that the command is to run outside of the fence.
	Outside bool
	// Plan is Command as the decision read it, for the tool to run as World.Exec does, and nothing else: what rules with a
	// pattern allowed. It is nil before the decision, and where Command runs as it stands.
	Plan *shell.Plan
	// URL is what is fetched; Host is the host as it is dialled, with the port.
	URL, Host string
	// Name is what the call names otherwise, such as the kind of a sub-agent.
	Name string
}

// Target is a file or directory a call would touch, and everything below it.
type Target struct {
	// Path is absolute, with every link resolved. It need not exist.
	Path string
	// Rel is Path relative to the workspace root, "." for the root and "" outside.
	Rel string
	// Inside says that Path is in the workspace, or, for reading, in one of World.Extra.
	Inside bool
	Write  bool
	// Below says that the call is about what is below the directory, not about one file.
	Below bool
}

// Name is the target as people and models should read it: relative where it is in the workspace.
func (t Target) Name() string {
	if t.Rel != "" {
		return t.Rel
	}
	return t.Path
}
