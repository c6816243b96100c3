package event

// Usage counts tokens, and what they cost.
type Usage struct {
	Input       int `json:"input" doc:"tokens sent, those read from a cache included"`
	Output      int `json:"output" doc:"tokens received, reasoning included"`
	CachedRead  int `json:"cached_read,omitempty" doc:"of input: read from the provider's cache"`
	CachedWrite int `json:"cached_write,omitempty" doc:"of input: written to the provider's cache"`
	Reasoning   int `json:"reasoning,omitempty" doc:"of output: spent on reasoning"`

	Cost     int64 `json:"cost,omitempty" doc:"in millionths of a US dollar, of the tokens that have a price"`
	Unpriced int   `json:"unpriced,omitempty" doc:"tokens of answers of which not every price is known: with any, the cost is not the whole one"`
}

// Plus returns the sum of two usages.
func (u Usage) Plus(v Usage) Usage {
	return Usage{u.Input + v.Input, u.Output + v.Output, u.CachedRead + v.CachedRead, u.CachedWrite + v.CachedWrite, u.Reasoning + v.Reasoning,
		u.Cost + v.Cost, u.Unpriced + v.Unpriced}
}

// A Reason says why a run, a turn or a session came to its end.
type Reason string

// The reasons of an end.
const (
	ReasonDone      Reason = "done"      // the model had nothing more to do
	ReasonAborted   Reason = "aborted"   // somebody stopped it
	ReasonError     Reason = "error"     // a model or the disk failed; fault.raised says more
	ReasonLimit     Reason = "limit"     // a limit of steps or repeats was reached
	ReasonDenied    Reason = "denied"    // a denial asked for the end of the turn
	ReasonSteered   Reason = "steered"   // a steer took over
	ReasonRecovered Reason = "recovered" // the daemon died in it
	ReasonRemoved   Reason = "removed"   // a session: somebody removed it
)

// RunStarted begins a run: from idle to idle.
type RunStarted struct {
	Number int `json:"number" doc:"dense from 1 at each start of the daemon, over all its sessions"`
}

// RunAborting says that somebody asked for the end of the run.
type RunAborting struct {
	Who string `json:"who,omitempty" doc:"name of the client"`
}

// RunEnded ends a run.
type RunEnded struct {
	Reason     Reason `json:"reason" doc:"done, aborted, error, limit, denied or recovered"`
	Usage      Usage  `json:"usage"`
	DurationMS int64  `json:"duration_ms"`
}

// TurnStarted begins a turn: one input taken to its answer.
type TurnStarted struct {
	Number int       `json:"number" doc:"from 1 in its run"`
	Inputs []InputID `json:"inputs,omitempty" doc:"the queued inputs that it takes"`
	Lane   Lane      `json:"lane" doc:"prompt, steer or follow_up"`
	From   EntryID   `json:"from,omitempty" doc:"the entry that it goes on from, where nobody said anything: what failed or was stopped there goes on"`
}

// TurnEnded ends a turn.
type TurnEnded struct {
	Number int     `json:"number"`
	Reason Reason  `json:"reason"`
	Entry  EntryID `json:"entry,omitempty" doc:"the answer's entry; absent when there was no answer"`
	Parent EntryID `json:"parent,omitempty" doc:"the entry that it answers"`
}

// StepStarted begins a step: one model response and its calls.
type StepStarted struct {
	Number int `json:"number" doc:"from 1 in its turn"`
}

// StepEnded ends a step.
type StepEnded struct {
	Number int `json:"number"`
}

// TurnRecovered says what was done to a turn that the daemon died in.
type TurnRecovered struct {
	Aborted     []CallID `json:"aborted,omitempty" doc:"calls that were shown and never ran"`
	Lost        []CallID `json:"lost,omitempty" doc:"calls that had begun and whose end nobody knows"`
	Interrupted bool     `json:"interrupted,omitempty" doc:"a response was cut"`
	Text        string   `json:"text" doc:"the same in words"`
}

func (RunStarted) kind() string    { return "run.started" }
func (RunAborting) kind() string   { return "run.aborting" }
func (RunEnded) kind() string      { return "run.ended" }
func (TurnStarted) kind() string   { return "turn.started" }
func (TurnEnded) kind() string     { return "turn.ended" }
func (StepStarted) kind() string   { return "step.started" }
func (StepEnded) kind() string     { return "step.ended" }
func (TurnRecovered) kind() string { return "turn.recovered" }
