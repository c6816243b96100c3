package nous

import (
	"slices"

	"parley/internal/event"
	"parley/internal/transcript"
)

// builtins are the tools that a client may name.
var builtins = []string{"read", "bash", "edit", "write", "grep", "ls", "find"}

// renamed is the one tool with another name here.
var renamed = map[string]string{"find": "glob"}

// ours returns our name of one of the builtins.
func ours(name string) string {
	if to, ok := renamed[name]; ok {
		return to
	}
	return name
}

// theirs returns the protocol's name of a tool. One that it has no name for
// keeps its own.
func theirs(name string) string {
	for from, to := range renamed {
		if to == name {
			return from
		}
	}
	return name
}

// named reports whether the protocol has a name for our tool.
func named(name string) bool { return slices.Contains(builtins, theirs(name)) }

// skippedText is the text of the original for a call that a steer skipped.
const skippedText = "Skipped due to queued user message."

// outcome is how a call is shown: a warning where it did not succeed, and the text
// that becomes part of the assistant's message.
func outcome(c *transcript.Call) (warning *warningEvent, text string) {
	end := c.Ended
	bad := func(code, message string) (*warningEvent, string) {
		return &warningEvent{Code: code, Message: message}, "tool_error: " + message
	}
	switch end.Status {
	case event.StatusSuccess:
		return nil, end.Result
	case event.StatusSkipped:
		return bad("tool_execution_skipped", skippedText)
	case event.StatusDenied:
		return bad("tool_blocked", "tool_blocked: "+end.Result)
	case event.StatusError:
		if c.Decided != nil && !c.Decided.Granted {
			return bad(refused(c.Decided.Code, end))
		}
	case event.StatusAborted, event.StatusLost:
	}
	return bad("tool_execution_error", end.Result)
}

// refused is the warning of the original for a call that could not run.
func refused(why event.Refusal, end *event.CallEnded) (code, message string) {
	switch why {
	case event.RefusedInactiveTool:
		return "tool_not_active", "tool_not_active: " + theirs(end.Name)
	case event.RefusedUnknownTool:
		return "tool_not_found", "tool_not_found: " + end.Name
	}
	return "tool_validation_error", "validation_failed: " + end.Result
}

// answerText is an answer as the protocol stores it: the text that message_update
// carried, which includes the results of calls.
func answerText(c *transcript.Content) string {
	var out []byte
	for _, part := range c.Parts {
		for _, b := range part.Blocks {
			if b.Role == event.RoleText {
				out = append(out, b.Text...)
			}
		}
		for _, call := range part.Calls {
			if call.Ended != nil {
				_, text := outcome(call)
				out = append(out, text...)
			}
		}
	}
	return string(out)
}
