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
	for _, group := range []struct {
		scope  permission.Scope
		origin origin
		rules  config.Permission
	}{
		{permission.ScopeConfig, written(origins), cfg.Permission},
		{permission.ScopeUser, from("your rules"), user},
		{permission.ScopeProject, from("rules of this project"), project},
		{permission.ScopeDaemon, from("flags of the daemon"), daemon},
		{permission.ScopeFlag, from("flags of the prompt"), config.Permission{Allow: p.Allow, Deny: p.Deny}},
	} {
		rules, err := scoped(group.scope, group.origin, group.rules)
		if err != nil {
			return policy, err // it says where
		}
		policy = policy.With(rules...)
	}
	return policy, nil
}

// An origin says where the i-th rule of an effect is written.
type origin func(effect permission.Effect, i int) string

// from is the origin of rules that are all in one place.
func from(place string) origin { return func(permission.Effect, int) string { return place } }

// written is the origin of the configuration's rules: file and line.
func written(origins config.Origins) origin {
	return func(effect permission.Effect, i int) string {
		return origins.List("permission." + string(effect))[i].String()
	}
}

// scoped reads the rules of one scope.
func scoped(scope permission.Scope, at origin, rules config.Permission) ([]permission.Scoped, error) {
	var out []permission.Scoped
	for _, part := range []struct {
		effect permission.Effect
		texts  []string
	}{{permission.EffectAllow, rules.Allow}, {permission.EffectDeny, rules.Deny}, {permission.EffectAsk, rules.Ask}} {
		for i, text := range part.texts {
			read, err := permission.Rules(part.effect, scope, at(part.effect, i), text)
			if err != nil {
				return nil, err
			}
			out = append(out, read...)
		}
	}
	return out, nil
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
