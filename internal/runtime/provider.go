package runtime

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"parley/internal/agent"
	"parley/internal/catalog"
	"parley/internal/command"
	"parley/internal/config"
	"parley/internal/event"
	"parley/internal/llm/retry"
	"parley/internal/session"
	"parley/internal/transcript"
)

// promptWait is how long a prompt waits for all that servers may say of its model.
const promptWait = time.Second

// policyOf is how a failing server is asked again; nil: until the run is stopped.
func policyOf(p *event.Patience) retry.Policy {
	switch {
	case p == nil:
		return retry.Forever
	case p.MS <= 0 && p.Retries <= 0:
		return retry.Never
	}
	return retry.Policy{Patience: time.Duration(max(0, p.MS)) * time.Millisecond, Attempts: max(0, p.Retries)}
}

// answering puts the model into the setup of a prompt, and how others are put there for sub-agents.
func (r *Resolver) answering(ctx context.Context, setup *agent.Setup, cfg config.Config, env config.Env, dir string, s *transcript.State, p command.Prompt) *command.Fault {
	settings := s.Settings.With(p.Set)
	if e := settings.Reasoning; e != "" && !slices.Contains(catalog.EffortNames, e) {
		return command.Faultf(command.Invalid, "reasoning is %q; it is one of %s", e, strings.Join(catalog.EffortNames, ", "))
	}
	v := r.models.In(cfg, env, promptWait)
	beside, _, _ := strings.Cut(s.Settings.Model, "/")
	if fault := r.setModel(ctx, setup, v, dir, cmp.Or(p.Model, settings.Model, r.o.Model), beside, policyOf(p.Patience)); fault != nil {
		return fault
	}
	setup.Choose = func(to *agent.Setup, model string) *command.Fault {
		return r.setModel(context.WithoutCancel(ctx), to, r.models.In(cfg, env, promptWait), dir, model, to.Provider, policyOf(p.Patience))
	}
	if s.Counts.Runs > 0 && p.Model == "" && p.Set.Model == nil && p.Set.Reasoning == nil {
		return nil // it was told before
	}
	if resolved, err := cfg.Provider(setup.Provider, env); err == nil {
		asked := cmp.Or(settings.Reasoning, setup.Reasoning)
		if word := unfit(setup.ModelName, v.Known(resolved, setup.ModelName), asked); word != "" {
			setup.Notes = append(setup.Notes, word)
		}
	}
	return nil
}

// setModel resolves the model that is meant by a text. What a server does not list is not refused here: some have more
// than they list.
func (r *Resolver) setModel(ctx context.Context, setup *agent.Setup, v View, dir, text, beside string, again retry.Policy) *command.Fault {
	named, fault := v.Find(ctx, text, beside)
	if fault != nil {
		return fault
	}
	p := named.Provider
	if !p.Ready() {
		return noKey(p)
	}
	provider, ok := r.o.Providers.of(p.Type)
	if !ok {
		return command.Faultf(command.Invalid, "provider %s: unknown type %q", p.Name, p.Type)
	}
	known, own := v.Asked(ctx, p, named.Name), p.Model(named.Name)
	setup.Provider, setup.ModelName = p.Name, named.Name
	setup.ContextLimit, setup.ContextGuess = known.Window.Tokens, known.guess()
	setup.MaxOutput = known.answer(own)
	setup.Reasoning = cmp.Or(own.Reasoning, v.cfg.Reasoning)
	setup.Thinker, setup.Images, setup.Cost = known.thinker(), known.images(), known.cost
	o := optionsOf(p, r.models.HTTP(v.env), v.env)
	o.Dir = dir
	made, failed := provider.Model(o, named.Name)
	if failed != nil {
		return command.Faultf(command.Code(failed.Code), "%s", failed.Message)
	}
	setup.Model = retry.Wrap(fitted{made, v, named, known}, retry.Options{Policy: again})
	return nil
}

// Models lists the models that can be asked for.
func (r *Resolver) Models(c session.Client) ([]command.ModelEntry, *command.Fault) {
	env, dir := r.world(c)
	cfg, _, fault := r.load(env, dir)
	if fault != nil {
		return nil, fault
	}
	var out []command.ModelEntry
	choices, _ := r.models.In(cfg, env, promptWait).Choices(context.Background(), false)
	for _, c := range choices {
		if !c.Placeholder {
			out = append(out, command.ModelEntry{Name: c.Name, Context: c.Context, Default: c.Default, Ready: c.Ready})
		}
	}
	return out, nil
}
