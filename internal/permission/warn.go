package permission

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"parley/internal/shell"
)

// warnings says what a person should know about the call, the worst first.
func (r reading) warnings() []Warning {
	var w warner
	list := r.acts
	if r.call.line() && r.plan == nil {
		list = r.rough
	}
	for _, a := range list {
		switch a.kind {
		case actPath:
			w.path(a.path)
		case actCommand:
			w.command(a.cmd)
		case actHost:
			w.add(LevelInfo, "network: connects to %s", a.text)
		case actUnknown:
			w.add(LevelWarn, "dynamic shell: runs something that cannot be read beforehand")
		case actCall, actName, actLine:
		}
	}
	for _, dir := range r.line.away {
		w.add(LevelWarn, "outside the workspace: cd to %s", dir)
	}
	downloads := func(c command) bool { return slices.Contains(shell.Risks(c.args), shell.RiskDownloads) }
	if slices.ContainsFunc(r.line.commands, downloads) && slices.ContainsFunc(r.line.commands, func(c command) bool { return c.obeys() }) {
		w.add(LevelDanger, "network: runs what it downloads")
	}
	slices.SortStableFunc(w, func(a, b Warning) int { return severity(b.Level) - severity(a.Level) })
	return w
}

// obeys reports whether the command runs what it reads.
func (c command) obeys() bool {
	return interpreters[c.name()] && !slices.ContainsFunc(c.args[1:], func(a shell.Arg) bool { return !strings.HasPrefix(a.Text, "-") })
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

func (w *warner) command(c command) {
	if c.name() == "" {
		return
	}
	text, use := shorten(c.String()), c.name()
	if n := shell.Depth(c.texts()); n > 1 {
		use = shorten(strings.Join(c.texts()[:n], " "))
	}
	for _, risk := range shell.Risks(c.args) {
		switch risk {
		case shell.RiskLoses:
			w.add(LevelDanger, "destructive: %s", text)
		case shell.RiskRaises:
			w.add(LevelDanger, "runs with the rights of another user: %s", c.name())
		case shell.RiskPublishes:
			w.add(LevelWarn, "publishes: %s", use)
		case shell.RiskConnects:
			w.add(LevelWarn, "network: %s", use)
		case shell.RiskReaches:
			w.add(LevelInfo, "network: %s", use)
		case shell.RiskDownloads, shell.RiskChanges:
		}
	}
	if in := shell.Inside(c.args); len(in.Texts) > 0 || in.Unknown && interpreters[c.name()] {
		w.add(LevelWarn, "dynamic shell: %s", text)
	}
	for _, a := range c.args[1:] {
		if secretWord(a.Text) {
			w.add(LevelWarn, "secrets: %s", shorten(a.Text))
		}
	}
}

// secretWord reports whether the word names a file of secrets, also as --x=FILE or @FILE.
func secretWord(text string) bool {
	if _, value, ok := strings.Cut(text, "="); ok {
		text = value
	}
	return secret(strings.TrimPrefix(text, "@"))
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
