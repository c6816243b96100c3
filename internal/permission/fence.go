package permission

import (
	"path"
	"slices"
	"strings"

	"parley/internal/host"
)

// leave decides about a command that is to run outside of the fence: no rule
// may deny the command, and a rule of its own kind, or a person, has to allow
// that it leaves.
func (p Policy) leave(c Call) Verdict {
	if o := p.outcome(p.read(c)); o.effect == EffectDeny && len(o.rules) > 0 {
		return Deny{Rule: ruleText(o.rules), Scope: nearest(o.rules), Reason: o.reason}
	}
	v := Decide(p, c.leaving())
	ask, ok := v.(Ask)
	if !ok {
		return v
	}
	ask.Warnings = slices.Insert(ask.Warnings, 0, Warning{LevelWarn, "outside the fence: it runs with all of your rights"})
	for i := range ask.Options {
		ask.Options[i].Outside = ask.Options[i].Effect == EffectAllow
	}
	return ask
}

// leaving is the call that a command makes when it wants out of the fence.
func (c Call) leaving() Call {
	c.Outside, c.Fence = false, ""
	c.Tool, c.Family, c.Kind = Outside, "", KindCommand
	return c
}

// outside is the answer that lets one command run outside of the fence; none
// where a rule says that nothing does.
func (p Policy) outside(c Call) []Option {
	if c.Fence == "" {
		return nil
	}
	if o := p.outcome(p.read(c.leaving())); o.effect == EffectDeny {
		return nil
	}
	return []Option{{Key: "o", Label: "allow once, outside the fence", Effect: EffectAllow, Scope: ScopeOnce, Outside: true}}
}

// Connecting is the call that a command makes when it wants to connect to a host.
func (c Call) Connecting(host string) Call {
	return Call{Tool: Connect, Kind: KindHost, Host: host, Root: c.Root, Home: c.Home}
}

// Denied says which files deny rules keep from a family: those that they name
// outright, absolute, and patterns of others, each below a folder. A rule on all of
// a family's calls names no file.
func (p Policy) Denied(family, root, home string) (named []string, patterns []Pattern) {
	for _, s := range p.Rules {
		glob := s.Rule.pattern
		if s.Effect != EffectDeny || glob == "" || s.Rule.kind != KindPath || s.Rule.tool != family {
			continue
		}
		base := root
		switch {
		case strings.HasPrefix(glob, "~"):
			base, glob = home, strings.TrimPrefix(strings.TrimPrefix(glob, "~"), "/")
		case strings.HasPrefix(glob, "/"):
			base, glob = "/", glob[1:]
		}
		whole := strings.TrimSuffix(glob, "/**")
		if !strings.ContainsAny(whole, `*?[{\`) {
			named = append(named, path.Join(base, whole))
			continue
		}
		for {
			first, rest, ok := strings.Cut(glob, "/")
			if !ok || strings.ContainsAny(first, `*?[{\`) {
				break
			}
			base, glob = path.Join(base, first), rest
		}
		patterns = append(patterns, Pattern{Below: base, Rule: s.Rule.String(), glob: glob})
	}
	return named, patterns
}

// Pattern is a glob for what is below a folder.
type Pattern struct {
	// Below is the folder, Rule the text of the rule that the pattern is from.
	Below, Rule string
	glob        string
}

// Match reports whether the pattern means a file, by its path below the folder.
func (p Pattern) Match(rel string) bool { return matchGlob(p.glob, rel, true) }

// registries are where package managers fetch from, with what they are redirected to.
var registries = []string{
	"proxy.golang.org", "sum.golang.org", "registry.npmjs.org", "registry.yarnpkg.com", "pypi.org", "files.pythonhosted.org",
	"crates.io", "index.crates.io", "static.crates.io", "rubygems.org", "index.rubygems.org", "repo.maven.apache.org", "repo1.maven.org",
	"plugins.gradle.org", "api.nuget.org", "hex.pm", "repo.hex.pm", "pub.dev", "packagist.org", "repo.packagist.org",
}

// registryAnswers offer all package registries as one, where a host is one of them.
func registryAnswers(c Call) []Option {
	name, _, err := host.Split(c.Host)
	if c.Tool != Connect || err != nil || !slices.Contains(registries, name) {
		return nil
	}
	rules := make([]Rule, len(registries))
	for i, name := range registries {
		rules[i] = Rule{tool: Connect, kind: KindHost, family: Connect, pattern: name}
	}
	return []Option{
		{Key: "g", Label: "allow the package registries for this session", Effect: EffectAllow, Scope: ScopeSession, Rules: rules},
		{Key: "G", Label: "allow the package registries always in this project", Effect: EffectAllow, Scope: ScopeProject, Rules: rules},
	}
}
