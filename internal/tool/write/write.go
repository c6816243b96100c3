// Package write is the tool that writes a whole file.
//
// It guarantees that a reader sees the old content or the new one and nothing between, that permission
// bits, CRLF line endings and a byte order mark of the old file stay, and that a file that was changed by
// someone else since this session saw it is not overwritten.
//
// It does not ask whether an existing file was read before: the diff is there to be looked at.
package write

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
	Path    string `json:"path"`
	Content string `json:"content"`
}

// New returns the tool.
func New() tool.Tool {
	return tool.Definition[arguments]{
		Spec: tool.Spec{
			Name: "write",
			Description: "Write a file: make a new one, with the directories it needs, or replace all of an existing one. To " +
				"change a part of a file use edit.",
			Schema: []byte(`{
				"type": "object",
				"properties": {
					"path": {"type": "string", "minLength": 1, "description": "The file, relative to the workspace or absolute"},
					"content": {"type": "string", "description": "All of the file's new content"}
				},
				"required": ["path", "content"],
				"additionalProperties": false
			}`),
			Aliases: []tool.Alias{tool.PathAlias, {Of: "content", Names: []string{"contents", "file_text", "file_content", "text"}}},
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

// change is what a call would do.
type change struct {
	target   tool.Target
	there    bool
	old, new []byte
	kept     string
}

func plan(ctx context.Context, w tool.World, a arguments, t tool.Target) (change, error) {
	c := change{target: t, new: []byte(a.Content)}
	var err error
	if c.old, c.there, err = w.Content(ctx, t); err != nil {
		return c, err
	}
	if c.there && w.Seen.Stale(t.Path, tool.StampOf(c.old)) {
		return c, fmt.Errorf("%s was changed by someone else since it was last read; read it again first", t.Name())
	}
	c.new, c.kept = keep(c.old, c.new)
	return c, nil
}

var mark = []byte("\ufeff")

// keep gives new content the line endings and the byte order mark of the old one. A model cannot see
// either in what read shows, so leaving them out is not its wish.
func keep(old, new []byte) ([]byte, string) {
	var kept []string
	lines, returns := bytes.Count(old, []byte("\n")), bytes.Count(old, []byte("\r\n"))
	if lines > 0 && lines == returns && !bytes.Contains(new, []byte("\r")) && bytes.Contains(new, []byte("\n")) {
		new = bytes.ReplaceAll(new, []byte("\n"), []byte("\r\n"))
		kept = append(kept, "CRLF line endings")
	}
	if bytes.HasPrefix(old, mark) && !bytes.HasPrefix(new, mark) {
		new = append(bytes.Clone(mark), new...)
		kept = append(kept, "the byte order mark")
	}
	return new, strings.Join(kept, " and ")
}

// id is nil for a file that is not there, and never for an empty one.
func (c change) id() tool.Change {
	if c.there && c.old == nil {
		c.old = []byte{}
	}
	return tool.ChangeOf(c.target, c.old, c.new)
}

// shown is the diff for whoever allows the write: all of what will be in the file, also where that is no text. Of a
// binary file that goes it says nothing.
func (c change) shown() string {
	if bytes.IndexByte(c.old, 0) >= 0 {
		c.old = nil
	}
	return c.unified()
}

func (c change) diff() string {
	if bytes.IndexByte(c.old, 0) >= 0 || bytes.IndexByte(c.new, 0) >= 0 {
		return ""
	}
	return c.unified()
}

func (c change) unified() string {
	from := c.target.Name()
	if !c.there {
		from = diff.Absent
	}
	return diff.Unified(from, c.target.Name(), c.old, c.new)
}

func (c change) summary(unified string) string {
	switch added, removed := diff.Stat(unified); {
	case bytes.Equal(c.old, c.new) && c.there:
		return "unchanged"
	case unified == "":
		return tool.Bytes(int64(len(c.new)))
	case !c.there:
		return "new, " + tool.Count(added, "line")
	default:
		return fmt.Sprintf("+%d −%d", added, removed)
	}
}

func preview(ctx context.Context, w tool.World, a arguments) (tool.Preview, error) {
	// Whether the file may be touched is what the preview is shown for.
	t, err := w.Target(a.Path, true)
	if err != nil {
		return tool.Preview{}, err
	}
	c, err := plan(ctx, w, a, t)
	if err != nil {
		return tool.Preview{}, err
	}
	p := tool.Preview{File: t.Name(), Language: tool.Language(t.Path), Summary: c.summary(c.diff()), Change: c.id()}
	p.Diff, p.Truncated = diff.Cut(tool.Exact(c.shown()), maxDiff)
	return p, nil
}

func run(ctx context.Context, w tool.World, _ tool.Call, a arguments, _ tool.Grow) tool.Result {
	t, err := w.Reach(a.Path, true)
	if err != nil {
		return tool.Failed(err)
	}
	c, err := plan(ctx, w, a, t)
	if err != nil {
		return tool.Failed(err)
	}
	if err := w.Approved(c.id()); err != nil {
		return tool.Failed(err)
	}
	if err := w.Save(t, c.new); err != nil {
		return tool.Failed(err)
	}
	unified := c.diff()
	r := tool.Result{Status: tool.Success, Summary: c.summary(unified)}
	r.Display = tool.Display{File: t.Name(), Language: tool.Language(t.Path)}
	r.Display.Diff, r.Display.Truncated = diff.Cut(tool.Valid(unified), maxDiff)
	r.Text = fmt.Sprintf("Wrote %s: %s.", t.Name(), r.Summary)
	if c.kept != "" {
		r.Text += " Kept " + c.kept + "."
	}
	return r
}
