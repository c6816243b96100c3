package permission

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Bounds of what is read of one command line; beyond them it counts as
// unreadable. The parser recurses on parentheses, and slows down with them.
const (
	maxLine     = 64 << 10 // bytes
	maxParens   = 2000
	maxCommands = 2000
	maxNesting  = 5 // sh -c 'sh -c …'
	maxDirs     = 8
	maxSuffixes = 64 // words of a wrapper that may begin another command
)

// line is what a command line will do, as far as it can be read.
type line struct {
	commands []command // each must be allowed
	files    []redirect
	hidden   []command  // what is inside of strings and wrappers: only
	covert   []redirect // deny rules and warnings look at it
	entered  []string   // folders that cd names, absolute
	dynamic  []string   // why no rule on single commands covers the line
	unknown  bool       // something runs that cannot be read
	away     []string   // folders outside of the workspace that cd names
}

// redirect is a file that the shell itself opens.
type redirect struct {
	name  string // absolute, without links
	write bool
}

// lineReader walks the syntax tree of a command line. What it does not know
// makes the line dynamic.
type lineReader struct {
	line
	root, home string
	nesting    int
	// dirs are the folders the shell may be in, nil if that is not known.
	dirs []string
	// moved says that cd came before, so that .. in a path may mean another
	// folder than its text says, through a link.
	moved bool
	// target is where the last cd leads if it works; nil if that is not known.
	target []string
	// redirects counts the redirections read so far.
	redirects int
}

func readLine(c Call) line {
	dir := c.Dir
	if dir == "" {
		dir = c.Root
	}
	r := &lineReader{root: c.Root, home: c.Home}
	if dir != "" {
		r.dirs = []string{path.Clean(dir)}
		if !below(c.Root, dir) {
			r.mark("it starts outside of the workspace")
		}
	}
	r.code(c.Command)
	return r.line
}

// code reads shell text into the line.
func (r *lineReader) code(text string) {
	file := parseLine(text)
	if file == nil {
		r.dynamic = append(r.dynamic, "the shell text cannot be read")
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

func (r *lineReader) mark(reason string) {
	if !slices.Contains(r.dynamic, reason) {
		r.dynamic = append(r.dynamic, reason)
	}
}

func (r *lineReader) stmts(list []*syntax.Stmt) {
	for _, s := range list {
		r.stmt(s)
	}
}

// apart reads what runs in a shell of its own, whose cd does not last.
func (r *lineReader) apart(read func()) {
	dirs, moved := slices.Clone(r.dirs), r.moved
	read()
	r.dirs, r.moved = dirs, moved
}

func (r *lineReader) stmt(s *syntax.Stmt) {
	if s == nil {
		return
	}
	if s.Coprocess || s.Disown {
		r.mark("a coprocess")
	}
	if s.Background {
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
		r.forLoop(cmd)
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
	case *syntax.TestClause:
		r.test(cmd)
	case *syntax.FuncDecl:
		r.mark("a function")
		r.apart(func() { r.stmt(cmd.Body) })
	case *syntax.CoprocClause:
		r.mark("a coprocess")
		r.apart(func() { r.stmt(cmd.Stmt) })
	case *syntax.DeclClause:
		r.mark("a change of variables")
		r.inner(cmd)
	case *syntax.ArithmCmd, *syntax.LetClause:
		r.mark("shell arithmetic")
		r.inner(cmd)
	default:
		r.mark("an unusual shell construct")
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

func (r *lineReader) forLoop(cmd *syntax.ForClause) {
	iter, ok := cmd.Loop.(*syntax.WordIter)
	if !ok || cmd.Select {
		r.mark("shell arithmetic")
		r.inner(cmd.Loop)
		r.loop(func() { r.stmts(cmd.Do) })
		return
	}
	// An upper-case name may be one that programs read, such as PATH.
	name := iter.Name.Value
	if name != strings.ToLower(name) || strings.HasSuffix(name, "_proxy") {
		r.mark("a change of variables")
	}
	for _, item := range iter.Items {
		r.expansions(item)
	}
	r.loop(func() { r.stmts(cmd.Do) })
}

// loop reads what may run several times: a cd in it may lead anywhere.
func (r *lineReader) loop(body func()) {
	before, redirects := slices.Clone(r.dirs), r.redirects
	body()
	if slices.Equal(before, r.dirs) {
		return
	}
	if r.redirects > redirects {
		r.mark("a redirection whose folder only shows when it runs")
	}
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

// test reads [[ … ]]. One comparison of strings or one look at a file changes
// nothing; arithmetic and -v evaluate their operands, and a POSIX shell reads
// the operators as its own.
func (r *lineReader) test(cmd *syntax.TestClause) {
	plain := false
	switch x := cmd.X.(type) {
	case *syntax.Word:
		plain = true
	case *syntax.UnaryTest:
		_, word := x.X.(*syntax.Word)
		plain = word && x.Op != syntax.TsVarSet && x.Op != syntax.TsRefVar && x.Op != syntax.TsNot
	case *syntax.BinaryTest:
		switch x.Op {
		case syntax.TsMatchShort, syntax.TsMatch, syntax.TsNoMatch, syntax.TsNewer, syntax.TsOlder, syntax.TsDevIno:
			plain = true
		}
	}
	if !plain {
		r.mark("an evaluated test")
	}
	r.inner(cmd)
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

// expansions reads what a word expands: substitutions are commands of the
// line, and whatever may run or set something makes it dynamic.
func (r *lineReader) expansions(w *syntax.Word) {
	if w == nil {
		return
	}
	syntax.Walk(w, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			r.mark("a command substitution")
			r.apart(func() { r.stmts(n.Stmts) })
			return false
		case *syntax.ProcSubst:
			r.mark("a process substitution")
			r.apart(func() { r.stmts(n.Stmts) })
			return false
		case *syntax.ArithmExp:
			if !constant(n.X) {
				r.mark("shell arithmetic") // a variable's value is evaluated again
			}
		case *syntax.ExtGlob:
			r.mark("an extended glob")
			r.unknown = true
		case *syntax.ParamExp:
			if !harmless(n) {
				r.mark("an expansion that evaluates or sets something")
			}
		}
		return true
	})
}

func constant(x syntax.ArithmExpr) bool {
	switch x := x.(type) {
	case *syntax.BinaryArithm:
		return constant(x.X) && constant(x.Y)
	case *syntax.UnaryArithm:
		return constant(x.X)
	case *syntax.ParenArithm:
		return constant(x.X)
	case *syntax.Word:
		_, err := strconv.ParseUint(x.Lit(), 10, 63)
		return err == nil
	}
	return false
}

// harmless reports whether a parameter expansion only reads a variable:
// ${x:=y} sets one, ${x@P} and ${!x} evaluate its value, as do subscripts.
func harmless(p *syntax.ParamExp) bool {
	if p.Param == nil || p.Excl || p.Index != nil || p.Slice != nil || p.Names != 0 || p.Flags != nil || p.NestedParam != nil || len(p.Modifiers) > 0 {
		return false
	}
	if p.Exp == nil {
		return true
	}
	switch p.Exp.Op {
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull, syntax.DefaultUnset, syntax.DefaultUnsetOrNull,
		syntax.RemSmallPrefix, syntax.RemLargePrefix, syntax.RemSmallSuffix, syntax.RemLargeSuffix:
		return true
	}
	return false
}
