package server

import (
	"context"
	"os"

	"parley/internal/command"
)

// daemon is what read daemon answers.
func (s *Server) daemon(open int) command.Daemon {
	o := s.options
	return command.Daemon{Version: o.Version, Build: o.Build, PID: os.Getpid(), Store: o.Store.Path(), Listen: o.Listen,
		Started: stamp(s.started), Clients: int(s.clients.Load()), Sessions: open, Running: s.running(), Fence: o.Fence()}
}

// compact summarises a session that is idle, on request.
func (h *Host) compact(ctx context.Context, held *openSession, b command.Compact) (command.Data, *command.Fault) {
	if h.server.options.Summarize == nil {
		return nil, command.Faultf(command.Invalid, "compaction is not available")
	}
	return held.session.Compact(ctx, h.who(), b, h.server.options.Summarize)
}
