package command

import (
	"encoding/json"

	"parley/internal/event"
)

// A Result answers one command.
type Result struct {
	ID    string // of the command
	Name  string // of the command
	Data  Data   // nil where there is nothing to say
	Fault *Fault // nil: done

	// Begin, where it is set, is to be called once the answer is written, or
	// cannot be any more: what the command does waits for it.
	Begin func()
}

// Data is what a result carries. The set is closed.
type Data interface{ data() }

// Accepted says that an input is durable and will run, or be dropped with a
// reason.
type Accepted struct {
	Session event.SessionID `json:"session"`
	Input   event.InputID   `json:"input,omitempty"`
	Run     event.RunID     `json:"run,omitempty" doc:"prompt: the run reserved; steer, follow_up and abort: the open run"`
	Number  int             `json:"number,omitempty" doc:"the number of that run"`
	Leaf    event.EntryID   `json:"leaf,omitempty" doc:"prompt: the entry continued from"`
}

// Opened names the session that open, branch or attach is about.
type Opened struct {
	Session event.SessionID `json:"session"`
	Parent  event.SessionID `json:"parent,omitempty"`
	Head    event.Seq       `json:"head,omitempty"`
}

// Moved answers set_leaf.
type Moved struct {
	Session event.SessionID `json:"session"`
	Leaf    event.EntryID   `json:"leaf"`
}

// Changed answers set.
type Changed struct {
	Settings event.SettingChanged `json:"settings"`
}

// Message is one entry as a person reads it.
type Message struct {
	ID      event.EntryID `json:"id"`
	Parent  event.EntryID `json:"parent,omitempty"`
	Role    string        `json:"role" doc:"user, assistant or summary"`
	Text    string        `json:"text"`
	Run     event.RunID   `json:"run,omitempty"`
	Number  int           `json:"number,omitempty" doc:"of the run"`
	Lane    event.Lane    `json:"lane,omitempty"`
	Created string        `json:"created" doc:"RFC 3339"`
	Seq     event.Seq     `json:"seq,omitempty" doc:"of the event that made it; absent where that is in the log of a parent"`
}

// Entries answers read entries and read tree.
type Entries struct {
	Session  event.SessionID `json:"session"`
	Leaf     event.EntryID   `json:"leaf,omitempty"`
	Messages []Message       `json:"messages"`
	More     bool            `json:"more,omitempty" doc:"there are earlier ones: read those up to the parent of the first"`
}

// Listing is one session in a list.
type Listing struct {
	Session event.SessionID `json:"session"`
	event.SessionListed
}

// Sessions answers read sessions, newest first.
type Sessions struct {
	Sessions []Listing `json:"sessions"`
}

// ModelEntry is one model that can be asked for.
type ModelEntry struct {
	Name    string `json:"name" doc:"provider/model"`
	Context int    `json:"context" doc:"tokens"`
	Default bool   `json:"default,omitempty"`
	Ready   bool   `json:"ready" doc:"its key or server is there"`
}

// Models answers read models.
type Models struct {
	Models []ModelEntry `json:"models"`
}

// ToolEntry is one tool.
type ToolEntry struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema,omitempty"`
	Active      bool            `json:"active"`
}

// Tools answers read tools.
type Tools struct {
	Tools []ToolEntry `json:"tools"`
}

// Events answers read events: a page of the past.
type Events struct {
	Events []event.Event `json:"events"`
	More   bool          `json:"more" doc:"there are further ones in the direction that was read"`
}

// Daemon answers read daemon.
type Daemon struct {
	Version  string   `json:"version"`
	Build    string   `json:"build"`
	PID      int      `json:"pid"`
	Store    string   `json:"store"`
	Listen   []string `json:"listen"`
	Started  string   `json:"started" doc:"RFC 3339"`
	Clients  int      `json:"clients"`
	Sessions int      `json:"sessions" doc:"open in memory"`
	Running  int      `json:"running" doc:"runs that are open"`
	Fence    string   `json:"fence,omitempty" doc:"the kind that the machine has, full, files or none, and why it is no better one"`
}

// Compacted answers compact.
type Compacted struct {
	Session   event.SessionID `json:"session"`
	Summary   string          `json:"summary"`
	FirstKept event.EntryID   `json:"first_kept"`
	Tokens    int             `json:"tokens_before"`
	After     int             `json:"tokens_after"`
}

// Task is the state of a shell command.
type Task struct {
	Task     string `json:"task"`
	State    string `json:"state" doc:"running, completed, failed or cancelled"`
	Command  string `json:"command"`
	Exit     *int   `json:"exit,omitempty"`
	Stdout   string `json:"stdout,omitempty"`
	Stderr   string `json:"stderr,omitempty"`
	Duration int64  `json:"duration_ms"`
}

// Raw is data that an extension or a dialect made; it is sent as it is.
type Raw struct{ JSON json.RawMessage }

// MarshalJSON gives the JSON as it is.
func (r Raw) MarshalJSON() ([]byte, error) {
	if len(r.JSON) == 0 {
		return []byte("{}"), nil
	}
	return r.JSON, nil
}

// Snapshot answers read state with the JSON of a transcript.State.
type Snapshot struct {
	State json.RawMessage `json:"state"`
}

func (Accepted) data()  {}
func (Opened) data()    {}
func (Moved) data()     {}
func (Changed) data()   {}
func (Entries) data()   {}
func (Sessions) data()  {}
func (Models) data()    {}
func (Tools) data()     {}
func (Events) data()    {}
func (Daemon) data()    {}
func (Compacted) data() {}
func (Task) data()      {}
func (Raw) data()       {}
func (Snapshot) data()  {}
