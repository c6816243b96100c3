// Package command is what a client may ask of Parley, and what it is answered.
//
// A [Command] is an envelope around a [Body]; the set of bodies is closed. Each
// command has one [Result]: data, or a [Fault]. What a command makes happen is
// not in its result but in the log, as events that carry its id as their cause.
//
// The JSON forms are those of the native dialect:
//
//	{"type":"prompt","id":"7","session":"sess-…","data":{"text":"…"}}
//	{"type":"result","id":"7","ok":true,"data":{…}}
//	{"type":"result","id":"7","ok":false,"error":{"code":"busy","message":"…"}}
//
// It guarantees that any bytes decode to a command or to a Fault that says what
// is wrong with them. It does not check what only a session can know.
package command

import (
	"encoding/json"

	"parley/internal/event"
)

// A Command is one request of a client.
type Command struct {
	ID      string          // "CONNECTION/ID": what events carry as their cause
	Session event.SessionID // empty where the command is about none
	Who     string          // name of the client, for people
	Client  event.ClientID  // the connection
	Body    Body
}

// Cause returns the command as the cause of events.
func (c Command) Cause() event.Cause { return event.Cause(c.ID) }

// A Body says what is asked. The set is closed.
type Body interface{ name() string }

// Name returns the name of a command, such as "prompt".
func Name(b Body) string { return b.name() }

// Prompt begins a run of its own, after those that are open or queued.
type Prompt struct {
	Text        string               `json:"text"`
	Attachments []event.Attachment   `json:"attachments,omitempty"`
	Model       string               `json:"model,omitempty" doc:"provider/model of this run alone"`
	Leaf        *event.EntryID       `json:"leaf,omitempty" doc:"the entry to continue from; empty: the root"`
	Allow       []string             `json:"allow,omitempty" doc:"permission rules of this run"`
	Deny        []string             `json:"deny,omitempty" doc:"permission rules of this run"`
	Set         event.SettingChanged `json:"set,omitzero" doc:"settings of the session from this prompt on, changed if it is accepted"`
	Patience    *event.Patience      `json:"patience,omitempty" doc:"how long the run asks a server again that fails; absent: until the run is stopped"`
	Allowance   *event.Allowance     `json:"allowance,omitempty" doc:"what the run may use; absent: all it wants"`
	Schema      json.RawMessage      `json:"schema,omitempty" doc:"JSON Schema that the answers of the run have to fit"`
	Continue    bool                 `json:"continue,omitempty" doc:"without a text: the last turn, which failed or was stopped, goes on from what is there"`
	Mode        event.PermissionMode `json:"mode,omitempty" doc:"ask, edits or all, for this run; absent: the session's"`
	Hold        bool                 `json:"hold,omitempty" doc:"the run starts at once; its first model request waits until the next client attaches, at most 50 ms"`
}

// Steer says something to the model in the open run.
type Steer struct {
	Text string     `json:"text"`
	When event.When `json:"when,omitempty" doc:"pause (default), after or now"`
}

// FollowUp queues another turn of the open run.
type FollowUp struct {
	Text string `json:"text"`
}

// Abort ends the open run. What was said stays; the queues are emptied.
type Abort struct{}

// QueueEdit changes the text of a queued input.
type QueueEdit struct {
	Input event.InputID `json:"input"`
	Text  string        `json:"text"`
}

// QueueMove changes the place of a queued input in its lane.
type QueueMove struct {
	Input    event.InputID `json:"input"`
	Position int           `json:"position" doc:"from 0"`
}

// QueueRemove takes a queued input back.
type QueueRemove struct {
	Input event.InputID `json:"input"`
}

// Answer answers an ask, or one question of it. The first answer wins.
type Answer struct {
	Ask       event.AskID     `json:"ask"`
	Question  int             `json:"question,omitempty" doc:"index, from 0"`
	Keys      []string        `json:"keys,omitempty" doc:"the options chosen"`
	Text      string          `json:"text,omitempty"`
	Arguments json.RawMessage `json:"arguments,omitempty" doc:"permission: arguments to run with instead"`
	Rules     []string        `json:"rules,omitempty" doc:"permission: rules to remember instead of the option's"`
	Reason    string          `json:"reason,omitempty" doc:"told to the model"`
	Stop      bool            `json:"stop,omitempty" doc:"a denial that ends the turn"`
	Cancel    bool            `json:"cancel,omitempty" doc:"close the ask without an answer"`
}

// Open makes a session.
type Open struct {
	Session   event.SessionID `json:"session,omitempty" doc:"its id, where the client chooses it"`
	Workspace string          `json:"workspace,omitempty" doc:"absolute path; absent: the client's"`
	Title     string          `json:"title,omitempty"`
}

// Attach follows a session on this connection.
type Attach struct {
	Since *event.Seq `json:"since,omitempty" doc:"every event after this one; absent: from the start of the open run"`
}

// Detach stops following a session.
type Detach struct{}

// Branch makes a session that begins with another's entries.
type Branch struct {
	Entry event.EntryID `json:"entry,omitempty" doc:"the last entry to keep; absent: the leaf"`
}

// Rename titles a session.
type Rename struct {
	Title       string `json:"title"`
	Description string `json:"description,omitempty"`
}

// Remove deletes a session and its files for good.
type Remove struct{}

// SetLeaf chooses the entry that the next turn continues from.
type SetLeaf struct {
	Leaf event.EntryID `json:"leaf" doc:"empty: before the first entry"`
}

// Set changes settings; an absent key stays as it was.
type Set struct {
	event.SettingChanged
}

// What a Read may ask for.
const (
	ReadState    = "state"
	ReadEntries  = "entries"
	ReadTree     = "tree"
	ReadSessions = "sessions"
	ReadModels   = "models"
	ReadTools    = "tools"
	ReadCommands = "commands"
	ReadBudget   = "budget"
	ReadFiles    = "files"
	ReadEvents   = "events"
	ReadDaemon   = "daemon"
)

// Read asks for something without changing anything.
type Read struct {
	What   string         `json:"what" doc:"state, entries, tree, sessions, models, tools, commands, budget, files, events or daemon"`
	Leaf   *event.EntryID `json:"leaf,omitempty" doc:"entries: the path to this entry; absent: to the leaf"`
	After  event.Seq      `json:"after,omitempty" doc:"events: those with a larger seq"`
	Before event.Seq      `json:"before,omitempty" doc:"events: the last ones with a smaller seq"`
	Limit  int            `json:"limit,omitempty" doc:"at most this many: of events, absent: 100; of entries the last ones, absent: all"`
	Text   string         `json:"text,omitempty" doc:"files: part of the name"`
}

// Do runs a named command of an extension.
type Do struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
}

// ShellStart runs a command for the person, outside the model's run.
type ShellStart struct {
	Command   string `json:"command"`
	Dir       string `json:"dir,omitempty" doc:"absent: the workspace root"`
	TimeoutMS int64  `json:"timeout_ms,omitempty"`
}

// ShellWait waits for a shell command to end.
type ShellWait struct {
	Task      string `json:"task"`
	TimeoutMS int64  `json:"timeout_ms,omitempty"`
}

// ShellOutput reads what a shell command has printed.
type ShellOutput struct {
	Task   string `json:"task"`
	Stream string `json:"stream,omitempty" doc:"stdout or stderr; absent: both"`
	Offset int64  `json:"offset,omitempty" doc:"bytes"`
	Limit  int64  `json:"limit,omitempty" doc:"bytes"`
}

// ShellCancel kills a shell command.
type ShellCancel struct {
	Task string `json:"task"`
}

// Compact summarises the older entries now.
type Compact struct {
	Instruction string `json:"instruction,omitempty"`
}

// Stop asks the daemon to leave.
type Stop struct {
	IfIdle bool `json:"if_idle,omitempty" doc:"refuse with busy while a run is open"`
}

func (Prompt) name() string      { return "prompt" }
func (Steer) name() string       { return "steer" }
func (FollowUp) name() string    { return "follow_up" }
func (Abort) name() string       { return "abort" }
func (QueueEdit) name() string   { return "queue_edit" }
func (QueueMove) name() string   { return "queue_move" }
func (QueueRemove) name() string { return "queue_remove" }
func (Answer) name() string      { return "answer" }
func (Open) name() string        { return "open" }
func (Attach) name() string      { return "attach" }
func (Detach) name() string      { return "detach" }
func (Branch) name() string      { return "branch" }
func (Rename) name() string      { return "rename" }
func (Remove) name() string      { return "remove" }
func (SetLeaf) name() string     { return "set_leaf" }
func (Set) name() string         { return "set" }
func (Read) name() string        { return "read" }
func (Do) name() string          { return "do" }
func (ShellStart) name() string  { return "shell_start" }
func (ShellWait) name() string   { return "shell_wait" }
func (ShellOutput) name() string { return "shell_output" }
func (ShellCancel) name() string { return "shell_cancel" }
func (Compact) name() string     { return "compact" }
func (Stop) name() string        { return "stop" }

var bodies = []Body{
	Prompt{}, Steer{}, FollowUp{}, Abort{}, QueueEdit{}, QueueMove{}, QueueRemove{}, Answer{},
	Open{}, Attach{}, Detach{}, Branch{}, Rename{}, Remove{}, SetLeaf{}, Set{}, Read{}, Do{},
	ShellStart{}, ShellWait{}, ShellOutput{}, ShellCancel{}, Compact{}, Stop{},
}

// Bodies returns the zero body of every command, in the order of the documents.
func Bodies() []Body { return append([]Body(nil), bodies...) }
