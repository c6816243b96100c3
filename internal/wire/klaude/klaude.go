// Package klaude speaks stream-json: one line for each event, of the form
// {"type":"TaskStartEvent","data":{…}}, with the 26 event classes of the events
// and REPL state machine document and all their fields, null where unknown.
//
// A client sends nothing; what it sends all the same is answered with an
// ErrorEvent. Events of sub-agents are in the stream, under their own session
// id. The stream begins with WelcomeEvent; for a client that joins a session
// with a past, ReplayHistoryEvent comes before it and holds what was said and
// done, as far as the session still knows it; what is open follows as it would
// have come. EndEvent, under the session id "__app__", is the last line.
//
// Guarantees, each held by a test: Start, Delta, End of thinking and of text come
// in this order and are never nested, also in a run that was stopped;
// ResponseCompleteEvent comes exactly once for each response that was completed,
// after them, and its content is what the deltas said; every line is valid by
// docs/klaude.schema.json.
//
// Where the document, the program that it describes and this package differ:
//
//   - Their run is a task, their turn is a step.
//   - ContextUsageEvent was specified and never sent; it is sent here. Its percent
//     is theirs: of the limit less the room for an answer, 32,000 tokens where
//     nothing else is known; of the whole limit where that is no larger.
//   - A call that was denied, skipped, aborted or lost has the status error.
//   - After a failure that ends the run there is ErrorEvent and no
//     TaskFinishEvent; after an interruption there is InterruptEvent and a
//     TaskFinishEvent with the result "task cancelled". Both as the program did.
//   - The usage in TaskMetadataEvent counts what sub-agents cost too; each of
//     them has a TaskMetadataEvent of its own.
//   - response_id is there on every UsageEvent; the program left it out.
//   - The events inside ReplayHistoryEvent carry their types, as lines do; the
//     program lost them.
//   - The line has no blanks outside strings; the program put one after each
//     colon and comma of the outer object.
//   - Nested shapes that neither source gives (llm_config, images, item, ui_extra)
//     are chosen here and fixed in the schema. llm_config never holds a key.
//
// The fields that nothing here can know are in [Unknown].
package klaude

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strconv"
	"time"

	"parley/internal/wire"
)

// Unknown lists the fields that are always null, zero or empty, because Parley
// does not know what they want.
var Unknown = []string{
	"TaskFinishEvent.has_structured_output",
	"TaskMetadataEvent.metadata.main_agent.usage.first_token_latency_ms",
	"TaskMetadataEvent.metadata.main_agent.usage.image_cost",
	"TaskMetadataEvent.metadata.main_agent.usage.image_tokens",
	"TaskMetadataEvent.metadata.main_agent.usage.input_cost",
	"TaskMetadataEvent.metadata.main_agent.usage.cache_read_cost",
	"TaskMetadataEvent.metadata.main_agent.usage.max_tokens",
	"TaskMetadataEvent.metadata.main_agent.usage.output_cost",
	"TaskMetadataEvent.metadata.main_agent.usage.response_id",
	"TaskMetadataEvent.metadata.main_agent.usage.throughput_tps",
	"TaskMetadataEvent.metadata.main_agent.usage.total_cost",
	"TaskMetadataEvent.metadata.sub_agent_task_metadata",
	"TaskStartEvent.sub_agent_state.generation",
	"TaskStartEvent.sub_agent_state.output_schema",
	"TaskStartEvent.sub_agent_state.resume",
	"ToolResultEvent.task_metadata",
	"UsageEvent.usage.cache_read_cost",
	"UsageEvent.usage.first_token_latency_ms",
	"UsageEvent.usage.image_cost",
	"UsageEvent.usage.image_tokens",
	"UsageEvent.usage.input_cost",
	"UsageEvent.usage.max_tokens",
	"UsageEvent.usage.output_cost",
	"UsageEvent.usage.task_duration_s",
	"UsageEvent.usage.throughput_tps",
	"UsageEvent.usage.total_cost",
}

// App is the session id of what belongs to no session.
const App = "__app__"

// A Seconds is a number of seconds. It is written as Python writes a float, with
// a fraction in any case.
type Seconds float64

// MarshalJSON gives a number with a fraction.
func (s Seconds) MarshalJSON() ([]byte, error) {
	b := strconv.AppendFloat(nil, float64(s), 'f', -1, 64)
	if !bytes.ContainsRune(b, '.') {
		b = append(b, ".0"...)
	}
	return b, nil
}

func seconds(t time.Time) Seconds {
	if t.IsZero() {
		return 0
	}
	return Seconds(float64(t.UnixMicro()) / 1e6)
}

// naive is a time as Python's datetime.isoformat gives it without a zone; it is
// UTC here.
func naive(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000") }

// A Line is one line of the stream, and one event of a replayed history.
type Line struct {
	Type string `json:"type"`
	Data any    `json:"data"`
}

func lineOf(e any) Line { return Line{reflect.TypeOf(e).Name(), e} }

func frames(events ...any) []wire.Frame {
	out := make([]wire.Frame, 0, len(events))
	for _, e := range events {
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		// Only strings, numbers and JSON that was decoded before.
		_ = enc.Encode(lineOf(e))
		out = append(out, bytes.TrimSuffix(b.Bytes(), []byte("\n")))
	}
	return out
}
