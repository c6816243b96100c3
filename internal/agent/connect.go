package agent

import (
	"context"
	"errors"
	"strings"

	"parley/internal/event"
	"parley/internal/permission"
	"parley/internal/tool"
)

// connect decides about a host that a running command of the call wants to
// connect to, while the connection waits. What cannot be recorded is refused.
func (e *callEffects) connect(ctx context.Context, host string) bool {
	granted := false
	err := e.do(ctx, func(ctx context.Context) (err error) {
		granted, err = e.host(ctx, host)
		return err
	})
	return err == nil && granted
}

// fenced lets the commands of a World ask about hosts, where a fence keeps them
// from these.
func (e *callEffects) fenced(w tool.World) tool.World {
	if w.Fence == "" || w.Exec == nil {
		return w
	}
	exec := w.Exec
	w.Exec = func(ctx context.Context, c tool.Command) (tool.Exit, error) {
		c.Connect = e.connect
		return exec(ctx, c)
	}
	return w
}

func (e *callEffects) host(ctx context.Context, host string) (bool, error) {
	b := e.calls
	setup := b.run.setup
	q := permission.Call{Root: setup.World.Root, Home: setup.Home}.Connecting(host)
	v := b.run.decide(q)
	if _, ask := v.(permission.Ask); ask {
		// One question at a time; the answer to another may have settled this one.
		if !b.asking.lock(ctx) {
			return false, ctx.Err()
		}
		defer b.asking.unlock()
		v = b.run.decide(q)
	}
	d := event.HostDecided{Call: e.call, Host: host}
	switch v := v.(type) {
	case permission.Allow:
		d.Granted, d.Scope = true, event.Scope(v.Scope)
		d.Method, d.Rule, d.Reason = method(v)
	case permission.Deny:
		d.Method, d.Rule, d.Scope, d.Reason = event.MethodRule, v.Rule, event.Scope(v.Scope), v.Reason
	case permission.Ask:
		if !setup.CanAsk() {
			return false, e.unasked(q, d)
		}
		return e.askHost(ctx, d, v)
	}
	return d.Granted, b.run.emit(b.logged, d)
}

// unasked says how a host that nobody could be asked about would have been let
// through.
func (e *callEffects) unasked(q permission.Call, d event.HostDecided) error {
	d.Method, d.Reason = event.MethodUnasked, "nobody is there to ask"
	text := "The fence kept a command from connecting to " + d.Host + "."
	if flags := e.calls.run.help(q); flags != "" {
		text += " " + flags + " would allow it."
	}
	return e.calls.run.emit(e.calls.logged, d, event.NoteAdded{Level: event.LevelWarn, Text: text, Source: "fence"})
}

func (e *callEffects) askHost(ctx context.Context, d event.HostDecided, ask permission.Ask) (bool, error) {
	b := e.calls
	opened := asked(ask)
	opened.Call, opened.Title = d.Call, "Let the command connect to "+d.Host+"?"
	for i := range opened.Options {
		// The command goes on without the host, and the turn with it.
		opened.Options[i].Stop = false
		opened.Options[i].Label = strings.TrimSuffix(opened.Options[i].Label, ", and stop")
	}
	reply, err := b.run.question(ctx, b.logged, &opened)
	if err != nil {
		return false, err
	}
	if reply == nil {
		return false, errors.Join(ctx.Err(), e.withdraw(opened.Ask))
	}
	chosen := option(opened, reply.Key)
	d.Granted, d.Method, d.Who, d.Reason = reply.Outcome == event.OutcomeAllowed, reply.Method, reply.Who, reply.Reason
	d.Scope, d.Stored = chosen.Scope, chosen.Rules
	if len(reply.Rules) > 0 {
		d.Stored = reply.Rules
	}
	if err := b.store(event.PermissionDecided{Granted: d.Granted, Scope: d.Scope, Stored: d.Stored}); err != nil {
		return false, err
	}
	return d.Granted, b.run.emit(b.logged, d)
}
