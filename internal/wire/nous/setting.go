package nous

import (
	"context"
	"slices"

	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/transcript"
)

// begin makes a session with the family's settings, or those of the session
// that was active, and makes it the active one.
func (h *host) begin(ctx context.Context, c command.Command) (command.Data, *command.Fault) {
	sequential := event.OrderSequential
	settings := event.SettingChanged{Calls: &sequential}
	if id := h.active(); id != "" {
		if s, fault := h.state(ctx, id); fault == nil {
			settings.Steering, settings.FollowUp = &s.Settings.Steering, &s.Settings.FollowUp
			if !s.Settings.AllTools {
				settings.Tools = &s.Settings.Tools
			}
		}
	}
	opened, fault := h.opened(ctx, c, command.Open{}, "")
	if fault != nil {
		return nil, fault
	}
	if fault := h.apply(ctx, c, opened.Session, h.family.over(settings)); fault != nil {
		return nil, fault
	}
	h.SetActive(h.family.name, opened.Session)
	return opened, nil
}

// branch makes a session that goes on from another's leaf; the daemon gives it
// that one's settings.
func (h *host) branch(ctx context.Context, c command.Command) (command.Data, *command.Fault) {
	if _, fault := h.state(ctx, c.Session); fault != nil {
		return nil, fault
	}
	opened, fault := h.opened(ctx, c, c.Body, c.Session)
	if fault != nil {
		return nil, fault
	}
	sequential := event.OrderSequential
	if fault := h.apply(ctx, c, opened.Session, h.family.over(event.SettingChanged{Calls: &sequential})); fault != nil {
		return nil, fault
	}
	opened.Parent = c.Session
	h.SetActive(h.family.name, opened.Session)
	return opened, nil
}

func (h *host) opened(ctx context.Context, c command.Command, b command.Body, id event.SessionID) (command.Opened, *command.Fault) {
	c.Session, c.Body = id, b
	r := h.Daemon.Do(ctx, c)
	opened, ok := r.Data.(command.Opened)
	if r.Fault == nil && !ok {
		r.Fault = command.Faultf(command.Internal, "no session was opened")
	}
	return opened, r.Fault
}

// apply changes the settings of a session.
func (h *host) apply(ctx context.Context, c command.Command, id event.SessionID, change event.SettingChanged) *command.Fault {
	c.Session, c.Body = id, command.Set{SettingChanged: change}
	return h.Daemon.Do(ctx, c).Fault
}

// settle gives a session the family's settings where it has others, because another
// client made it or the settings changed since it was active.
func (h *host) settle(ctx context.Context, c command.Command, s *transcript.State) *command.Fault {
	want := h.family.over(event.SettingChanged{})
	var change event.SettingChanged
	if want.Steering != nil && *want.Steering != s.Settings.Steering {
		change.Steering = want.Steering
	}
	if want.FollowUp != nil && *want.FollowUp != s.Settings.FollowUp {
		change.FollowUp = want.FollowUp
	}
	if want.Tools != nil && (s.Settings.AllTools || !slices.Equal(*want.Tools, s.Settings.Tools)) {
		change.Tools = want.Tools
	}
	if change == (event.SettingChanged{}) {
		return nil
	}
	return h.apply(ctx, c, s.Session, change)
}

// set changes the family's settings, at once in the active session and in the
// one that runs.
func (h *host) set(ctx context.Context, c command.Command, b command.Set) (command.Data, *command.Fault) {
	change := b.SettingChanged
	if change.Tools != nil {
		names, fault := h.tools(ctx, c, *change.Tools)
		if fault != nil {
			return nil, fault
		}
		change.Tools = &names
	}
	h.family.mu.Lock()
	h.family.settings = overlay(h.family.settings, change)
	h.family.mu.Unlock()
	ids := []event.SessionID{h.active()}
	s, fault := h.running(ctx)
	if fault != nil {
		return nil, fault
	}
	if s != nil && s.Session != ids[0] {
		ids = append(ids, s.Session)
	}
	for _, id := range ids {
		if id == "" {
			continue
		}
		if fault := h.apply(ctx, c, id, change); fault != nil && fault.Code != command.NotFound {
			return nil, fault
		}
	}
	return command.Changed{Settings: b.SettingChanged}, nil
}

// tools maps the names of a client to ours. What the protocol has no name for
// stays callable.
func (h *host) tools(ctx context.Context, c command.Command, names []string) ([]string, *command.Fault) {
	out := make([]string, 0, len(names))
	for _, name := range names {
		if name = ours(name); !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	c.Session, c.Body = "", command.Read{What: command.ReadTools}
	r := h.Daemon.Do(ctx, c)
	if r.Fault != nil {
		return nil, r.Fault
	}
	all, _ := r.Data.(command.Tools)
	for _, t := range all.Tools {
		if !named(t.Name) {
			out = append(out, t.Name)
		}
	}
	return out, nil
}

// over returns c with the family's settings in place of its own.
func (f *Family) over(c event.SettingChanged) event.SettingChanged {
	f.mu.Lock()
	defer f.mu.Unlock()
	return overlay(c, f.settings)
}

func overlay(under, over event.SettingChanged) event.SettingChanged {
	if over.Steering != nil {
		under.Steering = over.Steering
	}
	if over.FollowUp != nil {
		under.FollowUp = over.FollowUp
	}
	if over.Tools != nil {
		under.Tools = over.Tools
	}
	return under
}
