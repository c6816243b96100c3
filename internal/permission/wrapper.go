package permission

import (
	"slices"
	"strings"
)

// wrapper describes a program that runs another: how its options are read, to
// find where the other begins. Options that are not listed here make that
// place unknown.
type wrapper struct {
	flags    string   // one-letter options without a value
	values   string   // one-letter options with a value
	long     []string // long options; with a value where they end in =
	digits   bool     // -5 is an option
	operands int      // words before the command
	append   bool     // further words are added when it runs
	opaque   bool     // a rule that allows the other command does not allow this
}

// wrappers are read through. Sources: POSIX.1-2024 utilities, GNU coreutils
// and findutils manuals, sudo(8).
var wrappers = map[string]wrapper{
	"builtin": {},
	"command": {flags: "p"},
	"env":     {},
	"exec":    {},
	"ionice":  {values: "cn"},
	"nice":    {values: "n", long: []string{"adjustment="}, digits: true},
	"nohup":   {},
	"setsid":  {flags: "cfw", long: []string{"ctty", "fork", "wait"}},
	"stdbuf":  {values: "ioe", long: []string{"input=", "output=", "error="}},
	"time":    {flags: "p"},
	"timeout": {flags: "fpv", values: "ks", operands: 1,
		long: []string{"foreground", "preserve-status", "verbose", "kill-after=", "signal="}},
	"xargs": {flags: "0rtx", values: "InLPsdE", append: true,
		long: []string{"null", "no-run-if-empty", "verbose", "exit", "max-args=", "max-lines=", "max-procs=", "max-chars=", "delimiter="}},
	"doas": {flags: "n", values: "uC", opaque: true},
	"sudo": {flags: "AbEHkKnPS", values: "CghprRtTuU", opaque: true,
		long: []string{"non-interactive", "preserve-env", "set-home", "stdin", "user=", "group="}},
}

// runners also run what they are told, in ways that are not read here: a rule
// must name two words of them at least.
var runners = set("ash at batch bwrap busybox caffeinate chroot chrt chronic coproc dbus-run-session direnv docker " +
	"entr expect faketime firejail flock gdb hyperfine kubectl launchctl ltrace machinectl mise nerdctl nix-shell nsenter " +
	"numactl parallel perf pkexec podman proxychains rlwrap rsh runuser script setarch ssh strace su systemd-run " +
	"taskset toybox unbuffer unshare valgrind watch")

// shells run text as commands.
var shells = set("ash bash csh dash fish ksh mksh pwsh sh tcsh zsh")

// setters are builtins that change how the rest of the line runs, or evaluate
// their words: only a rule that names all their words allows them.
var setters = set(". alias bind compgen complete compopt dirs disown enable eval fc getopts hash history let mapfile " +
	"popd pushd read readarray set shopt source suspend trap ulimit umask unalias unset")

// evaluating setters may run what cannot be seen here.
var evaluating = set(". alias bind compgen complete enable eval fc hash source trap")

func set(words string) map[string]bool {
	m := make(map[string]bool)
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}

// classify says what an allow rule must name of a command, and reads what the
// command runs in turn.
func (r *lineReader) classify(words []word, open bool) command {
	c := command{words: words, open: open, need: 1}
	if len(words) == 0 {
		return c
	}
	if !words[0].static {
		r.mark("a command whose name only shows when it runs")
		r.unknown = true
		c.need = exactly
		return c
	}
	// Only the well-known program of that name is read through, not ./env.
	text := words[0].text
	name := c.name()
	known := text == name || text == "/bin/"+name || text == "/usr/bin/"+name
	w, wraps := wrappers[name]
	switch {
	case wraps:
		r.wrapped(&c, w, known)
	case name == "find":
		r.find(&c)
	case shells[name]:
		r.shell(&c)
	case runners[name]:
		c.need = 2
		r.suffixes(words)
	case setters[name]:
		c.need = exactly
		if evaluating[name] {
			r.evaluated(c)
		}
	case name == "test" || name == "[" || name == "printf" || name == "wait" || name == "jobs":
		// test -v, printf -v and wait -p evaluate a subscript; jobs -x runs.
		for _, w := range words[1:] {
			if w.static && (w.text == "-v" || w.text == "-R" || w.text == "-p" && name == "wait" || w.text == "-x" && name == "jobs") {
				c.need = exactly
			}
		}
	}
	return c
}

func (r *lineReader) evaluated(c command) {
	if c.name() != "eval" && c.name() != "trap" || slices.ContainsFunc(c.words, func(w word) bool { return !w.static }) {
		r.unknown = true
		return
	}
	if c.name() == "trap" {
		r.inside(c.arg(1))
		return
	}
	r.inside(displayWords(c.words[1:]))
}

func (r *lineReader) wrapped(c *command, w wrapper, known bool) {
	name := c.name()
	if name == "command" && (c.arg(1) == "-v" || c.arg(1) == "-V") {
		c.need = 2 // only tells where a command is
		return
	}
	at, ok := w.locate(c.words)
	if !ok || (name == "env" || name == "sudo") && at < len(c.words) && strings.Contains(c.words[at].text, "=") {
		c.need = exactly
		r.suffixes(c.words)
		return
	}
	if at >= len(c.words) {
		return
	}
	words := c.words[at:]
	open := c.open || w.append
	if name == "xargs" {
		if mark, found := replaced(c.words[:at]); found {
			open = c.open
			words = slices.Clone(words)
			for i := range words {
				if strings.Contains(words[i].text, mark) {
					words[i].static = false
				}
			}
		}
	}
	inner := r.classify(words, open)
	c.need = at + 1
	if inner.need == exactly {
		c.need = exactly
	} else if inner.need > 1 {
		c.need = at + inner.need
	}
	r.hide(inner)
	if !w.opaque && known {
		c.inner = &inner
	}
}

// locate finds the word where the wrapped command begins.
func (w wrapper) locate(words []word) (at int, ok bool) {
	i, operands := 1, w.operands
	for ; i < len(words); i++ {
		if !words[i].static {
			// It may become an option, unless it stands for the command itself.
			return i, operands == 0
		}
		text := words[i].text
		switch {
		case text == "--":
			return min(i+1+operands, len(words)), true
		case len(text) < 2 || text[0] != '-':
			if operands == 0 {
				return i, true
			}
			operands--
		case strings.HasPrefix(text, "--"):
			takes, known := w.longOption(text[2:])
			if !known {
				return 0, false
			}
			if takes {
				i++
			}
		case w.digits && strings.Trim(text[1:], "0123456789") == "":
		default:
			takes, known := w.shortOptions(text[1:])
			if !known {
				return 0, false
			}
			if takes {
				i++
			}
		}
		if i < len(words) && !words[i].static {
			return 0, false
		}
	}
	return len(words), true
}

// longOption reports whether the option takes the next word as its value.
func (w wrapper) longOption(text string) (takes, known bool) {
	name, _, has := strings.Cut(text, "=")
	if slices.Contains(w.long, name+"=") {
		return !has, true
	}
	return false, !has && slices.Contains(w.long, name)
}

func (w wrapper) shortOptions(cluster string) (takes, known bool) {
	for i, c := range cluster {
		switch {
		case strings.ContainsRune(w.values, c):
			return i == len(cluster)-1, true
		case !strings.ContainsRune(w.flags, c):
			return false, false
		}
	}
	return false, true
}

// replaced returns the text that xargs -I replaces in every word.
func replaced(options []word) (mark string, found bool) {
	for i, w := range options {
		if rest, ok := strings.CutPrefix(w.text, "-I"); ok {
			if rest != "" {
				return rest, true
			}
			if i+1 < len(options) {
				return options[i+1].text, true
			}
		}
	}
	return "", false
}

// suffixes hides every command that the words of an unreadable wrapper may
// run, and every shell text among them.
func (r *lineReader) suffixes(words []word) {
	if len(words) > maxSuffixes {
		r.unknown = true
		words = words[:maxSuffixes]
	}
	for i := 1; i < len(words); i++ {
		if !words[i].static {
			r.unknown = true
			continue
		}
		r.hide(command{words: words[i:]})
		if strings.ContainsAny(words[i].text, " \t\n;|&<>$`(") {
			r.inside(words[i].text)
		}
	}
}

// find reads -exec and its kin, whose commands must be allowed themselves.
func (r *lineReader) find(c *command) {
	words := c.words
	for i := 1; i < len(words); i++ {
		if !words[i].static {
			c.need = exactly // it may become -exec
			r.unknown = true
			continue
		}
		switch words[i].text {
		case "-exec", "-execdir", "-ok", "-okdir":
			end := i + 1
			for end < len(words) && words[end].text != ";" && !(words[end].text == "+" && words[end-1].text == "{}") {
				end++
			}
			run := slices.Clone(words[i+1 : end])
			for k := range run {
				if strings.Contains(run[k].text, "{}") {
					run[k].static = false
				}
			}
			r.add(r.classify(run, false))
			i = end
		case "-delete", "-fprint", "-fprint0", "-fprintf", "-fls":
			c.need = exactly
		}
	}
}

// shell reads a call of a shell. A script may be named by a rule; text and
// standard input may not.
func (r *lineReader) shell(c *command) {
	c.need = exactly
	for i := 1; i < len(c.words); i++ {
		w := c.words[i]
		switch {
		case !w.static:
			r.unknown = true
			return
		case strings.HasPrefix(w.text, "-") || strings.HasPrefix(w.text, "+"):
			if strings.HasPrefix(w.text, "--") || !strings.Contains(w.text, "c") {
				if strings.Trim(w.text, "-+euxvil") != "" {
					r.suffixes(c.words)
					r.unknown = true
					return
				}
				continue
			}
			r.suffixes(c.words)
			// The text comes first, but other options may stand before it.
			for i, rest := range c.words[i+1:] {
				if !rest.static || i > maxSuffixes {
					r.unknown = true
					return
				}
				r.inside(rest.text)
			}
			return
		default:
			c.need = i + 1
			return
		}
	}
	r.unknown = true // it reads standard input
}
