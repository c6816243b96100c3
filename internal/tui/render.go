package tui

import "fmt"

// A SyncPhase says how far the terminal's scrollback follows the log.
type SyncPhase int

// The phases of the scrollback.
const (
	SyncIdle            SyncPhase = iota
	NeedsInsert                   // lines are being written
	InsertedNeedsRedraw           // they are written: one frame follows that shows the cursor
)

// A ConfirmPhase says how far an ask is on its way to the user.
type ConfirmPhase int

// The phases of an ask.
const (
	ConfirmNone    ConfirmPhase = iota
	ConfirmPending              // keys are not for it yet: they go into the draft
	ConfirmActive
)

// A CursorPhase says what is meant to become of the cursor.
type CursorPhase int

// The phases of the cursor. A busy screen paints the cursor itself (see Caret);
// that too is visible at the composer.
const (
	VisibleAtComposer CursorPhase = iota
	HiddenDuringScrollbackInsert
)

func (p SyncPhase) String() string {
	return [...]string{"Idle", "NeedsInsert", "InsertedNeedsRedraw"}[p]
}
func (p ConfirmPhase) String() string { return [...]string{"None", "Pending", "Active"}[p] }
func (p CursorPhase) String() string {
	return [...]string{"VisibleAtComposer", "HiddenDuringScrollbackInsert"}[p]
}

// A RenderState is where the renderer stands, in rows at the current width. The
// row numbers are derived: the truth of the boundary is Upto, in source units,
// so a resize can neither repeat nor lose a line.
type RenderState struct {
	WrappedTotal  int // rows of the log since it was last cleared
	VisibleStart  int // the first row of it that is live
	VisibleEnd    int
	InsertedUntil int // rows that the scrollback owns
	Sync          SyncPhase
	Confirm       ConfirmPhase
	Cursor        CursorPhase

	Upto   Mark
	Epoch  int  // of the log: how often it was cleared
	Drawn  bool // since the ask was opened
	Asking bool // an ask is open
}

// check returns what breaks the invariants of a state, given the one before.
func (r RenderState) check(before RenderState) error {
	switch {
	case r.InsertedUntil > r.VisibleStart || r.VisibleStart > r.VisibleEnd || r.VisibleEnd > r.WrappedTotal || r.InsertedUntil < 0:
		return fmt.Errorf("rows are not in order: inserted %d, visible %d to %d, total %d", r.InsertedUntil, r.VisibleStart, r.VisibleEnd, r.WrappedTotal)
	case r.Epoch == before.Epoch && r.Upto.Less(before.Upto):
		return fmt.Errorf("the boundary moved back from %v to %v", before.Upto, r.Upto)
	case r.Confirm == ConfirmActive && before.Confirm == ConfirmNone:
		return fmt.Errorf("an ask became active without being pending")
	case r.Confirm == ConfirmActive && before.Confirm == ConfirmPending && (!r.Drawn || r.Sync == NeedsInsert):
		return fmt.Errorf("an ask became active before it was drawn (drawn %v, sync %v)", r.Drawn, r.Sync)
	case (r.Confirm != ConfirmNone) != r.Asking:
		return fmt.Errorf("confirm phase %v, ask open %v", r.Confirm, r.Asking)
	case r.Sync != SyncIdle && r.Cursor != HiddenDuringScrollbackInsert:
		return fmt.Errorf("the cursor is not hidden in %v", r.Sync)
	case r.Sync == SyncIdle && r.Cursor != VisibleAtComposer:
		return fmt.Errorf("the cursor stays hidden in %v", r.Sync)
	}
	return nil
}
