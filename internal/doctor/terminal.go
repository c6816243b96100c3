package doctor

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/term"
)

// What the terminal needs at least, in cells.
const (
	fewColumns = 40
	fewRows    = 10
)

// terminal looks at what the environment says of the terminal, and at what the
// terminal says of itself.
func (x *examination) terminal() {
	name := x.Env["TERM"]
	locale := ""
	for _, variable := range []string{"LC_ALL", "LC_CTYPE", "LANG"} { // POSIX, 8.2
		if locale == "" {
			locale = x.Env[variable]
		}
	}
	if lower := strings.ToLower(locale); !strings.Contains(lower, "utf-8") && !strings.Contains(lower, "utf8") {
		x.say("locale", Poor, "export LANG=C.UTF-8, or your language's UTF-8", "%q is not UTF-8; programs may write other characters", locale)
	}
	if x.Out == nil {
		x.say("terminal", Good, "", "stdout is none; nothing to look at")
		return
	}
	if name == "" || name == "dumb" {
		x.say("terminal", Poor, "set TERM to what your terminal is, such as xterm-256color", "TERM is %q: no colours, and only 'parley run'", name)
		return
	}
	width, height, err := term.GetSize(x.Out.Fd())
	if err != nil {
		x.say("terminal", Poor, "", "its size is not known: %s", err)
		return
	}
	text := fmt.Sprintf("%s, %d columns, %d rows, %s", name, width, height, x.color())
	if x.Env["TMUX"] != "" {
		text += ", in tmux"
	}
	if width < fewColumns || height < fewRows {
		x.say("terminal", Poor, fmt.Sprintf("make it at least %d by %d", fewColumns, fewRows), "%s: that is little", text)
		return
	}
	x.say("terminal", Good, "", "%s", text)
	x.say("terminal", Good, "", "%s", x.abilities(x.Out))
}

// color says what colours the terminal is taken to have.
func (x *examination) color() string {
	switch name := x.Env["TERM"]; {
	case x.Env["NO_COLOR"] != "":
		return "no colours (NO_COLOR)"
	case x.Env["COLORTERM"] == "truecolor", x.Env["COLORTERM"] == "24bit":
		return "true colour"
	case strings.Contains(name, "256color"):
		return "256 colours"
	}
	return "16 colours"
}

// programs looks for what tools call.
func (x *examination) programs() {
	where := func(name string) string {
		path, err := x.look(name)
		if err != nil {
			return ""
		}
		return path
	}
	switch bash, sh := where("bash"), where("sh"); {
	case bash != "":
		x.say("bash", Good, "", "%s", bash)
	case sh != "":
		x.say("bash", Poor, "install bash", "not on the PATH; commands run in %s", sh)
	default:
		x.say("bash", Broken, "install bash, or correct PATH", "neither bash nor sh is on the PATH: no command can run")
	}
	for _, p := range []struct{ name, without string }{
		{"git", "the model cannot look at your history"},
		{"rg", "grep is slower (install ripgrep)"},
	} {
		if path := where(p.name); path != "" {
			x.say(p.name, Good, "", "%s", path)
		} else {
			x.say(p.name, Poor, "install it", "not on the PATH; %s", p.without)
		}
	}
}
