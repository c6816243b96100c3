package permission

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"parley/internal/shell"
)

// Bounds of what is read of one command line; beyond them it counts as
// unreadable. The parser recurses on parentheses, and slows down with them.
const (
	maxLine    = 64 << 10 // bytes
	maxParens  = 2000
	maxWords   = 20_000 // of all commands, also of those inside of others
	maxNesting = 8      // sh -c 'sh -c …', nohup nice timeout …
	maxDirs    = 8
)

// line is what a command line will do, as far as it can be read.
type line struct {
	commands []command // that it starts itself
	files    []redirect
	hidden   []command  // what is inside of strings and wrappers: only
	covert   []redirect // deny rules and warnings look at it
	unknown  bool       // something runs that cannot be read
	away     []string   // folders outside of the workspace that cd names
}

// redirect is a file that the shell itself opens.
type redirect struct {
	name  string // absolute, without links
	write bool
}

// lineReader walks the syntax tree of a command line that bash gets, for the rules that take away: what it does not
// know makes the line unknown.
type lineReader struct {
	line
	root, home string
	nesting    int
	// dirs are the folders the shell may be in, nil if that is not known.
	dirs []string
	// left is how many more words of commands are read, of the whole line and the texts in it.
	left *int
	// target is where the last cd leads if it works; nil if that is not known.
	target []string
}

func newReader(c Call) *lineReader {
	left := maxWords
	return &lineReader{root: c.Root, home: c.Home, left: &left}
}

func readLine(c Call) line {
	r := newReader(c)
	if dir := dirOf(c); dir != "" {
		r.dirs = []string{path.Clean(dir)}
	}
	r.code(c.Command)
	return r.line
}

// code reads shell text into the line.
func (r *lineReader) code(text string) {
	file := parseLine(text)
	if file == nil {
		r.unknown = true
		return
	}
	r.stmts(file.Stmts)
}

func parseLine(text string) (file *syntax.File) {
	if len(text) > maxLine || strings.Count(text, "(") > maxParens || !readable(text) {
		return nil
	}
	// A defect of the parser must cost a question, not the session.
	defer func() {
		if recover() != nil {
			file = nil
		}
	}()
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	if err != nil {
		return nil
	}
	return file
}

func (r *lineReader) stmts(list []*syntax.Stmt) {
	for _, s := range list {
		r.stmt(s)
	}
}

// apart reads what runs in a shell of its own, whose cd does not last.
func (r *lineReader) apart(read func()) {
	before := slices.Clone(r.dirs)
	read()
	r.dirs = before
}

func (r *lineReader) stmt(s *syntax.Stmt) {
	if s.Background || s.Coprocess {
		r.apart(func() { r.command(s) })
		return
	}
	r.command(s)
}

func (r *lineReader) command(s *syntax.Stmt) {
	for _, redir := range s.Redirs {
		r.redirect(redir)
	}
	switch cmd := s.Cmd.(type) {
	case nil:
	case *syntax.CallExpr:
		r.call(cmd)
	case *syntax.BinaryCmd:
		r.binary(cmd)
	case *syntax.Block:
		r.stmts(cmd.Stmts)
	case *syntax.Subshell:
		r.apart(func() { r.stmts(cmd.Stmts) })
	case *syntax.IfClause:
		for c := cmd; c != nil; c = c.Else {
			r.stmts(c.Cond)
			r.stmts(c.Then)
		}
	case *syntax.WhileClause:
		r.loop(func() {
			r.stmts(cmd.Cond)
			r.stmts(cmd.Do)
		})
	case *syntax.ForClause:
		r.inner(cmd.Loop)
		r.loop(func() { r.stmts(cmd.Do) })
	case *syntax.CaseClause:
		r.expansions(cmd.Word)
		for _, item := range cmd.Items {
			for _, p := range item.Patterns {
				r.expansions(p)
			}
			r.stmts(item.Stmts)
		}
	case *syntax.TimeClause:
		r.stmt(cmd.Stmt)
	case *syntax.FuncDecl:
		r.apart(func() { r.stmt(cmd.Body) })
	case *syntax.CoprocClause:
		r.apart(func() { r.stmt(cmd.Stmt) })
	case *syntax.DeclClause, *syntax.ArithmCmd, *syntax.LetClause, *syntax.TestClause:
		r.inner(cmd)
	default:
		r.unknown = true
		r.inner(cmd)
	}
}

func (r *lineReader) binary(cmd *syntax.BinaryCmd) {
	switch cmd.Op {
	case syntax.Pipe, syntax.PipeAll:
		r.apart(func() { r.stmt(cmd.X) })
		r.apart(func() { r.stmt(cmd.Y) })
	case syntax.AndStmt:
		r.target = nil
		r.stmt(cmd.X)
		if call, ok := cmd.X.Cmd.(*syntax.CallExpr); ok && r.target != nil && len(call.Args) == 2 {
			// The right side only runs where cd worked.
			after := r.dirs
			r.dirs = r.target
			r.stmt(cmd.Y)
			r.join(after)
			return
		}
		r.stmt(cmd.Y)
	default:
		r.stmt(cmd.X)
		r.stmt(cmd.Y)
	}
}

// loop reads what may run several times: a cd in it may lead anywhere.
func (r *lineReader) loop(body func()) {
	before, commands, hidden, files := slices.Clone(r.dirs), len(r.commands), len(r.hidden), len(r.files)
	body()
	if slices.Equal(before, r.dirs) {
		return
	}
	for i := range r.commands[commands:] {
		r.commands[commands+i].dirs = nil
	}
	for i := range r.hidden[hidden:] {
		r.hidden[hidden+i].dirs = nil
	}
	r.unknown = r.unknown || len(r.files) > files
	r.dirs = nil
}

// join adds folders the shell may be in.
func (r *lineReader) join(dirs []string) {
	if r.dirs == nil || dirs == nil {
		r.dirs = nil
		return
	}
	for _, d := range dirs {
		if !slices.Contains(r.dirs, d) {
			r.dirs = append(r.dirs, d)
		}
	}
	if len(r.dirs) > maxDirs {
		r.dirs = nil
	}
}

// inner reads all expansions below a node.
func (r *lineReader) inner(n syntax.Node) {
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Word:
			r.expansions(n)
			return false
		case *syntax.Stmt:
			r.apart(func() { r.stmt(n) })
			return false
		}
		return true
	})
}

// expansions reads what a word expands: substitutions are commands of the line.
func (r *lineReader) expansions(w *syntax.Word) {
	if w == nil {
		return
	}
	syntax.Walk(w, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			r.apart(func() { r.stmts(n.Stmts) })
			return false
		case *syntax.ProcSubst:
			r.apart(func() { r.stmts(n.Stmts) })
			return false
		case *syntax.ExtGlob:
			r.unknown = true
		case *syntax.ParamExp:
			// Their values are evaluated, so that they may run something.
			r.unknown = r.unknown || n.Excl || n.Exp != nil && n.Exp.Op == syntax.OtherParamOps
		}
		return true
	})
}

// call reads a simple command.
func (r *lineReader) call(call *syntax.CallExpr) {
	for _, a := range call.Assigns {
		r.inner(a)
	}
	args := make([]shell.Arg, len(call.Args))
	for i, arg := range call.Args {
		r.expansions(arg)
		args[i] = readWord(arg).arg(r.home)
	}
	if len(args) == 0 {
		return
	}
	cmd := command{args: args, dirs: slices.Clone(r.dirs)}
	if cmd.name() == "cd" {
		r.cd(args)
	}
	r.add(cmd)
}

// take counts the words of one more command; false where there are too many.
func (r *lineReader) take(words int) bool {
	*r.left -= words + 1
	r.unknown = r.unknown || *r.left < 0
	return *r.left >= 0
}

// add adds a command of the line, and what it may run in turn.
func (r *lineReader) add(c command) {
	if r.take(len(c.args)) {
		r.commands = append(r.commands, c)
		r.within(c, maxNesting)
	}
}

// within adds what a command may run, and what that may run in turn.
func (r *lineReader) within(c command, most int) {
	if most == 0 {
		r.unknown = true
		return
	}
	in := shell.Inside(c.args)
	r.unknown = r.unknown || in.Unknown
	for _, args := range in.Commands {
		if !r.take(len(args)) {
			return
		}
		next := command{args: args, dirs: c.dirs}
		r.hidden = append(r.hidden, next)
		r.within(next, most-1)
	}
	for _, text := range in.Texts {
		r.inside(text)
	}
}

// cd follows a change of folder.
func (r *lineReader) cd(args []shell.Arg) {
	before := r.dirs
	r.target = nil
	if len(args) == 2 && args[1].Fixed && !strings.HasPrefix(args[1].Text, "-") && before != nil {
		for _, dir := range before {
			to := join(dir, args[1].Text)
			if !below(r.root, to) {
				r.away = append(r.away, to)
			}
			r.target = append(r.target, to)
		}
	} else {
		r.away = append(r.away, "a folder that only shows when it runs")
	}
	r.dirs = slices.Clone(r.target)
	r.join(before)
}

// inside reads shell text that a command gets as a word: only deny rules,
// questions and warnings count what it holds.
func (r *lineReader) inside(text string) {
	if r.nesting >= maxNesting || !r.take(0) {
		r.unknown = true
		return
	}
	sub := &lineReader{root: r.root, home: r.home, left: r.left, nesting: r.nesting + 1, dirs: slices.Clone(r.dirs)}
	sub.code(text)
	r.hidden = slices.Concat(r.hidden, sub.commands, sub.hidden)
	r.covert = slices.Concat(r.covert, sub.files, sub.covert)
	r.unknown = r.unknown || sub.unknown
}
