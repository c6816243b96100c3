package agent

import (
	"context"
	"fmt"

	"parley/internal/event"
	"parley/internal/transcript"
)

// misfits is how often a run answers again whose answer does not fit its schema.
const misfits = 3

// shaped reports whether the answer of the open turn is as it was asked for. Where it is not, the model is told why and
// answers again; after misfits of that the turn has failed.
func (r *Run) shaped(logged context.Context, tried *int) (outcome, error) {
	if r.setup.Shape == nil {
		return stepDone, nil
	}
	var parts []transcript.Part
	if s := r.log.State(); s.Turn != nil {
		parts = transcript.Conclusion(s.Turn.Parts)
	}
	wrong := r.setup.Shape.Check((&transcript.Content{Parts: parts}).Answer())
	if wrong == nil {
		return stepDone, nil
	}
	if *tried++; *tried > misfits {
		return stepFailed, r.emit(logged, event.FaultRaised{Code: event.CodeInvalid, Message: fmt.Sprintf("the answer does not fit its schema, nor did it after %d more tries: %s", misfits, wrong)})
	}
	return stepMore, r.emit(logged, event.DeveloperSaid{Origin: event.ReminderSchema, Text: fmt.Sprintf(
		"Your answer does not fit the schema: %s. Answer again: the JSON value and nothing else.", wrong)})
}

// askShape tells the model which schema its answer has to fit.
func (r *Run) askShape(logged context.Context) error {
	if r.setup.Shape == nil {
		return nil
	}
	return r.emit(logged, event.DeveloperSaid{Origin: event.ReminderSchema, Text: "When you are done, your last message must be one JSON value that fits this JSON Schema, " +
		"and nothing else: no words around it, no fence.\n\n" + r.setup.Shape.String()})
}
