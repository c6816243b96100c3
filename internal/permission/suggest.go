package permission

import (
	"path"
	"slices"
	"strings"
)

// Suggest returns the narrowest rules that people would write to allow the
// call; together they do, where no deny or ask rule stands against it.
func Suggest(c Call) []Rule {
	list, _ := acts(c)
	rules, _ := suggest(c, list)
	return rules
}

// suggest also says whether the rules are narrow enough to be offered as an
// answer: none of them opens more than the person has seen.
func suggest(c Call, list []act) (rules []Rule, narrow bool) {
	narrow = true
	for _, a := range list {
		if a.hidden || a.free {
			continue
		}
		rule, ok := a.rule(c)
		if rule.tool == c.Tool && rule.Bare() {
			return []Rule{rule}, ok
		}
		narrow = narrow && ok
		if !slices.Contains(rules, rule) {
			rules = append(rules, rule)
		}
	}
	if len(rules) == 0 && c.line() {
		for _, a := range list {
			if rule, ok := a.rule(c); a.free && ok && !slices.Contains(rules, rule) {
				rules = append(rules, rule)
			}
		}
	}
	if len(rules) == 0 {
		return []Rule{bare(c)}, false
	}
	return rules, narrow
}

func bare(c Call) Rule { return Rule{tool: c.Tool, kind: c.Kind, family: c.family()} }

// rule is the narrow rule for one act, or the one on the whole tool where
// there is none.
func (a act) rule(c Call) (rule Rule, narrow bool) {
	narrow = true
	switch a.kind {
	case actCommand:
		rule, narrow = a.cmd.rule(c)
	case actPath:
		rule = Rule{tool: a.family, kind: KindPath, family: a.family, pattern: exactGlob(a.path, c.Home)}
	case actHost:
		rule, _ = parseHostPattern(plainHost(a.text))
		rule.tool, rule.family, rule.kind = a.family, a.family, KindHost
	case actName:
		rule, _ = parseNamePattern(strings.TrimSpace(a.text))
		rule.tool, rule.family = a.family, a.family
	case actDynamic, actUnknown:
		return bare(c), false
	case actCall:
		return bare(c), !c.line()
	}
	// A text that does not survive being written and read is no rule.
	if !rule.survives() || !a.covers(compile([]Scoped{{Rule: rule, Effect: EffectAllow}}, c)[0], c) {
		return bare(c), false
	}
	return rule, narrow
}

// exactGlob is the glob for one path.
func exactGlob(p Path, home string) string {
	switch {
	case p.Inside && (p.Rel == "" || p.Rel == "."):
		return "**"
	case p.Inside && strings.HasPrefix(p.Rel, "~"):
		return `\` + escapeGlob(p.Rel)
	case p.Inside:
		return escapeGlob(p.Rel)
	case home != "" && home != "/" && p.Abs != home && below(home, p.Abs):
		return "~" + escapeGlob(strings.TrimPrefix(p.Abs, path.Clean(home)))
	}
	return escapeGlob(p.Abs)
}

// widerGlob is the glob for the folder around the path, or for the folder that
// it is; the path itself where that would say too much.
func widerGlob(p Path, folder bool, home string) string {
	exact := exactGlob(p, home)
	dir := path.Dir(exact)
	if folder {
		dir = exact
	}
	top := strings.HasPrefix(dir, "/") && path.Dir(dir) == "/" // /etc says too much
	if exact == "**" || p.Abs == home || dir == "." || dir == "~" || top || secret(p.Abs) || p.Inside && inGuarded(p.Rel) {
		return exact
	}
	return dir + "/**"
}

// depth is how many words name what a program does, where it is not one.
// Longer names count first.
var depth = map[string]int{
	"apt": 2, "apt-get": 2, "aws": 3, "brew": 2, "bun": 2, "bun run": 3, "bundle": 2, "bundle exec": 3, "cargo": 2,
	"composer": 2, "deno": 2, "deno task": 3, "docker": 2, "docker compose": 3, "dotnet": 2, "gcloud": 3, "gem": 2,
	"gh": 3, "git": 2, "git remote": 3, "git stash": 3, "git submodule": 3, "git worktree": 3, "go": 2, "go mod": 3,
	"go run": 3, "go tool": 3, "gradle": 2, "helm": 2, "hg": 2, "jj": 2, "just": 2, "kubectl": 2, "make": 2, "mix": 2,
	"mvn": 2, "npm": 2, "npm run": 3, "npx": 2, "pip": 2, "pip3": 2, "pnpm": 2, "pnpm run": 3, "poetry": 2,
	"poetry run": 3, "rails": 2, "rake": 2, "svn": 2, "systemctl": 2, "task": 2, "terraform": 2, "tofu": 2, "uv": 2,
	"uv run": 3, "uvx": 2, "yarn": 2, "yarn run": 3, "zig": 2,
}

// interpreters run what they are given: a rule must name the script.
var interpreters = set("bun deno groovy julia lua node nodejs osascript perl php pwsh python python2 python3 rscript ruby tclsh ts-node tsx")

// careful programs and subcommands do harm with other arguments than those
// that were seen: only the very command is offered.
var careful = set("awk cd chgrp chmod chown cp crontab curl dd doas ed env ex expect gawk gdb halt http https install " +
	"kill killall ln m4 mawk mkfs mv nc ncat netcat parallel patch pkexec pkill poweroff printenv reboot rm rmdir rsync scp " +
	"sed sftp shred shutdown socat ssh su sudo systemctl tar tee telnet truncate unlink vi vim watch wget xargs")

var carefulSub = map[string]map[string]bool{
	"git":     set("apply am branch bisect checkout clean clone config filter-branch push rebase reflog reset restore rm submodule switch tag update-ref"),
	"go":      set("env generate get install"),
	"npm":     set("config exec publish x"),
	"pnpm":    set("dlx exec publish"),
	"yarn":    set("dlx exec publish"),
	"bun":     set("publish x"),
	"cargo":   set("install publish"),
	"pip":     set("install uninstall"),
	"pip3":    set("install uninstall"),
	"docker":  set("build cp exec kill rm rmi run system volume"),
	"kubectl": set("apply create delete drain edit exec patch replace scale"),
	"gh":      set("api auth secret"),
	"helm":    set("delete install uninstall upgrade"),
	"brew":    set("install uninstall"),
	"apt":     set("install purge remove"),
	"apt-get": set("install purge remove"),
	"uv":      set("pip run tool"),

	"terraform": set("apply destroy import state"),
	"tofu":      set("apply destroy import state"),
}

// rule is the rule a person would write for the command in the call.
func (c command) rule(in Call) (rule Rule, narrow bool) {
	if c.inner != nil {
		return c.inner.rule(in)
	}
	known := 0
	for known < len(c.words) && c.words[known].static {
		known++
	}
	n, whole := c.named()
	if !whole && max(n, c.need) <= known && c.need != exactly {
		return commandRule(in, c.words[:max(n, c.need)], true), true
	}
	if known == len(c.words) && !c.open {
		return commandRule(in, c.words, false), true
	}
	if c.need > known {
		return bare(in), false
	}
	return commandRule(in, c.words[:known], true), false
}

// named is how many words name what the command does; whole says that only all
// of them do.
func (c command) named() (n int, whole bool) {
	name, sub := c.name(), c.arg(1)
	if careful[name] || carefulSub[name][sub] || shells[name] && c.need == exactly ||
		wreckers[name] || strings.HasPrefix(name, "mkfs.") || slices.ContainsFunc(c.words[1:], word.secret) {
		return 0, true
	}
	if interpreters[name] && depth[name] == 0 {
		switch {
		case sub == "-m" && len(c.words) > 2:
			return 3, false
		case sub == "" || strings.HasPrefix(sub, "-"):
			return 0, true
		}
		return 2, false
	}
	n = max(depth[name+" "+sub], depth[name], 1)
	if n > len(c.words) {
		return 0, true
	}
	for i := 1; i < n; i++ {
		if strings.HasPrefix(c.arg(i), "-") {
			return 0, true
		}
	}
	return n, false
}

func commandRule(in Call, words []word, prefix bool) Rule {
	return Rule{tool: in.family(), kind: KindCommand, family: in.family(), pattern: formatWords(words), prefix: prefix}
}
