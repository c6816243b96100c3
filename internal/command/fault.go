package command

import (
	"errors"
	"fmt"
	"time"
)

// A Code is the class of a fault; dialects map it in one table.
type Code string

// The codes of a fault.
const (
	Invalid  Code = "invalid"   // the request is wrong in itself
	NotFound Code = "not_found" // what it names does not exist
	Busy     Code = "busy"      // not now
	Denied   Code = "denied"    // not allowed
	Closed   Code = "closed"    // what it is about has ended
	Canceled Code = "canceled"  // somebody stopped it
	Limit    Code = "limit"     // a limit was reached
	Provider Code = "provider"  // the model's server failed
	Tool     Code = "tool"      // a tool could not be run
	Internal Code = "internal"  // a defect or the machine; the daemon's log says more
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
