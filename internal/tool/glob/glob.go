// Package glob is the tool that finds files by name.
//
// It guarantees that what git ignores is left out, that the newest files come first, and that the work is
// bounded. It follows no links and does not look into files: grep does.
package glob

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley/internal/tool"
)

// shown is how many files are listed.
const shown = 500

type arguments struct {
	Pattern string `json:"pattern"`
	Path    string `json:"path"`
}

// New returns the tool.
func New() tool.Tool {
	return tool.Definition[arguments]{
		Spec: tool.Spec{
			Name: "glob",
			Description: "Find files by a pattern such as **/*.go, src/**/test_*.{py,pyi} or *.md (that one at any depth); the " +
				"newest come first, up to 500. What .gitignore names is left out.",
			Schema: []byte(`{
				"type": "object",
				"properties": {
					"pattern": {"type": "string", "minLength": 1, "description": "*, **, ?, [a-z] and {a,b}; without a slash it is matched with the name at any depth"},
					"path": {"type": "string", "minLength": 1, "description": "The directory to search, the workspace by default; the pattern is relative to it"}
				},
				"required": ["pattern"],
				"additionalProperties": false
			}`),
			Aliases:  []tool.Alias{tool.DirAlias, {Of: "pattern", Names: []string{"glob_pattern", "glob"}}},
			ReadOnly: true, Concurrent: true,
			Pattern: tool.PatternPath, Family: tool.FamilyRead,
		},
		Targets: func(w tool.World, a arguments) (tool.Targets, error) {
			t, err := w.Target(cmp.Or(a.Path, "."), false)
			t.Below = true
			return tool.Targets{Paths: []tool.Target{t}}, err
		},
		Run:   run,
		Title: func(a arguments) string { return strings.TrimSpace(a.Pattern + " " + a.Path) },
	}.Tool()
}

type match struct {
	name    string
	changed time.Time
}

func run(ctx context.Context, w tool.World, _ tool.Call, a arguments, _ tool.Grow) tool.Result {
	pattern, err := tool.ParseGlob(a.Pattern)
	if err != nil {
		return tool.Failed(err)
	}
	t, file, stat, err := w.OpenFile(cmp.Or(a.Path, "."))
	if err != nil {
		return tool.Failed(err)
	}
	file.Close()
	if !stat.IsDir() {
		return tool.Failf("%s is a file; path must be a directory", t.Name())
	}
	var found []match
	more, err := w.Walk(ctx, t, func(e tool.Entry) error {
		if e.Type.IsDir() || !pattern.Match(e.Below) || w.Hidden(e.Target) {
			return nil
		}
		m := match{name: e.Name()}
		if stat, err := w.Stat(e.Target); err == nil {
			m.changed = stat.ModTime()
		}
		found = append(found, m)
		return nil
	})
	if err != nil {
		return tool.Failed(err)
	}
	slices.SortFunc(found, func(a, b match) int {
		return cmp.Or(b.changed.Compare(a.changed), cmp.Compare(a.name, b.name))
	})
	return result(found, more)
}

func result(found []match, more bool) tool.Result {
	r := tool.Result{Status: tool.Success, Summary: tool.Count(len(found), "file")}
	var b strings.Builder
	for i, m := range found {
		if i == shown || b.Len()+len(m.name) > tool.MaxText-1024 {
			fmt.Fprintf(&b, "[the newest %d of %d files; use a narrower pattern or path for the others]\n", i, len(found))
			break
		}
		b.WriteString(tool.Quote(m.name) + "\n")
	}
	if len(found) == 0 {
		b.WriteString("No files found.\n")
	}
	if more {
		b.WriteString("[There are too many files to look at them all; set path to a smaller directory.]\n")
		r.Summary += " and maybe more"
	}
	r.Text = b.String()
	return r
}
