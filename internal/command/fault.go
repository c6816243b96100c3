package command

import (
	"errors"
	"fmt"
	"time"

	"parley/internal/event"
)

// A Code is the class of a fault.
type Code = event.Code

// The codes of a fault, as commands name them.
const (
	Invalid  = event.CodeInvalid
	NotFound = event.CodeNotFound
	Busy     = event.CodeBusy
	Denied   = event.CodeDenied
	Closed   = event.CodeClosed
	Canceled = event.CodeCanceled
	Limit    = event.CodeLimit
	Provider = event.CodeProvider
	Tool     = event.CodeTool
	Internal = event.CodeInternal
)

// A Fault is what a client is told of a failure: what happened, to what, and
// what to do. It never holds a secret.
type Fault struct {
	Code    Code
	Message string
	Retry   time.Duration // try again after this long; zero: no advice
}

// Error makes a Fault an error.
func (f *Fault) Error() string { return string(f.Code) + ": " + f.Message }

// Faultf makes a fault.
func Faultf(code Code, format string, args ...any) *Fault {
	return &Fault{Code: code, Message: fmt.Sprintf(format, args...)}
}

// FaultOf returns the fault inside err. Anything else becomes internal with a
// message that gives nothing away; the caller logs err in full.
func FaultOf(err error) *Fault {
	var f *Fault
	if errors.As(err, &f) {
		return f
	}
	return &Fault{Code: Internal, Message: "internal error; the daemon's log says more"}
}
