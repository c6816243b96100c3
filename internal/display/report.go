package display

import (
	"slices"

	"parley/internal/event"
	"parley/internal/transcript"
)

// A Report is what a run came to, for who wants the result and not its course. The events of a run make it: see
// [Report.Apply].
type Report struct {
	Session event.SessionID
	Run     event.RunID
	Model   string // provider/model that answered last
	Outcome Outcome
	Answer  string // what the model said last, as it wrote it
	Usage   event.Usage
	MS      int64
	Files   []event.FileChange // one for each file, in the order in which they were first changed
	Denials []Denial
}

// A Denial is a call that was not allowed.
type Denial struct {
	Call   event.CallID    `json:"call"`
	Tool   string          `json:"tool"`
	Title  string          `json:"title,omitempty"`
	Code   event.Refusal   `json:"code"`
	Rule   string          `json:"rule,omitempty"`
	Reason string          `json:"reason"`
	Agent  event.SessionID `json:"agent,omitempty"` // the sub-agent that made it
}

// Apply takes an event of a log, sub-agents' included, and folds it into s. done says that it was the end of a run: the
// report is whole, and begins anew with the next run.
func (r *Report) Apply(s *transcript.State, e event.Event) (done bool) {
	for e := range transcript.Advance(s, e) {
		r.take(s, e)
		s.Apply(e)
		if b, ok := e.Body.(event.RunEnded); ok && e.Session == s.Session {
			r.Session, r.Run, r.Model, r.Outcome, r.Usage, r.MS = s.Session, e.Run, s.Model(), OutcomeOf(s), b.Usage, b.DurationMS
			done = true
		}
	}
	return done
}

// take takes an event that s does not have yet.
func (r *Report) take(s *transcript.State, e event.Event) {
	main := e.Session == s.Session
	switch b := e.Body.(type) {
	case event.RunStarted:
		if main {
			*r = Report{}
		}
	case event.TurnEnded:
		if main && s.Turn != nil {
			r.Answer = (&transcript.Content{Parts: transcript.Conclusion(s.Turn.Parts)}).Answer()
		}
	case event.FilesChanged:
		for _, change := range b.Files {
			r.change(change)
		}
	case event.PermissionDecided:
		if d, denied := denialOf(s.In(e.Session), b); denied {
			if !main {
				d.Agent = e.Session
			}
			r.Denials = append(r.Denials, d)
		}
	}
}

// change adds what became of a file to what became of it before.
func (r *Report) change(c event.FileChange) {
	i := slices.IndexFunc(r.Files, func(f event.FileChange) bool { return f.Path == c.Path })
	if i < 0 {
		r.Files = append(r.Files, c)
		return
	}
	f := &r.Files[i]
	f.Added, f.Removed = f.Added+c.Added, f.Removed+c.Removed
	switch {
	case f.Change == event.ChangeCreated && c.Change == event.ChangeDeleted:
		r.Files = slices.Delete(r.Files, i, i+1)
	case f.Change == event.ChangeDeleted && c.Change == event.ChangeCreated:
		f.Change = event.ChangeModified
	case c.Change == event.ChangeDeleted:
		f.Change = event.ChangeDeleted
	}
}

// denialOf is the denial that a decision is. A call that no tool could take was not denied: the model wrote it wrongly.
func denialOf(s *transcript.State, b event.PermissionDecided) (Denial, bool) {
	if b.Granted || b.Method == event.MethodInvalid {
		return Denial{}, false
	}
	d := Denial{Call: b.Call, Code: b.Code, Rule: b.Rule, Reason: b.Reason}
	if s == nil {
		return d, true
	}
	if c := s.OpenCall(b.Call); c != nil {
		d.Tool, d.Title = c.Name, c.Title
		if d.Reason == "" {
			d.Reason = denied(&b)
		}
	}
	return d, true
}
