package repo

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"testing"
)

// Only package need leaves a test out, so that nothing is left out in CI. A
// fuzzer may pass over an input, without a word.
func TestOnlyNeedSkipsTests(t *testing.T) {
	leaves := map[string]bool{"Skip": true, "Skipf": true, "SkipNow": true}
	skips := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == ".git" || d.Name() == ".cache"):
			return fs.SkipDir
		case d.IsDir() || filepath.Ext(path) != ".go":
			return nil
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if f, ok := call.Fun.(*ast.SelectorExpr); ok && leaves[f.Sel.Name] && (len(call.Args) > 0 || f.Sel.Name != "Skip") {
				if file.Name.Name == "need" {
					skips++
				} else {
					t.Errorf("%s: %s leaves a test out: package need does", fset.Position(call.Pos()), f.Sel.Name)
				}
			}
			return true
		})
		return nil
	})
	if err != nil || skips == 0 {
		t.Fatalf("%d skips in package need: %v", skips, err)
	}
}
