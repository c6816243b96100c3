// Package repo holds the tests of the repository itself: the layers of its
// packages, the size of its files and functions, the comments on its names, and
// the documents that are written from the code.
package repo

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// layers lists the packages below internal/ from the bottom up, a group a line.
// A package may import groups above its own line only from below: it imports
// earlier groups, and its own parent directory. "x/*" is every child of x that
// has no line of its own.
const layers = `
near
event event/eventtest
command
transcript transcript/transcripttest
cell catalog catalog/* regular host picture scarce printout room shell shell/shelltest address fence/filter fence/inside fence/seatbelt
config fence/proxy
fence
journal llm tool permission workspace markdown diff transport
journal/* llm/* tool/* transport/* agent display
session display/plain wire tool/tooltest
wire/wiretest
wire/*
term
server client
tui
runtime
doctor
cli
`

// wiring names the packages that may import a child: the program's wiring and
// what is a child's own test suite.
var wiring = map[string]bool{
	"cli":     true,
	"runtime": true, // it lists the tools and the providers
	"client":  true, // it dials the one socket that is always there
}

// root is the repository, seen from here.
const root = "../.."

// conventional methods say what they are by their names.
var conventional = map[string]bool{"String": true, "Error": true, "Unwrap": true}

// Imports go down the layers only, and only the wiring imports a child.
func TestLayers(t *testing.T) {
	level := map[string]int{}
	for i, line := range strings.Split(strings.TrimSpace(layers), "\n") {
		for _, p := range strings.Fields(line) {
			level[p] = i
		}
	}
	at := func(p string) (int, bool) {
		for dir := p; ; dir = filepath.Dir(dir) {
			if n, ok := level[dir]; ok && dir == p {
				return n, true
			}
			if n, ok := level[filepath.Dir(dir)+"/*"]; ok {
				return n, true
			}
			if dir = filepath.Dir(dir); dir == "." {
				return 0, false
			}
		}
	}
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "parley/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		f := strings.Fields(line)
		from, ours := strings.CutPrefix(f[0], "parley/internal/")
		if !ours {
			continue
		}
		n, ok := at(from)
		if !ok {
			t.Errorf("%s has no layer: add it to layers", from)
		}
		for _, imp := range f[1:] {
			to, ours := strings.CutPrefix(imp, "parley/internal/")
			if !ours || strings.HasPrefix(from, to+"/") || strings.HasPrefix(to, from+"/internal/") {
				continue
			}
			if m, _ := at(to); m >= n && filepath.Dir(to) != from {
				t.Errorf("%s imports %s, which is not below it", from, to)
			}
			if strings.Contains(to, "/") && isChild(to) && !wiring[from] && filepath.Dir(from) != filepath.Dir(to) && !sameFamily(from, to) {
				t.Errorf("%s imports %s: only the wiring imports a child", from, to)
			}
		}
	}
}

// isChild reports whether a package is an implementation of its directory's
// contract.
func isChild(p string) bool {
	switch strings.Split(p, "/")[0] {
	case "display", "journal", "llm", "tool", "transport", "wire":
		return !strings.HasSuffix(p, "test") && p != "wire/native"
	}
	return false
}

func sameFamily(a, b string) bool { return strings.Split(a, "/")[0] == strings.Split(b, "/")[0] }

// Every package says what it is, and every exported name has a comment.
func TestEveryExportedNameIsDocumented(t *testing.T) {
	err := filepath.WalkDir(root+"/internal", func(dir string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if d.Name() == "testdata" {
			return fs.SkipDir
		}
		fset := token.NewFileSet()
		matches, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			return err
		}
		var files []*ast.File
		for _, name := range matches {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
			if err != nil {
				return err
			}
			files = append(files, file)
		}
		if len(files) == 0 {
			return nil
		}
		p, err := doc.NewFromFiles(fset, files, dir)
		if err != nil {
			return err
		}
		if len(p.Doc) < 40 {
			t.Errorf("%s: no package comment", dir)
		}
		undocumented(t, dir, p)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func undocumented(t *testing.T, dir string, p *doc.Package) {
	funcs := p.Funcs
	for _, typ := range p.Types {
		if typ.Doc == "" && !grouped(typ.Decl) {
			t.Errorf("%s: type %s has no comment", dir, typ.Name)
		}
		funcs = append(append(funcs, typ.Funcs...), typ.Methods...)
	}
	for _, f := range funcs {
		if f.Doc == "" && ast.IsExported(f.Name) && f.Level == 0 && !conventional[f.Name] {
			t.Errorf("%s: %s has no comment", dir, f.Name)
		}
	}
}

// grouped reports whether a type stands in a group, whose comment is its own.
func grouped(d *ast.GenDecl) bool { return d.Lparen.IsValid() }

// The most lines of a file, and of a function, that people read to the end.
const (
	fileLines     = 450
	functionLines = 70
)

// No file and no function of the program, test suites apart, is longer than it
// should be.
func TestFilesAndFunctionsAreShort(t *testing.T) {
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		switch name := d.Name(); {
		case d.IsDir() && (strings.HasSuffix(name, "test") || name == "testdata" || name == ".cache" || name == ".git"):
			return fs.SkipDir
		case d.IsDir() || filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, path, nil, 0)
		if err != nil {
			return err
		}
		if n := fset.File(file.Pos()).LineCount(); n > fileLines {
			t.Errorf("%s has %d lines, more than %d: divide it by what it does", path, n, fileLines)
		}
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if n := fset.Position(f.End()).Line - fset.Position(f.Pos()).Line + 1; n > functionLines {
				t.Errorf("%s: %s has %d lines, more than %d: divide it", path, f.Name.Name, n, functionLines)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
