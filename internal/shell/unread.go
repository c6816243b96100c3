package shell

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Unread is the first thing in a line that was not read, and so the reason why no rule with a pattern allows the line.
type Unread struct {
	// Offset is where it begins, in bytes; Text is what stands there, cut to a few words at most.
	Offset int
	Text   string
	// Reason says in plain words what it is, or what is missing.
	Reason string
}

func (u *Unread) Error() string {
	if u.Text == "" {
		return fmt.Sprintf("not read: %s", u.Reason)
	}
	return fmt.Sprintf("%q is not read: %s", u.Text, u.Reason)
}

// shown is how much of a line an Unread cites.
const shown = 40

// unread cites the line from at to end; where end is before it, up to the next blank.
func unread(line string, at, end int, reason string) *Unread {
	at = min(at, len(line))
	if end <= at {
		end = len(line)
		if n := strings.IndexAny(line[min(at+1, end):], " \n"); n >= 0 {
			end = at + 1 + n
		}
	}
	text := line[at:end]
	if len(text) > shown {
		cut := shown
		for cut > 0 && !utf8.RuneStart(text[cut]) {
			cut--
		}
		text = text[:cut]
	}
	return &Unread{at, text, reason}
}

// strays say what a byte outside of quotes is, where no word can hold it.
var strays = map[byte]string{
	'#':  "a comment",
	'&':  "a command in the background, or a redirection of both outputs",
	'(':  "a subshell, a function or an array",
	')':  "a subshell, a function or an array",
	'{':  "a brace",
	'}':  "a brace",
	'[':  "a bracket outside of quotes",
	']':  "a bracket outside of quotes",
	'$':  "a variable or a substitution",
	'`':  "a command substitution",
	'\\': "a backslash outside of quotes",
	'~':  "a ~ that may stand for a home folder",
	'!':  "a ! that negates or repeats a command",
	'^':  "a ^ at the beginning of a word",
	'*':  "a * that is not part of an argument",
	'?':  "a ? that is not part of an argument",
	'<':  "a redirection of this kind",
	'>':  "a redirection of this kind",
	'"':  "quotes around the name of a command",
	'\'': "quotes around the name of a command",
	'=':  "an = in the name of a command",
	'\n': "a line that breaks off here",
	'\r': "a carriage return",
	'\t': "a tab outside of quotes",
	0:    "a zero byte",
}

// Reasons that stand in several places.
const (
	reasonControl    = "a control character"
	reasonEncoding   = "bytes that are not UTF-8"
	reasonUnquoted   = "a character that is not ASCII, outside of quotes"
	reasonMissing    = "a command is missing here"
	reasonDescriptor = "a file descriptor; only 2>, 2>> and 2>&1 are read"
	reasonFolder     = "cd may only begin the line, as in: cd folder && command"
	reasonLink       = "a link stands on the path"
	reasonUnseen     = "a path with characters that are not seen"
	reasonOutside    = "it leads out of the workspace"
	reasonParent     = ".. may only begin a path"
)
