package journal

import (
	"errors"
	"fmt"
	"strings"
	"syscall"

	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/scarce"
	"parley/internal/transcript"
)

// A Refusal says which laws an event would have violated. Nothing of its batch
// was kept.
type Refusal struct {
	Event      event.Event
	Violations []transcript.Violation
}

// Error names the event and each law.
func (r *Refusal) Error() string {
	texts := make([]string, len(r.Violations))
	for i, b := range r.Violations {
		texts[i] = b.Error()
	}
	return fmt.Sprintf("%s refused: %s", r.Event.Kind(), strings.Join(texts, "; "))
}

// failure is an error of the storage: a Fault for clients, the cause for the log.
type failure struct {
	fault *command.Fault
	err   error
}

func (f *failure) Error() string   { return f.fault.Message + ": " + f.err.Error() }
func (f *failure) Unwrap() []error { return []error{f.fault, f.err} }

// ErrFull is what a child wraps where its storage has no room left.
const ErrFull = syscall.ENOSPC

// ErrDamaged is what a child wraps where its storage is not what it wrote.
var ErrDamaged = errors.New("damaged")

// failed makes err a Fault: what was done, to which log, and what to do.
func failed(id event.SessionID, verb string, err error) error {
	if f := (*command.Fault)(nil); err == nil || errors.As(err, &f) {
		return err
	}
	fault := command.Faultf(command.Internal, "cannot %s %s; the daemon's log says more", verb, id)
	switch {
	case scarce.Words(err) != "":
		fault = command.Faultf(command.Limit, "cannot %s %s: %s", verb, id, scarce.Words(err))
	case errors.Is(err, ErrDamaged):
		fault = command.Faultf(command.Internal, "cannot %s %s: its file is damaged", verb, id)
	case errors.Is(err, syscall.EROFS), errors.Is(err, syscall.EACCES), errors.Is(err, syscall.EPERM):
		fault = command.Faultf(command.Internal, "cannot %s %s: its folder cannot be written", verb, id)
	}
	return &failure{fault, err}
}

func closed(id event.SessionID) error {
	return command.Faultf(command.Closed, "the log of %s is closed", id)
}
