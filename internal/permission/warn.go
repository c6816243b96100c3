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

// A loss is a way in which commands lose something for good: these programs, with
// one of these subcommands where any are named, and with one of the marks that
// follow where there are any.
type loss struct {
	programs, subs map[string]bool
	letters        string          // of an option such as -rf
	words          map[string]bool // also options such as --force, which may be --force=x
	begins         string          // what a word begins with
	open           bool            // further words come when it runs
}

var losses = []loss{
	{programs: set("rm"), letters: "rRf", words: set("--recursive --force"), open: true},
	{programs: set("rmdir unlink"), open: true},
	{programs: set("chmod chown chgrp"), letters: "R", words: set("--recursive")},
	{programs: set("git"), subs: set("push"), letters: "fd", begins: "+",
		words: set("--force --force-with-lease --mirror --delete --prune")},
	{programs: set("git"), subs: set("reset"), words: set("--hard --merge")},
	{programs: set("git"), subs: set("clean"), letters: "f", words: set("--force")},
	{programs: set("git"), subs: set("branch tag"), letters: "Dd", words: set("--delete")},
	{programs: set("git"), subs: set("checkout switch"), letters: "f", words: set("--force --discard-changes . --")},
	{programs: set("git"), subs: set("restore filter-branch filter-repo")},
	{programs: set("git"), subs: set("stash"), words: set("drop clear")},
	{programs: set("git"), subs: set("reflog"), words: set("expire delete")},
	{programs: set("find"), words: set("-delete")},
	{programs: set("kill"), words: set("-9 -1 -KILL")},
	{programs: set("crontab"), words: set("-r")},
	{programs: set("killall pkill truncate dropdb")},
	{programs: set("kubectl terraform tofu helm pulumi"), subs: set("delete destroy uninstall drain")},
	{programs: set("docker podman"), words: set("prune")},
	{programs: set("docker podman"), subs: set("rm rmi kill")},
	{programs: wreckers},
}

// destroys says what a command may lose for good, or nothing.
func destroys(c command, name string) string {
	sub := subcommand(c)
	if strings.HasPrefix(name, "mkfs.") || slices.ContainsFunc(losses, func(l loss) bool { return l.of(c, name, sub) }) {
		return shorten(c.String())
	}
	return ""
}

func (l loss) of(c command, name, sub string) bool {
	if !l.programs[name] || l.subs != nil && !l.subs[sub] {
		return false
	}
	if l.words == nil && !l.open {
		return true
	}
	return l.open && c.open || slices.ContainsFunc(c.words[1:], l.marked)
}

func (l loss) marked(w word) bool {
	option, _, _ := strings.Cut(w.text, "=")
	switch {
	case l.words[w.text]:
		return true
	case strings.HasPrefix(w.text, "--"):
		return l.words[option]
	case strings.HasPrefix(w.text, "-"):
		return strings.ContainsAny(w.text, l.letters)
	}
	return l.begins != "" && strings.HasPrefix(w.text, l.begins)
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
