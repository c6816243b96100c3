package permission

import (
	"errors"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"parley/internal/shell"
)

// word is one word of a command as its program will get it, as far as that
// can be known without running the shell.
type word struct {
	// text is the value after quote removal. Where the word is not static it
	// is what can be read of it, for display only.
	text string
	// static says that text is the whole value. Otherwise the word may become
	// anything, also no word or several.
	static bool
	// tilde says that text begins with an unquoted ~ for the home folder.
	tilde bool
}

// arg is the word as a command gets it.
func (w word) arg(home string) shell.Arg {
	if w.static && w.tilde {
		return shell.Arg{Text: home + w.text[1:], Fixed: home != ""}
	}
	return shell.Arg{Text: w.text, Fixed: w.static}
}

// atHome writes out the home folder in the words of a rule.
func atHome(words []word, home string) []word {
	out := make([]word, len(words))
	for i, w := range words {
		if out[i] = w; w.tilde && home != "" {
			out[i] = word{text: home + w.text[1:], static: true}
		}
	}
	return out
}

// readWord evaluates quotes and escapes (bash manual, 3.1.2). Anything that
// the shell would expand makes the word not static; what is inside of an
// expansion is the concern of line.expansions.
func readWord(w *syntax.Word) word {
	var b strings.Builder
	out := word{static: true}
	for i, part := range w.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			text, plain := unescape(part.Value)
			if !plain {
				out.static = false
			}
			if i == 0 && strings.HasPrefix(part.Value, "~") {
				out.tilde = true
				rest := part.Value[1:]
				if rest != "" && rest[0] != '/' || rest == "" && len(w.Parts) > 1 {
					out.static = false // another user's home, or ~"x"
				}
			}
			b.WriteString(text)
		case *syntax.SglQuoted:
			if part.Dollar {
				out.static = false // means something else in a POSIX shell
			}
			b.WriteString(part.Value)
		case *syntax.DblQuoted:
			if part.Dollar {
				out.static = false
			}
			for _, inner := range part.Parts {
				lit, ok := inner.(*syntax.Lit)
				if !ok {
					out.static = false
					b.WriteString("…")
					continue
				}
				b.WriteString(unescapeQuoted(lit.Value))
			}
		default:
			out.static = false
			b.WriteString("…")
		}
	}
	out.text = b.String()
	return out
}

// unescape removes backslashes outside of quotes; plain is false if the shell
// would expand the text as a glob or a brace expression.
func unescape(s string) (text string, plain bool) {
	plain = true
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			if i++; i < len(s) && s[i] != '\n' {
				b.WriteByte(s[i])
			}
			continue
		case '*', '?':
			plain = false
		case '[':
			plain = plain && s == "[" // the command of that name
		case '{', '}':
			if strings.HasPrefix(s[i:], "{}") {
				b.WriteString("{}") // stays as it is
				i++
				continue
			}
			plain = false
		}
		b.WriteByte(s[i])
	}
	return b.String(), plain
}

// unescapeQuoted removes the backslashes that mean something inside of double
// quotes.
func unescapeQuoted(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte("$`\"\\\n", s[i+1]) >= 0 {
			if i++; s[i] == '\n' {
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

func parseCommandPattern(s string) (Rule, error) {
	s, prefix := cutPrefixMark(s)
	if s == "" {
		return Rule{}, nil
	}
	words, err := parseWords(s)
	if err != nil {
		return Rule{}, err
	}
	return Rule{pattern: formatWords(words), prefix: prefix}, nil
}

// cutPrefixMark takes off the mark that more words may follow. Some agents
// write it as a last word *.
func cutPrefixMark(s string) (string, bool) {
	if s == "*" {
		return "", true
	}
	for _, mark := range []string{":*", " *"} {
		if cut, ok := strings.CutSuffix(s, mark); ok {
			return strings.TrimSpace(cut), true
		}
	}
	return s, false
}

// parseWords reads the words of a rule: one simple command, all of whose words
// are known.
func parseWords(s string) ([]word, error) {
	if !readable(s) {
		return nil, errors.New("it holds characters that no command line should; an example: bash(go test:*)")
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(s), "")
	if err != nil {
		return nil, errors.New("it is not a command (an unclosed quote?); an example: bash(git status:*)")
	}
	one := errors.New("a rule names one simple command, without operators, redirections or assignments; for two commands write two rules; an example: bash(git status:*)")
	if len(file.Stmts) != 1 || len(file.Last) > 0 {
		return nil, one
	}
	stmt := file.Stmts[0]
	call, ok := stmt.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Assigns) > 0 || len(call.Args) == 0 || len(stmt.Redirs) > 0 || len(stmt.Comments) > 0 ||
		stmt.Negated || stmt.Background || stmt.Semicolon.IsValid() {
		return nil, one
	}
	words := make([]word, len(call.Args))
	for i, arg := range call.Args {
		words[i] = readWord(arg)
		if !words[i].static {
			return nil, errors.New("the words of a rule are compared as they are: no $, *, ? or { } in them but in single quotes; for any further words end it with :*; an example: bash(ls -l:*)")
		}
	}
	return words, nil
}

// formatWords writes words so that parseWords reads them back.
func formatWords(words []word) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		head, text := "", w.text
		if w.tilde {
			cut := 1
			if len(text) > 1 {
				cut = 2
			}
			head, text = text[:cut], text[cut:]
		}
		if text != "" || !w.tilde {
			text = quote(text, i == 0)
		}
		quoted[i] = head + text
	}
	return strings.Join(quoted, " ")
}

// plainBytes need no quotes anywhere in a command.
const plainBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%^"

// quote writes one word; first says that it stands where the shell expects a
// command, and reads keywords and assignments.
func quote(s string, first bool) string {
	plain := s != "" && strings.Trim(s, plainBytes) == "" || s == "[" || s == "]"
	if plain && (!first || !syntax.IsKeyword(s) && !strings.Contains(s, "=")) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// readable reports whether every shell and this package read the same
// characters in a command line.
func readable(s string) bool {
	for _, c := range s {
		// 0xFFFD also stands for what is not UTF-8.
		if c < ' ' && c != '\n' && c != '\t' || c == 0x7f || c == 0xfffd {
			return false
		}
	}
	return true
}

func sameWords(a, b []word) bool {
	return slices.EqualFunc(a, b, func(a, b word) bool { return a == b })
}
