package event

// An Origin says how a session came to be.
type Origin string

// The origins of a session.
const (
	OriginNew    Origin = "new"    // by a person or a program
	OriginBranch Origin = "branch" // from an entry of another session
	OriginAgent  Origin = "agent"  // by a call of its parent: a sub-agent
)

// A Mode says how many queued inputs one turn takes.
type Mode string

// The modes of a queue.
const (
	ModeOne Mode = "one-at-a-time"
	ModeAll Mode = "all"
)

// An Order says how the calls of a step run.
type Order string

// The orders of calls.
const (
	OrderParallel   Order = "parallel"
	OrderSequential Order = "sequential"
)

// A PermissionMode says which calls run without a question where no rule decides.
type PermissionMode string

// The modes, from the most to the least questions. A deny rule holds in each.
const (
	PermissionAsk   PermissionMode = "ask"   // reading in the workspace
	PermissionEdits PermissionMode = "edits" // changing files in it too, and commands in a full fence
	PermissionAll   PermissionMode = "all"   // everything
)

// An AgentState says what a sub-agent is doing.
type AgentState string

// The states of a sub-agent.
const (
	AgentActive AgentState = "active"
	AgentIdle   AgentState = "idle"
	AgentDone   AgentState = "done"
	AgentError  AgentState = "error"
)

// An Activity says what a session is doing.
type Activity string

// The activities of a session.
const (
	ActivityIdle    Activity = "idle"
	ActivityRunning Activity = "running"
	ActivityWaiting Activity = "waiting" // for an answer
)

// SessionOpened is the first event of a session.
type SessionOpened struct {
	Origin      Origin    `json:"origin" doc:"new, branch or agent"`
	Parent      SessionID `json:"parent,omitempty" doc:"the session branched from, or the one whose call opened this one"`
	Entry       EntryID   `json:"entry,omitempty" doc:"branch: the last entry of the parent that is seen here"`
	Call        CallID    `json:"call,omitempty" doc:"agent: the call of the parent"`
	Profile     string    `json:"profile,omitempty" doc:"agent: name of its profile"`
	Description string    `json:"description,omitempty" doc:"agent: what it is for, in a few words"`
	Prompt      string    `json:"prompt,omitempty" doc:"agent: its task"`
	Workspace   string    `json:"workspace,omitempty" doc:"absolute path of the workspace root"`
	Base        int       `json:"base,omitempty" doc:"branch: number of entries inherited"`
}

// SessionTitled names a session.
type SessionTitled struct {
	Title       string `json:"title"`
	Description string `json:"description,omitempty"`
}

// SessionClosed ends a session for good; a sub-agent closes when its call ends.
type SessionClosed struct {
	Reason Reason `json:"reason" doc:"done, aborted, error or removed"`
}

// SettingChanged carries the settings that changed; a setting that is absent
// stays as it was.
type SettingChanged struct {
	Model      *string   `json:"model,omitempty" doc:"provider/model; empty: as configured"`
	Tools      *[]string `json:"tools,omitempty" doc:"names of the active tools; null in state: all"`
	Steering   *Mode     `json:"steering,omitempty" doc:"one-at-a-time or all"`
	FollowUp   *Mode     `json:"follow_up,omitempty" doc:"one-at-a-time or all"`
	Calls      *Order    `json:"calls,omitempty" doc:"parallel or sequential"`
	Permission *Effect   `json:"permission,omitempty" doc:"what happens where no rule decides: ask, allow or deny"`
	Reasoning  *string   `json:"reasoning,omitempty" doc:"off, minimal, low, medium, high, xhigh, max, or empty: as configured"`

	Mode *PermissionMode `json:"mode,omitempty" doc:"which calls run without a question: ask, edits or all; empty: what the configuration says"`
	Who  string          `json:"who,omitempty" doc:"name of the client that changed them"`
}

// AgentChanged says what a sub-agent is doing.
type AgentChanged struct {
	State   AgentState `json:"state" doc:"active, idle, done or error"`
	Message string     `json:"message,omitempty"`
}

// LeafChanged moves the point at which the next turn continues.
type LeafChanged struct {
	Leaf EntryID `json:"leaf" doc:"empty: before the first entry"`
}

// ClientJoined says that a client attached to the session.
type ClientJoined struct {
	Client  ClientID `json:"client"`
	Name    string   `json:"name,omitempty"`
	Version string   `json:"version,omitempty"`
	Dialect string   `json:"dialect,omitempty"`
	CanAsk  bool     `json:"can_ask,omitempty" doc:"it can answer asks"`
}

// ClientLeft says that a client detached or vanished.
type ClientLeft struct {
	Client ClientID `json:"client"`
}

// SessionListed is an event of the catalog: a session exists, and this is what
// a list shows of it. A later one for the same session replaces it.
type SessionListed struct {
	Title     string    `json:"title,omitempty"`
	Workspace string    `json:"workspace,omitempty"`
	Origin    Origin    `json:"origin"`
	Parent    SessionID `json:"parent,omitempty"`
	Created   string    `json:"created" doc:"RFC 3339"`
	Updated   string    `json:"updated" doc:"RFC 3339"`
	Runs      int       `json:"runs" doc:"runs begun so far"`
	State     Activity  `json:"state" doc:"idle, running or waiting (for an answer)"`
	Head      Seq       `json:"head,omitempty" doc:"seq of the last event; not idle: of the last before the run"`
}

// SessionUnlisted is an event of the catalog: a session was removed.
type SessionUnlisted struct{}

// ActiveChanged is an event of the catalog: a foreign client family's active
// session.
type ActiveChanged struct {
	Family string    `json:"family" doc:"the listener that remembers it"`
	Active SessionID `json:"active"`
}

func (SessionOpened) kind() string   { return "session.opened" }
func (SessionTitled) kind() string   { return "session.titled" }
func (SessionClosed) kind() string   { return "session.closed" }
func (SettingChanged) kind() string  { return "setting.changed" }
func (AgentChanged) kind() string    { return "agent.changed" }
func (LeafChanged) kind() string     { return "leaf.changed" }
func (ClientJoined) kind() string    { return "client.joined" }
func (ClientLeft) kind() string      { return "client.left" }
func (SessionListed) kind() string   { return "session.listed" }
func (SessionUnlisted) kind() string { return "session.unlisted" }
func (ActiveChanged) kind() string   { return "active.changed" }
