package permission

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// warnings says what a person should know about the call, the worst first.
func warnings(c Call, list []act, l line) []Warning {
	var w warner
	for _, a := range list {
		switch a.kind {
		case actPath:
			w.path(a.path)
		case actCommand:
			w.command(a.cmd)
		case actHost:
			w.add(LevelInfo, "network: connects to %s", a.text)
		case actDynamic:
			w.add(LevelWarn, "dynamic shell: %s", a.text)
		case actUnknown:
			w.add(LevelWarn, "dynamic shell: runs something that cannot be read beforehand")
		case actCall, actName:
		}
	}
	for _, dir := range l.away {
		w.add(LevelWarn, "outside the workspace: cd to %s", dir)
	}
	if l.unknown && slices.ContainsFunc(l.commands, func(c command) bool { return fetchers[c.name()] }) &&
		slices.ContainsFunc(l.commands, func(c command) bool { return shells[c.name()] }) {
		w.add(LevelDanger, "network: runs what it downloads")
	}
	slices.SortStableFunc(w, func(a, b Warning) int { return severity(b.Level) - severity(a.Level) })
	return w
}

func severity(l Level) int {
	return slices.Index([]Level{LevelInfo, LevelWarn, LevelDanger}, l)
}

type warner []Warning

func (w *warner) add(level Level, format string, args ...any) {
	warning := Warning{level, fmt.Sprintf(format, args...)}
	if !slices.Contains(*w, warning) {
		*w = append(*w, warning)
	}
}

func (w *warner) path(p Path) {
	switch {
	case !p.Inside && p.Write:
		w.add(LevelDanger, "outside the workspace: writes %s", p.Abs)
	case !p.Inside:
		w.add(LevelWarn, "outside the workspace: reads %s", p.Abs)
	case p.Write && inGuarded(p.Rel):
		w.add(LevelDanger, "writes %s, which decides what runs in this workspace", p.Rel)
	}
	name := p.Abs
	if name == "" {
		name = p.Rel
	}
	if secret(name) {
		w.add(LevelWarn, "secrets: %s", p.display())
	}
	if strings.HasPrefix(p.Abs, "/dev/") && p.Write {
		w.add(LevelDanger, "destructive: writes the device %s", p.Abs)
	}
}

// secret reports whether a file of that name usually holds keys or passwords.
func secret(name string) bool {
	name = strings.ToLower(name)
	base := path.Base(name)
	switch base {
	case ".env", ".netrc", ".pgpass", ".npmrc", ".pypirc", ".git-credentials", ".htpasswd", "shadow", "gshadow", "credentials", "kubeconfig":
		return true
	case ".env.example", ".env.sample", ".env.template":
		return false
	}
	if strings.HasPrefix(base, ".env.") || strings.HasPrefix(base, "id_") && !strings.HasSuffix(base, ".pub") && slices.Contains([]string{"id_rsa", "id_dsa", "id_ecdsa", "id_ed25519"}, base) {
		return true
	}
	switch path.Ext(base) {
	case ".pem", ".key", ".p12", ".pfx", ".keystore":
		return true
	}
	for _, dir := range []string{"/.ssh/", "/.gnupg/", "/.aws/", "/.kube/", "/.docker/config.json"} {
		if strings.Contains("/"+name, dir) && !strings.HasSuffix(base, ".pub") {
			return true
		}
	}
	return false
}

var (
	fetchers = set("curl wget http https aria2c")
	remotes  = set("curl wget http https aria2c ssh scp sftp rsync nc ncat netcat socat telnet ftp rsh mosh")
	wreckers = set("dd fdisk mkfs mkswap parted shred sfdisk shutdown reboot halt poweroff wipefs")
	raisers  = set("sudo doas su pkexec runuser")
)

// subcommands that reach out, by program.
var reaching = map[string]map[string]bool{
	"git":     set("clone fetch ls-remote pull push submodule"),
	"go":      set("get install"),
	"npm":     set("ci exec i install publish update"),
	"pnpm":    set("add dlx i install publish update"),
	"yarn":    set("add dlx install publish upgrade"),
	"bun":     set("add install publish update x"),
	"pip":     set("download install"),
	"pip3":    set("download install"),
	"cargo":   set("fetch install publish update"),
	"docker":  set("build pull push run"),
	"kubectl": set("apply create delete exec get logs patch"),
	"apt":     set("install update upgrade"),
	"apt-get": set("install update upgrade"),
	"brew":    set("install update upgrade"),
	"gem":     set("install push update"),
	"gh":      set("api gist issue pr release repo run workflow"),
}

// publishing subcommands change what others see.
var publishing = set("publish push")

func (w *warner) command(c command) {
	name := c.name()
	if name == "" {
		return
	}
	if what := destroys(c, name); what != "" {
		w.add(LevelDanger, "destructive: %s", what)
	}
	sub := subcommand(c)
	switch {
	case raisers[name]:
		w.add(LevelDanger, "runs with the rights of another user: %s", name)
	case remotes[name]:
		w.add(LevelWarn, "network: %s", name)
	case reaching[name][sub] && publishing[sub]:
		w.add(LevelWarn, "network: %s %s", name, sub)
	case reaching[name][sub], name == "npx", name == "uvx", name == "bunx":
		w.add(LevelInfo, "network: %s", strings.TrimSpace(name+" "+sub))
	}
	if shells[name] && c.need == exactly || name == "eval" {
		w.add(LevelWarn, "dynamic shell: %s", shorten(c.String()))
	}
	for _, word := range c.words[1:] {
		if word.secret() {
			w.add(LevelWarn, "secrets: %s", shorten(word.text))
		}
	}
}

// secret reports whether the word names a file of secrets, also as --x=FILE or @FILE.
func (w word) secret() bool {
	text := w.text
	if _, value, ok := strings.Cut(text, "="); ok {
		text = value
	}
	return secret(strings.TrimPrefix(text, "@"))
}

// subcommand is the first word that is no option.
func subcommand(c command) string {
	for i := 1; i < len(c.words); i++ {
		if text := c.arg(i); !strings.HasPrefix(text, "-") {
			return text
		}
	}
	return ""
}

// destroys says what a command may lose for good, or nothing.
func destroys(c command, name string) string {
	flag := func(letters string, long ...string) bool {
		for _, word := range c.words[1:] {
			switch {
			case strings.HasPrefix(word.text, "--"):
				option, _, _ := strings.Cut(word.text, "=")
				if slices.Contains(long, option) {
					return true
				}
			case strings.HasPrefix(word.text, "-") && strings.ContainsAny(word.text, letters):
				return true
			}
		}
		return false
	}
	sub := subcommand(c)
	lost := func(yes bool) string {
		if !yes {
			return ""
		}
		return shorten(c.String())
	}
	switch name {
	case "rm", "rmdir", "unlink":
		return lost(name == "rm" && flag("rRf", "--recursive", "--force") || c.open)
	case "chmod", "chown", "chgrp":
		return lost(flag("R", "--recursive"))
	case "git":
		switch sub {
		case "push":
			plus := slices.ContainsFunc(c.words, func(w word) bool { return strings.HasPrefix(w.text, "+") })
			return lost(plus || flag("fd", "--force", "--force-with-lease", "--mirror", "--delete", "--prune"))
		case "reset":
			return lost(flag("", "--hard", "--merge"))
		case "clean":
			return lost(flag("f", "--force"))
		case "branch", "tag":
			return lost(flag("Dd", "--delete"))
		case "checkout", "switch":
			dot := slices.ContainsFunc(c.words, func(w word) bool { return w.text == "." || w.text == "--" })
			return lost(dot || flag("f", "--force", "--discard-changes"))
		case "restore", "filter-branch", "filter-repo":
			return lost(true)
		case "stash":
			return lost(c.has("drop") || c.has("clear"))
		case "reflog":
			return lost(c.has("expire") || c.has("delete"))
		}
	case "find":
		return lost(c.has("-delete"))
	case "kill", "killall", "pkill":
		return lost(name != "kill" || c.has("-9") || c.has("-1") || c.has("-KILL"))
	case "truncate", "crontab":
		return lost(name == "truncate" || c.has("-r"))
	case "kubectl", "terraform", "tofu", "helm", "pulumi":
		return lost(sub == "delete" || sub == "destroy" || sub == "uninstall" || sub == "drain")
	case "docker", "podman":
		return lost(c.has("prune") || sub == "rm" || sub == "rmi" || sub == "kill")
	case "dropdb":
		return lost(true)
	}
	return lost(wreckers[name] || strings.HasPrefix(name, "mkfs."))
}

func (c command) has(text string) bool {
	return slices.ContainsFunc(c.words, func(w word) bool { return w.text == text })
}

// shorten keeps a command within a line of a question.
func shorten(s string) string {
	const most = 80
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}
