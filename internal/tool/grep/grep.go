// Package grep is the tool that searches files for a regular expression.
//
// It guarantees one dialect (Go's RE2, matched line by line), one order and one format, whether ripgrep
// does the work, where it is installed, or the walker here. What git ignores, binary files and the .git
// folder are left out; the work and the answer are bounded.
//
// A file counts as binary by a zero byte in its first 8,000 bytes, as for git. One with a zero byte further
// on is where the two engines may differ: ripgrep gives up there. So is an .rgignore file, which some versions
// of ripgrep cannot be told to leave alone.
package grep

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"parley/internal/tool"
)

const (
	// shown is how many matching lines are listed.
	shown = 1000
	// maxLine is how much of a line is shown, in bytes.
	maxLine = 500
	// sniff is how much of a file is looked at to tell whether it is binary.
	sniff = 8000
	// room is kept in the text for what is said about the cut.
	room = 1 << 10
)

type arguments struct {
	Pattern string `json:"pattern"`
	Path    string `json:"path"`
	Glob    string `json:"glob"`
}

// New returns the tool.
func New() tool.Tool {
	return tool.Definition[arguments]{
		Spec: tool.Spec{
			Name: "grep",
			Description: "Search files for a regular expression (RE2: no look-around, no back references; (?i) ignores case), line by " +
				"line. The answer is PATH:LINE: TEXT, up to 1000 lines. What .gitignore names and binary files are left out.",
			Schema: []byte(`{
				"type": "object",
				"properties": {
					"pattern": {"type": "string", "minLength": 1, "description": "The regular expression"},
					"path": {"type": "string", "minLength": 1, "description": "The file or directory to search, the workspace by default"},
					"glob": {"type": "string", "minLength": 1, "description": "Only files that match, such as *.go or src/**/*.{ts,tsx}; without a slash it is matched with the name at any depth"}
				},
				"required": ["pattern"],
				"additionalProperties": false
			}`),
			Aliases: []tool.Alias{
				tool.DirAlias,
				{Of: "pattern", Names: []string{"regex", "regexp", "query", "search"}},
				{Of: "glob", Names: []string{"include", "include_pattern", "file_pattern"}},
			},
			ReadOnly: true, Concurrent: true,
			Pattern: tool.PatternPath, Family: tool.FamilyRead,
		},
		Targets: func(w tool.World, a arguments) (tool.Targets, error) {
			t, err := w.Target(cmp.Or(a.Path, "."), false)
			t.Below = true
			return tool.Targets{Paths: []tool.Target{t}}, err
		},
		Run:   run,
		Title: title,
	}.Tool()
}

// title is the pattern, and where it is looked for.
func title(a arguments) string {
	if a.Pattern == "" {
		return ""
	}
	words := []string{`"` + a.Pattern + `"`, a.Path, a.Glob}
	return strings.Join(slices.DeleteFunc(words, func(word string) bool { return word == "" }), " ")
}

// search is one use of the tool.
type search struct {
	w       tool.World
	start   tool.Target
	pattern *regexp.Regexp
	// foreign is the same pattern for ripgrep.
	foreign string
	glob    tool.Glob
	found   report
}

func run(ctx context.Context, w tool.World, _ tool.Call, a arguments, _ tool.Grow) tool.Result {
	pattern, foreign, err := compile(a.Pattern)
	if err != nil {
		return tool.Failed(err)
	}
	glob, err := tool.ParseGlob(cmp.Or(a.Glob, "**"))
	if err != nil {
		return tool.Failed(err)
	}
	t, file, stat, err := w.OpenFile(cmp.Or(a.Path, "."))
	if err != nil {
		return tool.Failed(err)
	}
	file.Close()
	s := &search{w: w, start: t, pattern: pattern, foreign: foreign, glob: glob}
	if stat.IsDir() && s.fits() {
		err = s.ripgrep(ctx)
	} else {
		err = errUnfit
	}
	if errors.Is(err, errUnfit) {
		s.found = report{}
		err = s.walk(ctx)
	}
	if err != nil {
		return tool.Failed(err)
	}
	return s.found.result()
}

// binary says whether the beginning of a file is that of a binary one.
func binary(start []byte) bool { return bytes.IndexByte(start[:min(len(start), sniff)], 0) >= 0 }

// add takes a matching line; full says that no more are wanted.
func (s *search) add(name string, number int, line []byte) (full bool) {
	text := tool.Quote(name) + ":" + strconv.Itoa(number) + ": " + s.clip(line) + "\n"
	r := &s.found
	if r.lines == shown || r.text.Len()+len(text) > tool.MaxText-room {
		r.cut = true
		return true
	}
	if name != r.last {
		r.last = name
		r.files++
	}
	r.lines++
	r.text.WriteString(text)
	return false
}

// clip shortens a long line to what is around its match.
func (s *search) clip(line []byte) string {
	if len(line) <= maxLine {
		return tool.Valid(string(line))
	}
	start := 0
	if at := s.pattern.FindIndex(line); at != nil {
		start = max(0, min(at[0]-maxLine/4, len(line)-maxLine))
	}
	for start > 0 && start < len(line) && !utf8.RuneStart(line[start]) {
		start--
	}
	text := tool.Head(tool.Valid(string(line[start:min(len(line), start+maxLine+utf8.UTFMax)])), maxLine)
	if start > 0 {
		text = "…" + text
	}
	if start+len(text) < len(line) {
		text += "…"
	}
	return text
}

// report is what was found so far.
type report struct {
	text         strings.Builder
	lines, files int
	last         string
	cut          bool // there are more matches than were wanted
	more         bool // there are more files than were looked at
}

func (r *report) result() tool.Result {
	out := tool.Result{Status: tool.Success, Summary: tool.Count(r.lines, "match")}
	if r.lines == 0 {
		r.text.WriteString("No matches found.\n")
	}
	if r.cut {
		fmt.Fprintf(&r.text, "[Only the first %s, there are more; use a narrower pattern, path or glob.]\n", tool.Count(r.lines, "match"))
		out.Summary = fmt.Sprintf("more than %s", tool.Count(r.lines, "match"))
	}
	if r.more {
		r.text.WriteString("[There are too many files to look at them all; set path to a smaller directory.]\n")
	}
	if r.files > 1 {
		out.Summary += fmt.Sprintf(" in %d files", r.files)
	}
	out.Text = r.text.String()
	return out
}
