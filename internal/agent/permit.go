package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"parley/internal/event"
	"parley/internal/llm"
	"parley/internal/permission"
	"parley/internal/tool"
	"parley/internal/transcript"
)

type stopFlag = atomic.Bool

// grant is the outcome of a permission: durable when it is returned.
type grant struct {
	ok        bool
	targets   tool.Targets
	arguments json.RawMessage
	change    tool.Change // that was shown to whoever allowed it
	edited    bool        // the arguments are a person's
	outside   bool        // what was asked about was to run outside the fence
}

// permit decides a call and records the decision. A call that is not granted
// has ended when it returns.
func (b *stepCalls) permit(ctx context.Context, t tool.Tool, c tool.Call) (grant, error) {
	g := grant{arguments: c.Arguments}
	question, done, err := b.subject(ctx, t, c, &g)
	if !done {
		return grant{}, nil // the run's closing ends the call
	}
	if err != nil {
		return g, b.refuse(llm.ToolCall{ID: c.ID, Name: c.Name, Arguments: c.Arguments}, event.RefusedArguments, misfit(c.Name, err))
	}
	verdict := b.run.decide(question)
	switch v := verdict.(type) {
	case permission.Allow:
		return b.allow(c, g, v)
	case permission.Deny:
		return g, b.forbid(c, v)
	case permission.Ask:
		return b.ask(ctx, t, c, g, question, v)
	}
	return g, fmt.Errorf("decide %s: unknown verdict %T", c.Name, verdict)
}

// subject is what is decided about a call, whose targets the grant gets. It is not done where ctx ended first.
func (b *stepCalls) subject(ctx context.Context, t tool.Tool, c tool.Call, g *grant) (q permission.Call, done bool, err error) {
	q, done = tool.Within(ctx, func() (q permission.Call) {
		if g.targets, err = t.Targets(b.run.setup.World, c); err == nil {
			q = Question(t, c, g.targets, b.run.setup)
		}
		return q
	})
	return q, done, err
}

// forbid ends a call that a rule denies.
func (b *stepCalls) forbid(c tool.Call, v permission.Deny) error {
	why := "Permission " + v.Reason
	if v.Rule == "" {
		why = "Permission denied: " + v.Reason
	}
	return b.deny(c, event.PermissionDecided{Method: event.MethodRule, Code: event.RefusedRule, Rule: v.Rule, Scope: event.Scope(v.Scope), Reason: why}, why)
}

// decide asks who decides, by the rules that hold now.
func (r *Run) decide(q permission.Call) permission.Verdict { return r.setup.Decide(r.policy(), q) }

// Question is a call as permission sees it.
func Question(t tool.Tool, c tool.Call, ts tool.Targets, setup *Setup) permission.Call {
	spec := t.Spec()
	q := permission.Call{Tool: c.Name, Kind: permission.Kind(spec.Pattern), Family: spec.Family, ReadOnly: spec.ReadOnly,
		Command: ts.Command, Dir: ts.Dir, Host: ts.Host, Name: ts.Name, Root: setup.World.Root, Home: setup.Home,
		Shell: setup.World.Shell, Outside: ts.Outside}
	if q.Command != "" {
		q.Fence = setup.World.Fence
	}
	for _, p := range ts.Paths {
		q.Paths = append(q.Paths, permission.Path{Abs: p.Path, Rel: p.Rel, Inside: p.Inside, Write: p.Write, Below: p.Below})
	}
	if q.Command != "" && setup.World.Resolve != nil {
		for _, name := range permission.Files(q) {
			p := permission.Path{Name: name, Abs: name}
			if target, err := setup.World.Resolve(name); err == nil {
				p.Abs, p.Rel, p.Inside = target.Path, target.Rel, target.Inside
			}
			q.Paths = append(q.Paths, p)
		}
	}
	return q
}

// Policy is the setup's with what answers of the session stored.
func Policy(s *transcript.State, setup *Setup) permission.Policy {
	p := setup.Policy
	if s.Settings.Permission != "" {
		p.Default = permission.Effect(s.Settings.Permission)
	}
	p.Mode = cmp.Or(permission.Mode(s.Settings.Mode), p.Mode)
	if s.Run != nil {
		p.Mode = cmp.Or(permission.Mode(s.Run.Mode), p.Mode)
	}
	for _, stored := range s.Rules {
		if rule, err := setup.Grammar.Rule(stored.Rule); err == nil {
			p = p.With(permission.Scoped{Rule: rule, Effect: permission.Effect(stored.Effect), Scope: permission.Scope(stored.Scope)})
		}
	}
	return p
}

// allowed is the decision of a rule, with where the rule is written, or of no rule
// at all.
func allowed(c tool.Call, g grant, v permission.Allow) event.PermissionDecided {
	d := event.PermissionDecided{Call: event.CallID(c.ID), Granted: true, Scope: event.Scope(v.Scope), Outside: g.targets.Outside}
	d.Method, d.Rule, d.Reason = method(v)
	return d
}

// method is what allowed a call, with the rule and where that is written.
func method(v permission.Allow) (method event.Method, rule, reason string) {
	switch {
	case v.Mode != "":
		return event.MethodMode, "", v.Reason
	case v.Rule != "":
		return event.MethodRule, v.Rule, v.Reason
	}
	return event.MethodFree, "", ""
}

// allow grants what a rule allowed: the plan of a command line goes to the tool as it was decided on.
func (b *stepCalls) allow(c tool.Call, g grant, v permission.Allow) (grant, error) {
	g.ok, g.targets.Plan = true, v.Plan
	d := allowed(c, g, v)
	d.Runs = runs(g.targets)
	return g, b.decide(d)
}

// runs says how the command line of a call runs, where it has one.
func runs(ts tool.Targets) event.Runs {
	switch {
	case ts.Plan != nil:
		return event.RunsPlan
	case ts.Command != "":
		return event.RunsShell
	}
	return ""
}

func (b *stepCalls) decide(d event.PermissionDecided) error { return b.run.emit(b.logged, d) }

func (b *stepCalls) deny(c tool.Call, d event.PermissionDecided, why string) error {
	d.Call = event.CallID(c.ID)
	if d.Stop {
		b.stop.Store(true)
	}
	return b.run.emit(b.logged, d, event.CallEnded{Call: d.Call, Name: c.Name, Status: event.StatusDenied, Result: why})
}

// ask shows the call and waits for whoever answers first.
func (b *stepCalls) ask(ctx context.Context, t tool.Tool, c tool.Call, g grant, q permission.Call, ask permission.Ask) (grant, error) {
	if !b.asking.lock(ctx) {
		return g, nil // the run's closing ends the call
	}
	defer b.asking.unlock()
	// An answer given meanwhile may have stored a rule that covers this call.
	if v, ok := b.run.decide(q).(permission.Allow); ok {
		return b.allow(c, g, v)
	}
	for {
		shown, failed := b.preview(ctx, t, c)
		if failed != nil && !g.edited && b.readable(q) {
			return g, b.refuse(llm.ToolCall{ID: c.ID, Name: c.Name}, event.RefusedArguments, failed.Error())
		}
		if err := b.show(c, shown, failed); err != nil {
			return g, err
		}
		reply, opened, err := b.put(ctx, c, q, ask)
		if err != nil || reply == nil {
			return g, err
		}
		g.change, g.outside = shown.Change, g.targets.Outside
		switch {
		case reply.Outcome != event.OutcomeAllowed:
		case len(reply.Arguments) > 0:
			c.Arguments = tool.Normalise(t, reply.Arguments)
			g.edited, g.arguments, g.change = true, c.Arguments, tool.Change{}
			var done bool
			if q, done, err = b.subject(ctx, t, c, &g); !done {
				return grant{}, nil
			}
			if err != nil {
				return g, b.refuse(llm.ToolCall{ID: c.ID, Name: c.Name}, event.RefusedArguments, err.Error())
			}
			verdict := b.run.decide(q)
			if v, ok := verdict.(permission.Deny); ok { // also for what a person changed
				return g, b.forbid(c, v)
			}
			if v, ok := verdict.(permission.Ask); ok && previews(t) {
				ask = v
				ask.Reason = "changed by " + orSomebody(reply.Who) + ": " + c.Name + " " + tool.Title(t, c.Arguments)
				continue
			}
		case !b.still(ctx, t, c, shown, failed):
			ask.Reason = "what it would do has changed since you were asked"
			continue
		}
		return b.answered(t, c, g, opened, reply.AskClosed)
	}
}

// previews reports whether a tool shows what a call would do: then that has to be seen, and the arguments do not say it all.
func previews(t tool.Tool) bool {
	_, ok := t.(tool.Previewer)
	return ok
}

// put asks, and waits; it returns no reply where nobody is there, or where the run ends first.
func (b *stepCalls) put(ctx context.Context, c tool.Call, q permission.Call, ask permission.Ask) (*tool.Reply, event.AskOpened, error) {
	if !b.run.setup.CanAsk() {
		why := "Permission denied: " + c.Name + " needs to be allowed and nobody is there to ask"
		flags := b.run.help(q)
		if q.Command != "" || flags == "" {
			why += ": " + ask.Reason
		}
		if flags != "" {
			why += ". " + flags + " would allow it."
		} else {
			why += ". No --allow would help."
		}
		return nil, event.AskOpened{}, b.deny(c, event.PermissionDecided{Method: event.MethodUnasked, Code: event.RefusedUnasked, Reason: why}, why)
	}
	opened := permissionAsk(c, ask)
	reply, err := b.run.question(ctx, b.logged, &opened)
	return reply, opened, err
}

// preview is what a call would do; the zero Preview where its tool does not say so, and an error where it would fail.
func (b *stepCalls) preview(ctx context.Context, t tool.Tool, c tool.Call) (tool.Preview, error) {
	if p, ok := t.(tool.Previewer); ok {
		return p.Preview(ctx, b.run.setup.World, c)
	}
	return tool.Preview{}, nil
}

// still reports whether a call would do what was shown, or fail as it did then. A person allows what they saw: if the file
// is another one by then, they are asked anew.
func (b *stepCalls) still(ctx context.Context, t tool.Tool, c tool.Call, shown tool.Preview, failed error) bool {
	now, err := b.preview(ctx, t, c)
	return fmt.Sprint(err) == fmt.Sprint(failed) && now.Change == shown.Change
}

// readable reports whether the model may read what a call would change: then it may be told, without anybody's leave,
// why that fails. Of other files it would learn what they hold.
func (b *stepCalls) readable(q permission.Call) bool {
	q.Tool, q.Family, q.ReadOnly = tool.FamilyRead, tool.FamilyRead, true
	q.Paths = slices.Clone(q.Paths)
	for i := range q.Paths {
		q.Paths[i].Write = false
	}
	_, ok := b.run.decide(q).(permission.Allow)
	return ok
}

// show appends what the call would do, or why it would fail, and that all has been shown.
func (b *stepCalls) show(c tool.Call, v tool.Preview, failed error) error {
	var bodies []event.Body
	switch {
	case failed != nil:
		bodies = append(bodies, event.PermissionPreviewed{Call: event.CallID(c.ID), Tool: c.Name, Summary: failed.Error()})
	case v != tool.Preview{}:
		bodies = append(bodies, event.PermissionPreviewed{Call: event.CallID(c.ID), Tool: c.Name, Diff: v.Diff, Summary: v.Summary, File: v.File, Language: v.Language, Truncated: v.Truncated})
	}
	return b.run.emit(b.logged, append(bodies, event.PermissionReady{Call: event.CallID(c.ID), Tool: c.Name})...)
}

// permissionAsk is what is asked of a person.
func permissionAsk(c tool.Call, ask permission.Ask) event.AskOpened {
	opened := asked(ask)
	opened.Call, opened.Title = event.CallID(c.ID), "Allow "+c.Name+"?"
	return opened
}

// asked is a question with its answers.
func asked(ask permission.Ask) event.AskOpened {
	opened := event.AskOpened{Kind: event.AskPermission, Text: ask.Reason}
	for _, w := range ask.Warnings {
		opened.Warnings = append(opened.Warnings, event.Warning{Level: event.Level(w.Level), Text: w.Text})
	}
	for _, o := range ask.Options {
		option := event.Option{Key: o.Key, Label: o.Label, Effect: event.Effect(o.Effect), Scope: event.Scope(o.Scope), Outside: o.Outside}
		for _, rule := range o.Rules {
			option.Rules = append(option.Rules, rule.String())
		}
		option.Stop = o.Effect == permission.EffectDeny && o.Key == "n"
		opened.Options = append(opened.Options, option)
	}
	return opened
}

// question opens an ask and waits on the log, not on a person: any client may
// answer, or the run's end closes the ask. It returns nil where ctx ended first.
func (r *Run) question(ctx, logged context.Context, q *event.AskOpened) (*tool.Reply, error) {
	var before event.Seq
	err := r.log.Commit(logged, func(s *transcript.State) []event.Event {
		q.Ask, before = s.NextAsk(), s.Seq
		out := newBatch(s)
		out.emit(*q)
		return out.out
	})
	if err != nil {
		return nil, err
	}
	var reply tool.Reply
	closed := false
	err = r.log.Wait(ctx, before, func(e event.Event) bool {
		switch e := e.Body.(type) {
		case event.AskAnswered:
			if e.Ask == q.Ask {
				reply.Answers = append(reply.Answers, e)
			}
		case event.AskClosed:
			if e.Ask == q.Ask {
				reply.AskClosed, closed = e, true
			}
		}
		return closed
	})
	if closed {
		return &reply, nil
	}
	if ctx.Err() != nil {
		return nil, nil
	}
	return nil, err
}

// refusals say why a call does not run, by how its ask was closed.
var refusals = map[event.Method]event.Refusal{event.MethodPerson: event.RefusedPerson, event.MethodTimeout: event.RefusedTimeout}

// answered records the decision that an answer means.
func (b *stepCalls) answered(t tool.Tool, c tool.Call, g grant, opened event.AskOpened, closed event.AskClosed) (grant, error) {
	d := event.PermissionDecided{Call: event.CallID(c.ID), Method: closed.Method, Code: refusals[closed.Method], Who: closed.Who, Reason: closed.Reason, Scope: event.ScopeOnce}
	chosen := option(opened, closed.Key)
	d.Granted = closed.Outcome == event.OutcomeAllowed
	if chosen.Scope != "" {
		d.Scope = chosen.Scope
	}
	if d.Stored = chosen.Rules; len(closed.Rules) > 0 {
		d.Stored = closed.Rules
	}
	if !d.Granted {
		d.Stop = closed.Stop || chosen.Stop && closed.Reason == ""
		if err := b.store(d); err != nil {
			return g, err
		}
		why := "Permission denied by " + orSomebody(closed.Who) + "."
		if closed.Reason != "" {
			why = "Permission denied by " + orSomebody(closed.Who) + ": " + closed.Reason
		}
		return g, b.deny(c, d, why)
	}
	d.Code = ""
	leaves := chosen.Outside && !g.outside
	if g.edited {
		d.Arguments, d.Title = c.Arguments, tool.Title(t, c.Arguments)
	}
	g.targets.Outside = g.targets.Outside || leaves
	d.Outside = g.targets.Outside
	if err := b.store(d); err != nil {
		return g, err
	}
	g.ok, d.Runs = true, runs(g.targets)
	return g, b.decide(d)
}

// option is the answer that was chosen; the zero one where that is none of them.
func option(opened event.AskOpened, key string) event.Option {
	for _, o := range opened.Options {
		if o.Key == key {
			return o
		}
	}
	return event.Option{}
}

// store keeps rules that outlive the session; the others are in the event.
func (b *stepCalls) store(d event.PermissionDecided) error {
	scope := permission.Scope(d.Scope)
	if len(d.Stored) == 0 || scope != permission.ScopeProject && scope != permission.ScopeUser || b.run.setup.Store == nil {
		return nil
	}
	effect := permission.EffectDeny
	if d.Granted {
		effect = permission.EffectAllow
	}
	// The run's own policy was read before; texts that are no rules are refused below.
	rules, _ := b.run.setup.Grammar.Rules(effect, scope, "an answer", d.Stored...)
	b.run.agents.keep(rules...)
	if err := b.run.setup.Store(scope, effect, d.Stored); err != nil {
		return b.run.emit(b.logged, event.NoteAdded{Level: event.LevelWarn, Text: "the rule " + strings.Join(d.Stored, ", ") + " was not kept: " + err.Error(), Source: "permission"})
	}
	return nil
}

func orSomebody(who string) string {
	if who == "" {
		return "the user"
	}
	return who
}

// help is the flags that would have allowed a call; empty where none would.
func (r *Run) help(q permission.Call) string {
	p := r.policy()
	rules := p.Suggest(q)
	for _, rule := range rules {
		p = p.With(permission.Scoped{Rule: rule, Effect: permission.EffectAllow, Scope: permission.ScopeFlag})
	}
	if _, ok := r.setup.Decide(p, q).(permission.Allow); !ok {
		return ""
	}
	return allowFlags(rules)
}

// allowFlags is what a person types to allow these rules.
func allowFlags(rules []permission.Rule) string {
	flags := make([]string, len(rules))
	for i, rule := range rules {
		flags[i] = "--allow '" + strings.ReplaceAll(rule.String(), "'", `'\''`) + "'"
	}
	return strings.Join(flags, " ")
}
