// Package ls is the tool that lists a directory.
//
// It guarantees an order by name, a mark that tells directories and links from files, and a bound on how
// many entries are shown. It shows what git ignores as well, and does not look into directories: glob does.
package ls

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"parley/internal/tool"
)

const (
	// shown is how many entries are listed.
	shown = 1000
	// batch is how many are read between two looks at the context.
	batch = 1024
	// most is how many are read at all.
	most = 1_000_000
)

type arguments struct {
	Path string `json:"path"`
}

// New returns the tool.
func New() tool.Tool {
	return tool.Definition[arguments]{
		Spec: tool.Spec{
			Name: "ls",
			Description: "List a directory: names in order, directories with a slash at the end, links with an arrow and where they " +
				"lead. Up to 1000 entries.",
			Schema: []byte(`{
				"type": "object",
				"properties": {
					"path": {"type": "string", "minLength": 1, "description": "The directory, relative to the workspace or absolute; the workspace itself by default"}
				},
				"additionalProperties": false
			}`),
			Aliases:  []tool.Alias{tool.DirAlias},
			ReadOnly: true, Concurrent: true,
			Pattern: tool.PatternPath, Family: tool.FamilyRead,
		},
		Targets: func(w tool.World, a arguments) (tool.Targets, error) {
			t, err := w.Target(a.path(), false)
			t.Below = true
			return tool.Targets{Paths: []tool.Target{t}}, err
		},
		Run:   run,
		Title: func(a arguments) string { return a.Path },
	}.Tool()
}

func (a arguments) path() string {
	if a.Path == "" {
		return "."
	}
	return a.Path
}

func run(ctx context.Context, w tool.World, _ tool.Call, a arguments, _ tool.Grow) tool.Result {
	t, dir, stat, err := w.OpenFile(a.path())
	if err != nil {
		return tool.Failed(err)
	}
	defer dir.Close()
	if !stat.IsDir() {
		return tool.Failf("%s is a file of %s, use read", t.Name(), tool.Bytes(stat.Size()))
	}
	entries, more, err := entries(ctx, dir)
	if err != nil {
		return tool.Failed(fmt.Errorf("%s: %w", t.Name(), err))
	}
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return w.Hidden(child(t, e.Name())) })
	r := tool.Result{Status: tool.Success, Summary: tool.Count(len(entries), "entry"), Display: tool.Display{File: t.Name()}}
	if len(entries) == 0 {
		r.Text, r.Summary = "(the directory is empty)", "empty"
		return r
	}
	var b strings.Builder
	for i, e := range entries {
		line := name(w, t, e) + "\n"
		if i == shown || b.Len()+len(line) > tool.MaxText-1024 {
			of := fmt.Sprint(len(entries))
			if more {
				of = "more than " + of
			}
			fmt.Fprintf(&b, "[%d of %s entries; use glob with a pattern for the others]\n", i, of)
			break
		}
		b.WriteString(line)
	}
	r.Text = b.String()
	return r
}

func entries(ctx context.Context, dir tool.File) (all []fs.DirEntry, more bool, err error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, false, err
		}
		some, err := dir.ReadDir(batch)
		all = append(all, some...)
		if err == io.EOF || len(some) == 0 && err == nil {
			break
		}
		if err != nil {
			return nil, false, err
		}
		if len(all) > most {
			more = true
			break
		}
	}
	slices.SortFunc(all, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return all, more, nil
}

func child(dir tool.Target, name string) tool.Target {
	t := tool.Target{Path: filepath.Join(dir.Path, name), Inside: dir.Inside}
	if dir.Rel != "" {
		t.Rel = filepath.Join(dir.Rel, name)
	}
	return t
}

// name is an entry as it is listed.
func name(w tool.World, dir tool.Target, e fs.DirEntry) string {
	name := tool.Quote(e.Name())
	switch kind := e.Type(); {
	case kind.IsDir():
		return name + "/"
	case kind&fs.ModeSymlink != 0:
		if to, err := w.Target(filepath.Join(dir.Path, e.Name()), false); err == nil {
			return name + " -> " + tool.Quote(to.Name())
		}
		return name + " -> ?"
	case kind&fs.ModeNamedPipe != 0:
		return name + " (pipe)"
	case kind&fs.ModeSocket != 0:
		return name + " (socket)"
	case kind&fs.ModeDevice != 0:
		return name + " (device)"
	}
	return name
}
