package event

import "encoding/json"

// An AskKind says what is asked of a client.
type AskKind string

// The kinds of ask.
const (
	AskPermission AskKind = "permission"
	AskQuestions  AskKind = "questions"
	AskReferences AskKind = "references"
	AskWorkspace  AskKind = "workspace"
	AskPick       AskKind = "pick"
	AskPrompt     AskKind = "prompt"
	AskEffect     AskKind = "effect"
)

// An Effect is what becomes of a call.
type Effect string

// The effects.
const (
	EffectAllow Effect = "allow"
	EffectDeny  Effect = "deny"
	EffectAsk   Effect = "ask"
)

// A Scope says how long and how widely a permission holds, and so where it is from.
type Scope string

// The scopes, from the nearest to the widest. The first five are what an answer may choose.
const (
	ScopeOnce    Scope = "once"
	ScopeRun     Scope = "run"
	ScopeSession Scope = "session"
	ScopeProject Scope = "project"
	ScopeUser    Scope = "user"
	ScopeFlag    Scope = "flag"    // of the prompt
	ScopeConfig  Scope = "config"  // a configuration file
	ScopeDaemon  Scope = "daemon"  // a flag of the daemon
	ScopeBuiltin Scope = "builtin" // no rule
)

// A Method says what decided.
type Method string

// The methods. An ask is closed by one of the first four.
const (
	MethodPerson   Method = "person"
	MethodTimeout  Method = "timeout"  // nobody answered in time
	MethodAbort    Method = "abort"    // its run was stopped
	MethodRecovery Method = "recovery" // the daemon died while it was open
	MethodRule     Method = "rule"
	MethodFree     Method = "free"    // no rule is needed
	MethodMode     Method = "mode"    // the mode allows it
	MethodUnasked  Method = "unasked" // nobody was there to be asked
	MethodInvalid  Method = "invalid" // the call cannot run as it is
)

// An Outcome says how an ask came to its end.
type Outcome string

// The outcomes of an ask.
const (
	OutcomeAllowed   Outcome = "allowed"
	OutcomeDenied    Outcome = "denied"
	OutcomeAnswered  Outcome = "answered"
	OutcomeCancelled Outcome = "cancelled" // somebody took it back
	OutcomeTimeout   Outcome = "timeout"
	OutcomeAborted   Outcome = "aborted"
	OutcomeRecovered Outcome = "recovered"
)

// A Level grades what people are told.
type Level string

// The levels: a warning is info, warn or danger, a note is info, warn or error.
const (
	LevelInfo   Level = "info"
	LevelWarn   Level = "warn"
	LevelDanger Level = "danger"
	LevelError  Level = "error"
)

// An Option is one answer that can be given.
type Option struct {
	Key    string   `json:"key" doc:"what the answer names"`
	Label  string   `json:"label"`
	Detail string   `json:"detail,omitempty"`
	Effect Effect   `json:"effect,omitempty" doc:"permission: allow or deny"`
	Scope  Scope    `json:"scope,omitempty" doc:"permission: once, run, session, project or user"`
	Rules  []string `json:"rules,omitempty" doc:"permission: exactly what the answer would store"`
	Stop   bool     `json:"stop,omitempty" doc:"permission: a denial that ends the turn"`
	// Outside is a different grant, not a wider one.
	Outside bool `json:"outside,omitempty" doc:"permission: the command runs outside of the fence"`
}

// A Warning is something to know before answering.
type Warning struct {
	Level Level  `json:"level" doc:"info, warn or danger"`
	Text  string `json:"text"`
}

// A Question is one of several in an ask.
type Question struct {
	Text    string   `json:"text"`
	Options []Option `json:"options,omitempty"`
	Multi   bool     `json:"multi,omitempty"`
	Default string   `json:"default,omitempty"`
	Secret  bool     `json:"secret,omitempty"`
}

// AskOpened asks something of the clients. Whoever answers first, answers.
type AskOpened struct {
	Ask       AskID      `json:"ask"`
	Kind      AskKind    `json:"kind"`
	Call      CallID     `json:"call,omitempty" doc:"permission: the call to decide"`
	To        ClientID   `json:"to,omitempty" doc:"the one client that may answer; absent: any"`
	Title     string     `json:"title"`
	Text      string     `json:"text,omitempty"`
	Options   []Option   `json:"options,omitempty"`
	Questions []Question `json:"questions,omitempty"`
	Warnings  []Warning  `json:"warnings,omitempty"`
}

// AskAnswered is the answer to one question of an ask.
type AskAnswered struct {
	Ask      AskID    `json:"ask"`
	Question int      `json:"question" doc:"index, from 0"`
	Keys     []string `json:"keys,omitempty" doc:"the options chosen"`
	Text     string   `json:"text,omitempty"`
	Who      string   `json:"who,omitempty"`
}

// AskClosed closes an ask: exactly once for each.
type AskClosed struct {
	Ask       AskID           `json:"ask"`
	Outcome   Outcome         `json:"outcome" doc:"allowed, denied, answered, cancelled, timeout, aborted or recovered"`
	Method    Method          `json:"method" doc:"person, timeout, abort or recovery"`
	Key       string          `json:"key,omitempty" doc:"the option chosen"`
	Rules     []string        `json:"rules,omitempty" doc:"permission: what the answer stores, where the person changed it"`
	Arguments json.RawMessage `json:"arguments,omitempty" doc:"permission: the arguments, where the person changed them"`
	Stop      bool            `json:"stop,omitempty" doc:"permission: a denial that ends the turn"`
	Who       string          `json:"who,omitempty" doc:"name of the client that answered"`
	Reason    string          `json:"reason,omitempty"`
}

func (AskOpened) kind() string   { return "ask.opened" }
func (AskAnswered) kind() string { return "ask.answered" }
func (AskClosed) kind() string   { return "ask.closed" }
