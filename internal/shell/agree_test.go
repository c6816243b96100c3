package shell

import (
	"fmt"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"
)

// agrees fails where a parser of all of bash reads another line than Read did.
func agrees(t testing.TB, text string, l Line) {
	t.Helper()
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	if err != nil {
		t.Fatalf("%q is read as %q, but the parser says %v", text, l.String(), err)
	}
	other, err := lineOf(file)
	if err != nil || other.String() != l.String() {
		t.Fatalf("%q is read as\n%q, by the parser as\n%q, %v", text, l.String(), other.String(), err)
	}
}

// lineOf is the tree of the other parser as a Line; what a Line cannot hold is an error.
func lineOf(file *syntax.File) (l Line, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	must(len(file.Last) == 0, "comments")
	for _, s := range file.Stmts {
		l.list = append(l.list, chainOf(s))
	}
	if first := l.list[0][0].pipe; len(first) == 1 && first[0].words[0].String() == "cd" {
		must(len(first[0].words) == 2 && len(l.list[0]) > 1 && l.list[0][1].op == "&&", "cd")
		l.folder = &first[0].words[1]
		l.list[0] = l.list[0][1:]
		l.list[0][0].op = ""
	}
	return l, nil
}

func must(ok bool, what string) {
	if !ok {
		panic(what)
	}
}

func chainOf(s *syntax.Stmt) chain {
	if b, ok := s.Cmd.(*syntax.BinaryCmd); ok && (b.Op == syntax.AndStmt || b.Op == syntax.OrStmt) {
		plainStmt(s)
		return append(chainOf(b.X), link{b.Op.String(), pipeOf(b.Y)})
	}
	return chain{{"", pipeOf(s)}}
}

func pipeOf(s *syntax.Stmt) []command {
	if b, ok := s.Cmd.(*syntax.BinaryCmd); ok {
		must(b.Op == syntax.Pipe, b.Op.String())
		plainStmt(s)
		return append(pipeOf(b.X), pipeOf(b.Y)...)
	}
	return []command{commandOf(s)}
}

// plainStmt refuses what a Line knows nothing of.
func plainStmt(s *syntax.Stmt) {
	must(len(s.Redirs) == 0, "redirections of more than a command")
	must(!s.Negated && !s.Background && !s.Coprocess && !s.Disown && len(s.Comments) == 0, "an unusual statement")
}

func commandOf(s *syntax.Stmt) command {
	redirs := s.Redirs
	s.Redirs = nil
	plainStmt(s)
	s.Redirs = redirs
	call, ok := s.Cmd.(*syntax.CallExpr)
	must(ok && len(call.Args) > 0, "not a command")
	var c command
	for _, a := range call.Assigns {
		must(!a.Append && !a.Naked && a.Index == nil && a.Array == nil, "an unusual assignment")
		value := word{}
		if a.Value != nil {
			value = wordOf(a.Value)
		}
		c.env = append(c.env, assignment{a.Name.Value, value})
	}
	for _, w := range call.Args {
		c.words = append(c.words, wordOf(w))
	}
	for _, r := range redirs {
		c.redirects = append(c.redirects, redirectOf(r))
	}
	return c
}

func redirectOf(r *syntax.Redirect) redirect {
	op := r.Op.String()
	if r.N != nil {
		op = r.N.Value + op
	}
	switch {
	case op == "2>&":
		must(r.Word.Lit() == "1", "a descriptor")
		return redirect{op: opErrToOut}
	case op == opHere:
		body := ""
		if r.Hdoc != nil {
			body = r.Hdoc.Lit()
		}
		must(len(r.Word.Parts) == 1, "the word of a here-document")
		return redirect{op: op, target: wordOf(r.Word), body: &body}
	}
	must(strings.Contains("< > >> 2> 2>>", op), op)
	return redirect{op: op, target: wordOf(r.Word)}
}

func wordOf(w *syntax.Word) word {
	var s spelling
	for _, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			must(!strings.Contains(p.Value, "\\"), "a backslash")
			for _, b := range []byte(p.Value) {
				switch b {
				case '*':
					s.mark(anyKind, "*")
				case '?':
					s.mark(oneKind, "?")
				default:
					s.text = append(s.text, b)
				}
			}
		case *syntax.SglQuoted:
			must(!p.Dollar, "$'")
			s.text = append(s.text, p.Value...)
		case *syntax.DblQuoted:
			must(!p.Dollar, "$\"")
			for _, inner := range p.Parts {
				if lit, ok := inner.(*syntax.Lit); ok {
					s.text = append(s.text, unquoted(lit.Value)...)
					continue
				}
				statusOf(&s, inner)
			}
		default:
			statusOf(&s, p)
		}
	}
	return s.word(0)
}

func statusOf(s *spelling, p syntax.WordPart) {
	e, ok := p.(*syntax.ParamExp)
	must(ok && e.Short && e.Param.Value == "?", fmt.Sprintf("%T", p))
	s.mark(statusKind, "$?")
}

// unquoted removes the backslashes that mean something inside of double quotes.
func unquoted(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte("$`\"\\\n", s[i+1]) >= 0 {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
