package session

import (
	"context"

	"parley/internal/agent"
	"parley/internal/command"
	"parley/internal/event"
)

// retries is how often a summary is asked for again that a client waits for: nobody sees how long.
const retries = 4

// Compact summarises the older entries with the session's model. It is refused
// while a run is open.
func (s *Session) Compact(ctx context.Context, who Client, b command.Compact,
	summarize func(context.Context, *agent.Setup, agent.Log, string) (command.Compacted, *command.Fault)) (command.Data, *command.Fault) {
	if s.Running() {
		return nil, command.Faultf(command.Busy, "a run is open in %s", s.ID())
	}
	state := s.log.State()
	// A session is summarised by the model that it has, or that answered last.
	setup, fault := s.options.Prepare(ctx, state, who, command.Prompt{Text: "compact", Model: state.Model(), Patience: &event.Patience{Retries: retries}})
	if fault != nil {
		return nil, fault
	}
	data, fault := summarize(ctx, setup, &runLog{s}, b.Instruction)
	if fault != nil {
		return nil, fault
	}
	return data, nil
}
