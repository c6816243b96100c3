package shell

import (
	"errors"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"parley/internal/shell/shelltest"
)

// The grammar once more, as one regular expression: all of it is regular but here-documents, and the tables of names and values.
const (
	bare        = `[A-Za-z0-9_@%+,./-][~^#!]*|[:=](?:[\^#!][~^#!]*)?`
	commandName = `(?:[A-Za-z0-9_@%+,./-][~^#!]*|:(?:[\^#!][~^#!]*)?)+`
	single      = `'(?:[^'\p{Cc}]|[\n\t])*'`
	inside      = "[^\"\\\\$`\\p{Cc}]|[\\n\\t]|\\\\[ -~]|\\$ "
	double      = `"(?:` + inside + `)*\$?"`
	status      = `"(?:` + inside + `|\$\?)*\$?"`

	target   = `(?:` + bare + `|` + single + `|` + double + `)+`
	argument = `(?:` + bare + `|` + single + `|` + double + `|[*?])+`
	echoed   = `(?:` + bare + `|` + single + `|` + status + `|[*?]|\$\?)+`
	redirs   = `(?: *(?:>>|>|<) *` + target + `| +(?:2>&1|2>>? *` + target + `))`
	assigned = `(?:(?:CI|NO_COLOR|CGO_ENABLED|GOOS|GOARCH|RUST_BACKTRACE|NODE_ENV|TZ|LANG|LC_ALL)=(?:` + target + `)? +)*`
	called   = assigned + `(?:echo(?:` + redirs + `| +` + echoed + `)*|` + commandName + `(?:` + redirs + `| +` + argument + `)*)`
	piped    = called + `(?: *\| *` + called + `)*`
	chained  = piped + `(?: *(?:&&|\|\|) *` + piped + `)*`
	entering = `(?:cd +` + target + ` *&& *)?`
	whole    = `^[ \n]*` + entering + chained + `(?: *(?:;|\n)[ \n]*` + chained + `)* *;?[ \n]*$`
)

var inGrammar = regexp.MustCompile(whole)

// beyond are the reasons for which a line of the regular grammar is not read.
var beyond = map[string]bool{
	reasonFolder: true, reasonDescriptor: true, "a reserved word of the shell": true, "a job of the shell": true,
	"a command of the shell itself, which is no program": true, "a file without a name": true, "more than 200 commands": true,
	"a variable that is set twice": true,
	"$? and a pattern in one word": true, "a redirection before the name of a command, or without one": true,
}

// checkGrammar fails where Read and the regular expression differ.
func checkGrammar(t testing.TB, text string) {
	t.Helper()
	if strings.Contains(text, "<<") || !utf8.ValidString(text) {
		return
	}
	_, err := Read(text)
	matches := inGrammar.MatchString(text)
	var u *Unread
	switch {
	case err == nil && !matches:
		t.Fatalf("%q is read but not in the grammar", text)
	case strings.HasPrefix(strings.TrimLeft(text, " \n"), "cd "): // a command to the expression, and not to Read
	case errors.As(err, &u) && matches && !beyond[u.Reason] && !strings.HasPrefix(u.Reason, "a value that "):
		t.Fatalf("%q is in the grammar but not read: %v", text, err)
	}
}

// What two readers read differently, and what starts more than it shows, is not read.
func TestQuirks(t *testing.T) {
	for _, text := range shelltest.Quirks() {
		if l, err := Read(text); err == nil {
			t.Errorf("%q is read as %q", text, l.String())
		}
	}
}

// Read reads the grammar: all of it and nothing else.
func TestGrammar(t *testing.T) {
	for _, text := range append(shelltest.Corpus(), shelltest.Quirks()...) {
		checkGrammar(t, text)
	}
}
