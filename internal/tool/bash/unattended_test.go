package bash_test

import (
	"context"
	"strings"
	"testing"

	"parley/internal/tool"
	"parley/internal/tool/tooltest"
	"parley/test/need"
)

// Nothing that wants an editor, a pager, a password or a screen holds a command up, whatever the person has set.
func TestCommandsThatWantSomebodyEnd(t *testing.T) {
	const repository = `git init -q . && git config user.email a@b.c && git config user.name A && git config core.editor "sleep 3600" &&
		git config core.pager "sleep 3600" && echo a > a && git add a && git commit -q -m first && echo b > a && git commit -q -a -m second && `
	for _, tt := range []struct {
		needs, command, want string
		fails                bool
	}{
		{"git", repository + "echo c > a && git commit -a", "empty commit message", true},
		{"git", repository + "git commit -q --amend && git log -1 --format=%s", "second\n", false},
		{"git", repository + "git rebase -q -i HEAD~1 && git log -1 --format=%s", "second\n", false},
		{"git", repository + "git -c color.ui=auto -p log --format=%s", "second\nfirst\n", false},
		{"git", "git ls-remote https://user@127.0.0.1:1/x", "unable to access", true},
		{"crontab", "crontab -l; crontab -e", "crontab", true},
		{"npm", "npm init", "", true},
		{"top", "top", "top", true},
		{"less", "seq 3 | less", "1\n2\n3\n", false},
	} {
		t.Run(tt.command[strings.LastIndex(tt.command, "&& ")+1:], func(t *testing.T) {
			if !need.Has(t, tt.needs) {
				return
			}
			w := tooltest.World(t, t.TempDir())
			w.Env = append(w.Env, "HOME="+w.Root, "EDITOR=sleep 3600", "VISUAL=sleep 3600", "GIT_EDITOR=sleep 3600", "PAGER=sleep 3600", "GIT_PAGER=sleep 3600",
				"TERM=xterm-256color", "FORCE_COLOR=1", "GIT_ASKPASS=", "SSH_ASKPASS=")
			r := call(t, context.Background(), w, args{"command": tt.command, "timeout_ms": 120_000}, nil)
			if strings.Contains(r.Summary, "timed out") || !strings.Contains(r.Text, tt.want) || !tt.fails && r.Status != tool.Success {
				t.Errorf("%s: %s", r.Summary, r.Text)
			}
			if strings.ContainsAny(r.Text, "\x1b\r") {
				t.Errorf("it is full of escape codes: %q", r.Text)
			}
		})
	}
}

// The model reads what a terminal would show at the end; people see it as it comes.
func TestProgressIsItsEnd(t *testing.T) {
	w := tooltest.World(t, t.TempDir())
	live := ""
	r := call(t, context.Background(), w, args{"command": `printf '\033[32mok\033[0m\n'; for i in 1 2 3; do printf '\r%s0%%' $i; done; printf '\nend\n'`}, func(c chunk) { live += c.Text })
	if r.Text != "ok\n30%\nend\n" || r.Summary != "3 lines" {
		t.Errorf("%q, %s", r.Text, r.Summary)
	}
	if live != "\x1b[32mok\x1b[0m\n\r10%\r20%\r30%\nend\n" {
		t.Errorf("live it was %q", live)
	}
	r = call(t, context.Background(), w, args{"command": `i=0; while [ $i -lt 30000 ]; do printf '\r%s of 30000' $i; i=$((i+1)); done; echo`}, nil)
	if r.Text != "29999 of 30000\n" || r.File != "" {
		t.Errorf("%q in %q", r.Text, r.File)
	}
}
