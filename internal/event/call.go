package event

import "encoding/json"

// A Status says how a call came to its end.
type Status string

// The statuses of a call.
const (
	StatusSuccess Status = "success"
	StatusError   Status = "error"   // it ran and failed, or could not be understood
	StatusDenied  Status = "denied"  // permission was refused
	StatusSkipped Status = "skipped" // a person spoke first
	StatusAborted Status = "aborted" // it never ran, or was stopped
	StatusLost    Status = "lost"    // the daemon died in it: nobody knows
)

// A Refusal says why a call does not run: the reason as a word of a closed set, beside the words for the model.
type Refusal string

// The refusals.
const (
	RefusedUnknownTool  Refusal = "unknown_tool"      // there is no tool of that name
	RefusedInactiveTool Refusal = "inactive_tool"     // there is one, and it is switched off
	RefusedArguments    Refusal = "invalid_arguments" // they are not what the tool takes
	RefusedRule         Refusal = "rule"              // a rule, or the policy where no rule decides
	RefusedPerson       Refusal = "person"            // somebody said no
	RefusedUnasked      Refusal = "unasked"           // nobody was there to be asked
	RefusedTimeout      Refusal = "timeout"           // nobody answered in time
	RefusedSteered      Refusal = "steered"           // a person spoke before it was decided
)

// Display is what people see of a result beyond its text.
type Display struct {
	Diff     string    `json:"diff,omitempty" doc:"unified diff"`
	File     string    `json:"file,omitempty" doc:"the file it is about, relative to the workspace where inside"`
	Language string    `json:"language,omitempty"`
	Exit     *int      `json:"exit,omitempty" doc:"exit code of a command"`
	Agent    SessionID `json:"agent,omitempty" doc:"the sub-agent that did it"`
}

// A Caller says who called a tool.
type Caller string

// The callers.
const (
	CallerModel Caller = "model"
	CallerUser  Caller = "user"
)

// A Stream says where output came from.
type Stream string

// The two streams of a process.
const (
	Stdout Stream = "stdout"
	Stderr Stream = "stderr"
)

// CallStarted shows a call with its arguments. It has not run yet.
type CallStarted struct {
	Call      CallID          `json:"call"`
	Name      string          `json:"name" doc:"name of the tool"`
	Title     string          `json:"title,omitempty" doc:"what the call does, in one short line for people; never what is approved"`
	Arguments json.RawMessage `json:"arguments" doc:"object"`
	Origin    Caller          `json:"origin" doc:"model or user"`
}

// CallDelta is live output of a running call, as it came, with its colours and
// progress bars. It stops at the cap of the result, which is what a terminal
// would show at the end. Its kind is call.grew.
type CallDelta struct {
	Call   CallID `json:"call"`
	Stream Stream `json:"stream" doc:"stdout or stderr"`
	Offset int    `json:"offset" doc:"bytes of output before this text, both streams counted"`
	Text   string `json:"text"`
}

// CallEnded ends a call with its result.
type CallEnded struct {
	Call       CallID       `json:"call"`
	Name       string       `json:"name"`
	Status     Status       `json:"status" doc:"success, error, denied, skipped, aborted or lost"`
	Code       Refusal      `json:"code,omitempty" doc:"why it does not run, where no permission.decided says it: steered"`
	Result     string       `json:"result" doc:"what the model reads; at most 64 KiB"`
	Summary    string       `json:"summary,omitempty" doc:"the outcome in a few words"`
	File       string       `json:"file,omitempty" doc:"the whole output, where result was cut"`
	Images     []Attachment `json:"images,omitempty"`
	Display    *Display     `json:"display,omitempty"`
	DurationMS int64        `json:"duration_ms"`
}

// PermissionPreviewed shows what a call would do.
type PermissionPreviewed struct {
	Call      CallID `json:"call"`
	Tool      string `json:"tool"`
	Diff      string `json:"diff,omitempty" doc:"unified diff"`
	Summary   string `json:"summary,omitempty"`
	File      string `json:"file,omitempty"`
	Language  string `json:"language,omitempty"`
	Truncated bool   `json:"truncated,omitempty"`
}

// PermissionReady says that all that helps to decide has been shown.
type PermissionReady struct {
	Call CallID `json:"call"`
	Tool string `json:"tool"`
}

// PermissionDecided is the point of no return of a call: one for each, durable
// before its effect.
type PermissionDecided struct {
	Call      CallID          `json:"call"`
	Granted   bool            `json:"granted"`
	Method    Method          `json:"method" doc:"rule, free, mode, person, unasked, timeout or invalid"`
	Rule      string          `json:"rule,omitempty" doc:"the rule that decided"`
	Stored    []string        `json:"stored,omitempty" doc:"the rules that the answer stored, in its scope"`
	Scope     Scope           `json:"scope,omitempty" doc:"once, run, session, project, user or config"`
	Who       string          `json:"who,omitempty" doc:"name of the client that answered"`
	Reason    string          `json:"reason,omitempty"`
	Code      Refusal         `json:"code,omitempty" doc:"not granted: unknown_tool, inactive_tool, invalid_arguments, rule, person, unasked or timeout"`
	Stop      bool            `json:"stop,omitempty" doc:"a denial that ends the turn"`
	Arguments json.RawMessage `json:"arguments,omitempty" doc:"the arguments, where the person changed them"`
	Title     string          `json:"title,omitempty" doc:"of the changed arguments"`
	Runs      Runs            `json:"runs,omitempty" doc:"how a command line runs: plan or shell"`
	Outside   bool            `json:"outside,omitempty" doc:"the command runs outside of the fence"`
}

// HostDecided says whether a command that runs may connect to a host that the
// fence around it does not let be reached; durable before the connection.
type HostDecided struct {
	Call    CallID   `json:"call"`
	Host    string   `json:"host" doc:"name and port"`
	Granted bool     `json:"granted"`
	Method  Method   `json:"method" doc:"rule, free, mode, person, unasked, timeout or abort"`
	Rule    string   `json:"rule,omitempty" doc:"the rule that decided"`
	Stored  []string `json:"stored,omitempty" doc:"the rules that the answer stored, in its scope"`
	Scope   Scope    `json:"scope,omitempty" doc:"once, run, session, project, user or config"`
	Who     string   `json:"who,omitempty" doc:"name of the client that answered"`
	Reason  string   `json:"reason,omitempty"`
}

// Runs says how a command line that was granted runs.
type Runs string

// The two ways.
const (
	RunsPlan  Runs = "plan"  // the programs and files that were read in it, without a shell
	RunsShell Runs = "shell" // as it stands, in a shell
)

func (CallStarted) kind() string         { return "call.started" }
func (CallDelta) kind() string           { return "call.grew" }
func (CallEnded) kind() string           { return "call.ended" }
func (PermissionPreviewed) kind() string { return "permission.previewed" }
func (PermissionReady) kind() string     { return "permission.ready" }
func (PermissionDecided) kind() string   { return "permission.decided" }
func (HostDecided) kind() string         { return "host.decided" }
