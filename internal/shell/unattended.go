package shell

import (
	"slices"
	"strings"
)

// unattended is what programs are told where nobody sits in front of them: nobody can leave an editor or a pager, answer
// a prompt, or look at colours. It counts over what the person has set for their own terminal.
var unattended = []string{
	// ":" is what git does not start at all: a message that is there is taken as it is, one that is missing is an error, and
	// the plan of a rebase is carried out as it stands (git-var(1)). Others need a program that does nothing.
	"GIT_EDITOR=:", "GIT_SEQUENCE_EDITOR=:", "EDITOR=true", "VISUAL=true",
	// Each of them comes before PAGER for its own program.
	"PAGER=cat", "GIT_PAGER=cat", "MANPAGER=cat", "SYSTEMD_PAGER=cat", "AWS_PAGER=cat", "GH_PAGER=cat", "PSQL_PAGER=cat", "BAT_PAGER=cat", "DELTA_PAGER=cat",
	// A password that is asked for on a terminal or in a window would be waited for until the time limit.
	"GIT_TERMINAL_PROMPT=0", "GCM_INTERACTIVE=never", "SSH_ASKPASS_REQUIRE=never", "DEBIAN_FRONTEND=noninteractive", "PIP_NO_INPUT=1",
	"COMPOSER_NO_INTERACTION=1", "TF_INPUT=0", "GH_PROMPT_DISABLED=1",
	// TERM=dumb is what full-screen programs refuse and progress bars give up at; NO_COLOR is no-color.org's.
	"TERM=dumb", "NO_COLOR=1", "CLICOLOR=0", "CARGO_TERM_COLOR=never", "CARGO_TERM_PROGRESS_WHEN=never", "npm_config_progress=false", "PIP_PROGRESS_BAR=off",
}

// ci is what most programs take for nobody being there: watchers run once, installers ask nothing. A person who has set it
// knows better, also CI=false. It is not "true", which some take for a machine that has everything they need.
const ci = "CI=1"

// coloured are variables by which a person asks for colours whatever the output is.
var coloured = []string{"FORCE_COLOR", "CLICOLOR_FORCE", "COLORTERM", "COLUMNS", "LINES"}

// Unattended is an environment with what programs are told where nobody sits in front of them.
func Unattended(env []string) []string {
	said := map[string]bool{}
	for _, v := range unattended {
		name, _, _ := strings.Cut(v, "=")
		said[name] = true
	}
	out := make([]string, 0, len(env)+len(unattended)+1)
	own := false
	for _, v := range env {
		name, _, _ := strings.Cut(v, "=")
		if said[name] || slices.Contains(coloured, name) {
			continue
		}
		own = own || name == "CI"
		out = append(out, v)
	}
	if !own {
		out = append(out, ci)
	}
	return append(out, unattended...)
}
