// Package edit is the tool that changes parts of a file by exact text.
//
// It guarantees all or nothing: several edits are applied in their order, each to what the one before it
// left, and the file is written once, in one step. Text that is not there, or there more than once, is
// refused with where to look; so is a file that was changed by someone else since this session saw it.
// CRLF line endings, a byte order mark, a missing final newline and bytes that are not UTF-8 stay as they
// are.
//
// Text that stands there once but for blanks at the ends of lines, typographic signs or the indentation of whole lines is
// taken, and the result says so; the new text gets the file's indentation. Where nothing is exact and several places
// are like it, none is taken.
package edit

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"parley/internal/diff"
	"parley/internal/tool"
)

// maxDiff is how much of a diff is shown, in bytes.
const maxDiff = 64 << 10

type arguments struct {
	Path  string `json:"path"`
	Edits []edit `json:"edits"`
}

type edit struct {
	Old string `json:"old"`
	New string `json:"new"`
	All bool   `json:"all"`
}

// New returns the tool.
func New() tool.Tool {
	return tool.Definition[arguments]{
		Spec: tool.Spec{
			Name: "edit",
			Description: "Replace parts of a file. Each old text must be exactly what stands in the file, white space included, " +
				"and stand there once, or all must be set. Edits are applied in order, all or none. Leave out the line " +
				"numbers that read shows.",
			Schema: []byte(`{
				"type": "object",
				"properties": {
					"path": {"type": "string", "minLength": 1, "description": "The file, relative to the workspace or absolute"},
					"edits": {
						"type": "array",
						"minItems": 1,
						"items": {
							"type": "object",
							"properties": {
								"old": {"type": "string", "minLength": 1, "description": "The text to replace, with enough around it to be unique"},
								"new": {"type": "string", "description": "What to put there; empty to remove the old text"},
								"all": {"type": "boolean", "description": "Replace every occurrence"}
							},
							"required": ["old", "new"],
							"additionalProperties": false
						}
					}
				},
				"required": ["path", "edits"],
				"additionalProperties": false
			}`),
			Aliases: []tool.Alias{
				tool.PathAlias,
				{Of: "edits.old", Names: []string{"old_string", "old_str", "old_text", "search"}},
				{Of: "edits.new", Names: []string{"new_string", "new_str", "new_text", "replace", "replacement"}},
				{Of: "edits.all", Names: []string{"replace_all"}},
			},
			Pattern: tool.PatternPath, Family: tool.FamilyEdit,
		},
		Targets: func(w tool.World, a arguments) (tool.Targets, error) {
			t, err := w.Target(a.Path, true)
			return tool.Targets{Paths: []tool.Target{t}}, err
		},
		Run:     run,
		Preview: preview,
		Title:   func(a arguments) string { return a.Path },
	}.Tool()
}

// plan reads the file and makes its new content.
func plan(ctx context.Context, w tool.World, a arguments, t tool.Target) (old []byte, new applied, err error) {
	old, there, err := w.Content(ctx, t)
	switch {
	case err != nil:
		return nil, new, err
	case !there:
		_, file, _, err := w.OpenFile(a.Path)
		if err == nil {
			// It came into being this very moment.
			file.Close()
			err = fmt.Errorf("%s did not exist", t.Name())
		}
		return nil, new, err
	case bytes.IndexByte(old, 0) >= 0:
		return nil, new, fmt.Errorf("%s is a binary file", t.Name())
	case w.Seen.Stale(t.Path, tool.StampOf(old)):
		return nil, new, fmt.Errorf("%s was changed by someone else since it was last read; read it again first", t.Name())
	}
	new, err = apply(ctx, old, a.Edits)
	if err != nil {
		return nil, new, fmt.Errorf("%s: %w", t.Name(), err)
	}
	return old, new, nil
}

func preview(ctx context.Context, w tool.World, a arguments) (tool.Preview, error) {
	// Whether the file may be touched is what the preview is shown for.
	t, err := w.Target(a.Path, true)
	if err != nil {
		return tool.Preview{}, err
	}
	old, made, err := plan(ctx, w, a, t)
	if err != nil {
		return tool.Preview{}, err
	}
	unified := diff.Unified(t.Name(), t.Name(), old, made.content)
	p := tool.Preview{File: t.Name(), Language: tool.Language(t.Path), Summary: summary(unified), Change: tool.ChangeOf(t, old, made.content)}
	p.Diff, p.Truncated = diff.Cut(tool.Exact(unified), maxDiff)
	return p, nil
}

func summary(unified string) string {
	added, removed := diff.Stat(unified)
	return fmt.Sprintf("+%d −%d", added, removed)
}

func run(ctx context.Context, w tool.World, _ tool.Call, a arguments, _ tool.Grow) tool.Result {
	t, err := w.Reach(a.Path, true)
	if err != nil {
		return tool.Failed(err)
	}
	old, made, err := plan(ctx, w, a, t)
	if err != nil {
		return tool.Failed(err)
	}
	if err := w.Approved(tool.ChangeOf(t, old, made.content)); err != nil {
		return tool.Failed(err)
	}
	if err := w.Save(t, made.content); err != nil {
		return tool.Failed(err)
	}
	unified := diff.Unified(t.Name(), t.Name(), old, made.content)
	r := tool.Result{Status: tool.Success, Summary: summary(unified)}
	r.Display = tool.Display{File: t.Name(), Language: tool.Language(t.Path)}
	r.Display.Diff, r.Display.Truncated = diff.Cut(tool.Valid(unified), maxDiff)
	r.Text = fmt.Sprintf("Edited %s: %s, %s.", t.Name(), tool.Count(made.count, "replacement"), r.Summary)
	for _, taken := range made.taken {
		r.Text += " " + strings.ToUpper(taken[:1]) + taken[1:] + "."
	}
	return r
}
