package event

import "strconv"

// A Progress says how far a step of the preparation has come.
type Progress string

// The progress of a step.
const (
	ProgressRunning Progress = "running"
	ProgressDone    Progress = "done"
	ProgressError   Progress = "error"
)

// A Change says what became of a file.
type Change string

// The changes of a file.
const (
	ChangeCreated  Change = "created"
	ChangeModified Change = "modified"
	ChangeDeleted  Change = "deleted"
)

// A Code is the class of a fault; dialects map it in one table.
type Code string

// The codes of a fault.
const (
	CodeInvalid  Code = "invalid"   // the request is wrong in itself
	CodeNotFound Code = "not_found" // what it names does not exist
	CodeBusy     Code = "busy"      // not now
	CodeDenied   Code = "denied"    // not allowed
	CodeClosed   Code = "closed"    // what it is about has ended
	CodeCanceled Code = "canceled"  // somebody stopped it
	CodeLimit    Code = "limit"     // a limit was reached
	CodeProvider Code = "provider"  // the model's server failed
	CodeTool     Code = "tool"      // a tool could not be run
	CodeInternal Code = "internal"  // a defect or the machine; the daemon's log says more
)

// NoteAdded tells people something in passing.
type NoteAdded struct {
	Level  Level  `json:"level" doc:"info, warn or error"`
	Text   string `json:"text"`
	Source string `json:"source,omitempty"`
}

// InitProgressed says how far the preparation of a session has come.
type InitProgressed struct {
	Step   string   `json:"step"`
	Status Progress `json:"status" doc:"running, done or error"`
	Text   string   `json:"text,omitempty"`
	Number int      `json:"number,omitempty"`
	Total  int      `json:"total,omitempty"`
}

// RetryScheduled says that a model request is made again, and when.
type RetryScheduled struct {
	Attempt  int    `json:"attempt" doc:"the retry that comes, from 1"`
	Max      int    `json:"max" doc:"the most there will be; 0: nobody counts"`
	DelayMS  int64  `json:"delay_ms"`
	Reason   string `json:"reason"`
	Status   int    `json:"status,omitempty" doc:"HTTP status of the failure"`
	Provider string `json:"provider,omitempty"`
}

// Count is which retry it is, and of how many where somebody counts.
func (r RetryScheduled) Count(of string) string {
	if r.Max == 0 {
		return strconv.Itoa(r.Attempt)
	}
	return strconv.Itoa(r.Attempt) + of + strconv.Itoa(r.Max)
}

// FilesChanged names the files of the workspace that calls have changed.
type FilesChanged struct {
	Files []FileChange `json:"files"`
}

// A FileChange is one file and what became of it.
type FileChange struct {
	Path    string `json:"path" doc:"relative to the workspace where inside"`
	Change  Change `json:"change" doc:"created, modified or deleted"`
	Added   int    `json:"added" doc:"lines"`
	Removed int    `json:"removed" doc:"lines"`
}

// FaultRaised says that something went wrong that the run could not go on from.
type FaultRaised struct {
	Code    Code   `json:"code" doc:"invalid, not_found, busy, denied, closed, canceled, limit, provider, tool or internal"`
	Message string `json:"message"`
	RetryMS int64  `json:"retry_ms,omitempty" doc:"try again after this long"`
}

func (NoteAdded) kind() string      { return "note.added" }
func (InitProgressed) kind() string { return "init.progressed" }
func (RetryScheduled) kind() string { return "retry.scheduled" }
func (FilesChanged) kind() string   { return "files.changed" }
func (FaultRaised) kind() string    { return "fault.raised" }
