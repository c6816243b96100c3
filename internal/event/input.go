package event

import "encoding/json"

// A Lane is a queue of inputs.
type Lane string

// The lanes. Steers are taken before follow-ups, both within the open run; a
// prompt gets a run of its own.
const (
	LanePrompt   Lane = "prompt"
	LaneSteer    Lane = "steer"
	LaneFollowUp Lane = "follow_up"
)

// A When says at which point a steer takes over.
type When string

// The points of a steer.
const (
	WhenPause When = "pause" // calls of the step that were not decided are skipped
	WhenAfter When = "after" // the step finishes whole
	WhenNow   When = "now"   // the stream is interrupted
)

// A Drop says why a queued input does not run.
type Drop string

// The reasons of a drop.
const (
	DropRemoved   Drop = "removed"
	DropAborted   Drop = "aborted"
	DropClosed    Drop = "closed"
	DropRecovered Drop = "recovered" // the daemon died in its run; it is queued anew
)

// A Reminder says why the model is told something that nobody said to it.
type Reminder string

// The reasons of developer.said.
const (
	ReminderSkip      Reminder = "skip"
	ReminderAgent     Reminder = "agent"     // a sub-agent in the background has ended
	ReminderJob       Reminder = "job"       // a command in the background has ended
	ReminderRecovery  Reminder = "recovery"  // the daemon died in the turn
	ReminderContinue  Reminder = "continue"  // the answer was cut and goes on
	ReminderEmpty     Reminder = "empty"     // there was nothing in the answer
	ReminderCircle    Reminder = "circle"    // the same calls have had the same results over and over
	ReminderSchema    Reminder = "schema"    // the answer has to fit a schema, or does not
	ReminderExtension Reminder = "extension" // by a program of the user's
)

// An Attachment is a file that came with an input.
type Attachment struct {
	Name      string `json:"name,omitempty"`
	MediaType string `json:"media_type"`
	Blob      string `json:"blob,omitempty" doc:"SHA-256 of the content, a blob beside the log"`
	Path      string `json:"path,omitempty" doc:"where the content lies"`
	Size      int64  `json:"size" doc:"bytes"`
}

// InputQueued says that an input was accepted; it is durable before the
// client is told.
type InputQueued struct {
	Input       InputID         `json:"input"`
	Lane        Lane            `json:"lane"`
	When        When            `json:"when,omitempty" doc:"steer: pause, after or now"`
	Text        string          `json:"text"`
	Attachments []Attachment    `json:"attachments,omitempty"`
	Position    int             `json:"position" doc:"in its lane, from 0"`
	Run         RunID           `json:"reserved_run,omitempty" doc:"prompt: the run reserved for it"`
	Number      int             `json:"reserved_number,omitempty" doc:"prompt: the number reserved for its run"`
	Leaf        *EntryID        `json:"leaf,omitempty" doc:"prompt: the entry it continues from, where the client named one"`
	Model       string          `json:"model,omitempty" doc:"prompt: provider/model of this run, where the client named one"`
	Allow       []string        `json:"allow,omitempty" doc:"prompt: permission rules of this run"`
	Deny        []string        `json:"deny,omitempty" doc:"prompt: permission rules of this run"`
	Continue    bool            `json:"continue,omitempty" doc:"prompt: it says nothing, and its run goes on with what failed or was stopped at leaf"`
	Patience    *Patience       `json:"patience,omitempty" doc:"prompt: how long its run asks a server again that fails; absent: until the run is stopped"`
	Allowance   *Allowance      `json:"allowance,omitempty" doc:"prompt: what its run may use; absent: all it wants"`
	Schema      json.RawMessage `json:"schema,omitempty" doc:"prompt: JSON Schema that the answers of its run have to fit"`
	Mode        PermissionMode  `json:"mode,omitempty" doc:"prompt: the mode of this run, where the client named one"`
	Who         string          `json:"who,omitempty" doc:"name of the client"`
}

// Patience is how long a run asks a server again that fails. One that says
// nothing is none: the server is asked once.
type Patience struct {
	MS      int64 `json:"ms,omitempty" doc:"from the first failure"`
	Retries int   `json:"retries,omitempty" doc:"the most retries"`
}

// Allowance is what a run may use, its sub-agents included. It ends before the
// first request that would come after that.
type Allowance struct {
	Tokens int   `json:"tokens,omitempty" doc:"sent and received; 0: any number"`
	Cost   int64 `json:"cost,omitempty" doc:"in millionths of a US dollar; 0: any"`
}

// InputChanged edits or moves a queued input; an absent key stays as it was.
type InputChanged struct {
	Input    InputID `json:"input"`
	Text     *string `json:"text,omitempty"`
	Position *int    `json:"position,omitempty" doc:"in its lane, from 0"`
	Who      string  `json:"who,omitempty"`
}

// InputTaken says that queued steers or follow-ups become the next turn.
type InputTaken struct {
	Inputs []InputID `json:"inputs"`
	Lane   Lane      `json:"lane"`
}

// InputDropped says that a queued input will not run, and why.
type InputDropped struct {
	Input  InputID `json:"input"`
	Reason Drop    `json:"reason" doc:"removed, aborted, closed or recovered"`
	Who    string  `json:"who,omitempty"`
}

// UserSaid is an entry of the tree: what the model is told by a person.
type UserSaid struct {
	Entry       EntryID      `json:"entry"`
	Parent      EntryID      `json:"parent,omitempty" doc:"absent: the root"`
	Text        string       `json:"text"`
	Attachments []Attachment `json:"attachments,omitempty"`
	Origin      Lane         `json:"origin" doc:"prompt, steer or follow_up"`
}

// DeveloperSaid is what the model is told by Parley itself: a skipped call, the
// result of a background task, a reminder.
type DeveloperSaid struct {
	Text   string   `json:"text"`
	Origin Reminder `json:"origin" doc:"skip, agent, job, recovery, continue, empty, circle, schema or extension"`
}

func (InputQueued) kind() string   { return "input.queued" }
func (InputChanged) kind() string  { return "input.changed" }
func (InputTaken) kind() string    { return "input.taken" }
func (InputDropped) kind() string  { return "input.dropped" }
func (UserSaid) kind() string      { return "user.said" }
func (DeveloperSaid) kind() string { return "developer.said" }
