package permission

import "parley/internal/shell"

// Verdict is one of [Allow], [Deny] and [Ask].
type Verdict interface{ verdict() }

// Allow lets the call run.
type Allow struct {
	// Rule is the canonical text of the rule that allowed it; several, for the
	// commands of one line, are joined by ", ". It is empty where no rule was needed.
	Rule string
	// Scope is the rule's; of several, the nearest.
	Scope Scope
	// Reason is a sentence for people.
	Reason string
	// Plan is a command line as it was read: what rules with a pattern allowed, and all that may run of it. It is nil where a
	// rule on the whole tool allowed the call, or a policy that asks nothing: then the line runs as it stands.
	Plan *shell.Plan
	// Mode is the mode that allowed it; empty where a rule did, or none was needed.
	Mode Mode
}

// Deny refuses the call.
type Deny struct {
	// Rule is the canonical text of the rule that denied it; empty where the
	// policy's default did.
	Rule  string
	Scope Scope
	// Reason is a sentence for people and for the model.
	Reason string
}

// Ask wants an answer from a person.
type Ask struct {
	// Reason says what no rule covers.
	Reason   string
	Warnings []Warning
	// Options are the possible answers, the mildest first. The first allows
	// this one call; there is always one that denies it.
	Options []Option
}

func (Allow) verdict() {}
func (Deny) verdict()  {}
func (Ask) verdict()   {}

// Level grades a [Warning].
type Level string

// The levels, from the mildest.
const (
	LevelInfo   Level = "info"
	LevelWarn   Level = "warn"
	LevelDanger Level = "danger"
)

// Warning is something a person should know before the answer.
type Warning struct {
	Level Level
	Text  string
}

// Option is one answer to an [Ask].
type Option struct {
	// Key is the key for it: y, o, r, a, p, u and those of the package registries
	// allow, n and d deny.
	Key string
	// Label says it in words.
	Label  string
	Effect Effect
	Scope  Scope
	// Rules are what the answer stores in its scope; none for this one call.
	// A line of several commands may need several.
	Rules []Rule
	// Outside says that the command then runs outside of the fence.
	Outside bool
}
