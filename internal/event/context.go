package event

// A PlanStatus says how far a step of the plan has come.
type PlanStatus string

// The statuses of a step of the plan.
const (
	PlanPending    PlanStatus = "pending"
	PlanInProgress PlanStatus = "in_progress"
	PlanCompleted  PlanStatus = "completed"
	PlanSkipped    PlanStatus = "skipped"
	PlanFailed     PlanStatus = "failed"
)

// A Trigger says why a context was compacted.
type Trigger string

// The triggers of a compaction.
const (
	TriggerManual    Trigger = "manual"    // somebody asked for it
	TriggerThreshold Trigger = "threshold" // the window was nearly full
	TriggerOverflow  Trigger = "overflow"  // the server refused a request as too large
)

// A PlanStep is one line of the plan.
type PlanStep struct {
	ID         string     `json:"id,omitempty"`
	Text       string     `json:"text"`
	ActiveForm string     `json:"active_form,omitempty"`
	Status     PlanStatus `json:"status" doc:"pending, in_progress, completed, skipped or failed"`
	DependsOn  []string   `json:"depends_on,omitempty"`
	BlockedBy  []string   `json:"blocked_by,omitempty"`
}

// PlanChanged replaces the plan.
type PlanChanged struct {
	Steps []PlanStep `json:"steps"`
}

// PlanCleared removes the plan.
type PlanCleared struct{}

// UsageChanged carries the tokens spent so far and the room that is left.
type UsageChanged struct {
	Step            Usage   `json:"step"`
	Run             Usage   `json:"run"`
	Session         Usage   `json:"session"`
	ContextUsed     int     `json:"context_used" doc:"tokens of the last request and its answer"`
	ContextEstimate int     `json:"context_estimate,omitempty" doc:"what the daemon took the last request for, by its bytes; step.input is what it was"`
	ContextLimit    int     `json:"context_limit" doc:"tokens that the model takes"`
	ContextGuess    bool    `json:"context_guess,omitempty" doc:"nobody tells the limit: it is a guess"`
	Strategy        string  `json:"strategy,omitempty" doc:"of compaction"`
	Threshold       float64 `json:"threshold,omitempty" doc:"share of the limit at which compaction begins"`
}

// A BudgetSource is one part of what is sent with every request.
type BudgetSource struct {
	Name   string `json:"name" doc:"such as system, tools or AGENTS.md"`
	Tokens int    `json:"tokens" doc:"estimated"`
}

// BudgetChanged carries the sources that changed.
type BudgetChanged struct {
	Sources []BudgetSource `json:"sources"`
}

// A ResultFile says where the result of a call can be read that is no longer sent.
type ResultFile struct {
	Call CallID `json:"call"`
	File string `json:"file"`
}

// ContextCompacted says that results of calls are no longer sent from now on, or
// that a summary replaces older entries. Nothing is lost from the log.
type ContextCompacted struct {
	Entry        EntryID        `json:"entry" doc:"the summary's own entry"`
	Summary      string         `json:"summary"`
	FirstKept    EntryID        `json:"first_kept,omitempty" doc:"the first entry that is still sent whole; absent: none"`
	Elided       []CallID       `json:"elided,omitempty" doc:"calls whose results are no longer sent"`
	Files        []ResultFile   `json:"files,omitempty" doc:"where results of elided calls were put that no other file holds"`
	Parts        int            `json:"parts,omitempty" doc:"steps at the beginning of the open turn that the summary replaces too"`
	Steps        int            `json:"steps,omitempty" doc:"steps at the beginning of the first answer that is kept which the summary replaces too, where that is no open turn's"`
	File         string         `json:"file,omitempty" doc:"what the summary replaces, word for word"`
	TokensBefore int            `json:"tokens_before"`
	TokensAfter  int            `json:"tokens_after"`
	Kept         []BudgetSource `json:"kept,omitempty" doc:"what the next request is made of"`
	Trigger      Trigger        `json:"trigger" doc:"manual, threshold or overflow"`
	Instruction  string         `json:"instruction,omitempty" doc:"what matters, in the words of who asked for it"`
}

// ImagesRefused says which pictures a server did not take: they are no longer
// sent.
type ImagesRefused struct {
	Images []string `json:"images" doc:"their SHA-256, in hexadecimal digits"`
	Reason string   `json:"reason"`
}

func (PlanChanged) kind() string      { return "plan.changed" }
func (PlanCleared) kind() string      { return "plan.cleared" }
func (UsageChanged) kind() string     { return "usage.changed" }
func (BudgetChanged) kind() string    { return "budget.changed" }
func (ContextCompacted) kind() string { return "context.compacted" }
func (ImagesRefused) kind() string    { return "images.refused" }
