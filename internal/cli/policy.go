package cli

import (
	"parley/internal/command"
	"parley/internal/config"
	"parley/internal/permission"
	"parley/internal/session"
)

// policy gathers the rules that hold for a run, each with where it is written.
// What the daemon's flags allow is for clients that cannot be asked.
func (e *engine) policy(cfg config.Config, origins config.Origins, root string, c session.Client, p command.Prompt) (permission.Policy, error) {
	var policy permission.Policy
	add := func(scope permission.Scope, origin string, rules config.Permission) error {
		for _, part := range []struct {
			effect permission.Effect
			texts  []string
		}{{permission.EffectAllow, rules.Allow}, {permission.EffectDeny, rules.Deny}, {permission.EffectAsk, rules.Ask}} {
			scoped, err := permission.Rules(part.effect, scope, origin, part.texts...)
			if err != nil {
				return err
			}
			policy = policy.With(scoped...)
		}
		return nil
	}
	daemon := config.Permission{Deny: e.deny}
	if !c.CanAsk {
		daemon.Allow = e.allow
	}
	user, err := e.store.UserRules()
	if err != nil {
		return policy, err
	}
	project, err := e.store.ProjectRules(root)
	if err != nil {
		return policy, err
	}
	for _, from := range []struct {
		scope  permission.Scope
		origin string
		rules  config.Permission
	}{
		{permission.ScopeConfig, "configuration", cfg.Permission},
		{permission.ScopeUser, "your rules", user},
		{permission.ScopeProject, "rules of this project", project},
		{permission.ScopeDaemon, "flags of the daemon", daemon},
		{permission.ScopeFlag, "flags of the prompt", config.Permission{Allow: p.Allow, Deny: p.Deny}},
	} {
		if err := add(from.scope, from.origin, from.rules); err != nil {
			return policy, err // it says where
		}
	}
	return policy, nil
}

// keep stores rules that outlive the session.
func (e *engine) keep(root string, scope permission.Scope, effect permission.Effect, rules []string) error {
	for _, rule := range rules {
		var err error
		if scope == permission.ScopeUser {
			err = e.store.AddUserRule(string(effect), rule)
		} else {
			err = e.store.AddProjectRule(root, string(effect), rule)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
