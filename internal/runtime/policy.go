package runtime

import (
	"parley/internal/command"
	"parley/internal/config"
	"parley/internal/permission"
	"parley/internal/session"
)

// policy gathers the rules that hold for a run, each with where it is written.
// What the daemon's flags allow is for clients that cannot be asked.
func (r *Resolver) policy(cfg config.Config, origins config.Origins, root string, c session.Client, p command.Prompt) (permission.Policy, error) {
	var policy permission.Policy
	daemon := config.Permission{Deny: r.o.Deny}
	if !c.CanAsk {
		daemon.Allow = r.o.Allow
	}
	user, err := r.store.UserRules()
	if err != nil {
		return policy, err
	}
	project, err := r.store.ProjectRules(root)
	if err != nil {
		return policy, err
	}
	for _, group := range []struct {
		scope  permission.Scope
		origin origin
		rules  config.Permission
	}{
		{permission.ScopeConfig, configOrigin(origins), cfg.Permission},
		{permission.ScopeUser, oneOrigin("your rules"), user},
		{permission.ScopeProject, oneOrigin("rules of this project"), project},
		{permission.ScopeDaemon, oneOrigin("flags of the daemon"), daemon},
		{permission.ScopeFlag, oneOrigin("flags of the prompt"), config.Permission{Allow: p.Allow, Deny: p.Deny}},
	} {
		rules, err := scoped(r.grammar, group.scope, group.origin, group.rules)
		if err != nil {
			return policy, err // it says where
		}
		policy = policy.With(rules...)
	}
	return policy, nil
}

// An origin says where the i-th rule of an effect is written.
type origin func(effect permission.Effect, i int) string

// oneOrigin is the origin of rules that are all in one place.
func oneOrigin(place string) origin { return func(permission.Effect, int) string { return place } }

// configOrigin is the origin of the configuration's rules: file and line.
func configOrigin(origins config.Origins) origin {
	return func(effect permission.Effect, i int) string {
		return origins.List("permission." + string(effect))[i].String()
	}
}

// scoped reads the rules of one scope.
func scoped(grammar permission.Grammar, scope permission.Scope, at origin, rules config.Permission) ([]permission.Scoped, error) {
	var out []permission.Scoped
	for _, part := range []struct {
		effect permission.Effect
		texts  []string
	}{{permission.EffectAllow, rules.Allow}, {permission.EffectDeny, rules.Deny}, {permission.EffectAsk, rules.Ask}} {
		for i, text := range part.texts {
			read, err := grammar.Rules(part.effect, scope, at(part.effect, i), text)
			if err != nil {
				return nil, err
			}
			out = append(out, read...)
		}
	}
	return out, nil
}

// storeRules keeps rules that outlive the session.
func (r *Resolver) storeRules(root string, scope permission.Scope, effect permission.Effect, rules []string) error {
	for _, rule := range rules {
		var err error
		if scope == permission.ScopeUser {
			err = r.store.AddUserRule(string(effect), rule)
		} else {
			err = r.store.AddProjectRule(root, string(effect), rule)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
