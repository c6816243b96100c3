package fence

import "errors"

// StepError says at which step a fence could not be made. A command was not started then.
type StepError struct {
	Step   string
	Reason string
	// Err is the system's error, nil where it is not known.
	Err error
}

func (e *StepError) Error() string {
	if e.Reason == "" && e.Err != nil {
		return "the fence: " + e.Step + ": " + e.Err.Error()
	}
	return "the fence: " + e.Step + ": " + e.Reason
}

func (e *StepError) Unwrap() error { return e.Err }

func stepError(step string, err error) error { return &StepError{Step: step, Err: err} }

// ErrClosed is returned by a fence that was closed.
var ErrClosed = errors.New("the fence is closed")
