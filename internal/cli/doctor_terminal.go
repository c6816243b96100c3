package cli

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
func (d *doctor) terminal() {
	file, tty := terminal(d.out)
	name := d.env["TERM"]
	locale := ""
	for _, variable := range []string{"LC_ALL", "LC_CTYPE", "LANG"} { // POSIX, 8.2
		if locale == "" {
			locale = d.env[variable]
		}
	}
	if lower := strings.ToLower(locale); !strings.Contains(lower, "utf-8") && !strings.Contains(lower, "utf8") {
		d.say("locale", poor, "export LANG=C.UTF-8, or your language's UTF-8", "%q is not UTF-8; programs may write other characters", locale)
	}
	if !tty {
		d.say("terminal", good, "", "stdout is none; nothing to look at")
		return
	}
	if name == "" || name == "dumb" {
		d.say("terminal", poor, "set TERM to what your terminal is, such as xterm-256color", "TERM is %q: no colours, and only 'parley run'", name)
		return
	}
	width, height, err := term.GetSize(file.Fd())
	if err != nil {
		d.say("terminal", poor, "", "its size is not known: %s", err)
		return
	}
	text := fmt.Sprintf("%s, %d columns, %d rows, %s", name, width, height, d.color())
	if d.env["TMUX"] != "" {
		text += ", in tmux"
	}
	if width < fewColumns || height < fewRows {
		d.say("terminal", poor, fmt.Sprintf("make it at least %d by %d", fewColumns, fewRows), "%s: that is little", text)
		return
	}
	d.say("terminal", good, "", "%s", text)
	d.say("terminal", good, "", "%s", d.abilities(file))
}

// color says what colours the terminal is taken to have.
func (d *doctor) color() string {
	switch name := d.env["TERM"]; {
	case d.env["NO_COLOR"] != "":
		return "no colours (NO_COLOR)"
	case d.env["COLORTERM"] == "truecolor", d.env["COLORTERM"] == "24bit":
		return "true colour"
	case strings.Contains(name, "256color"):
		return "256 colours"
	}
	return "16 colours"
}

// programs looks for what tools call.
func (d *doctor) programs() {
	where := func(name string) string {
		path, err := d.look(name)
		if err != nil {
			return ""
		}
		return path
	}
	switch bash, sh := where("bash"), where("sh"); {
	case bash != "":
		d.say("bash", good, "", "%s", bash)
	case sh != "":
		d.say("bash", poor, "install bash", "not on the PATH; commands run in %s", sh)
	default:
		d.say("bash", broken, "install bash, or correct PATH", "neither bash nor sh is on the PATH: no command can run")
	}
	for _, p := range []struct{ name, without string }{
		{"git", "the model cannot look at your history"},
		{"rg", "grep is slower (install ripgrep)"},
	} {
		if path := where(p.name); path != "" {
			d.say(p.name, good, "", "%s", path)
		} else {
			d.say(p.name, poor, "install it", "not on the PATH; %s", p.without)
		}
	}
}
