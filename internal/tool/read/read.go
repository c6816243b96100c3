// Package read is the tool that shows a file: lines with their numbers, a range of them, or a picture.
//
// It guarantees bounded memory for a file of any size, and says how to read on where it stopped. What it
// showed is remembered in World.Seen, so that edit and write notice a change by someone else.
//
// It does not decode anything but UTF-8: other bytes show as U+FFFD, binary files are named for what they
// are and not shown.
package read

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"strings"

	"parley/internal/tool"
)

const (
	defaultLines = 2000
	// maxLine is how much of one line is shown, in bytes.
	maxLine = 2000
	// room is kept in the text for what is said about the cut.
	room = 1 << 10
	// sniff is how much of a file is looked at to tell what it is; git looks at as much.
	sniff = 8000
)

type arguments struct {
	Path   string `json:"path"`
	Offset int    `json:"offset"`
	Limit  int    `json:"limit"`
}

// New returns the tool.
func New() tool.Tool {
	return tool.Definition[arguments]{
		Spec: tool.Spec{
			Name: "read",
			Description: "Show a text file with line numbers, or a picture (PNG, JPEG, GIF, WebP). Up to 2000 lines at once; use " +
				"offset and limit for a part of a long file. The line number and the tab after it are not part of the file.",
			Schema: []byte(`{
				"type": "object",
				"properties": {
					"path": {"type": "string", "minLength": 1, "description": "The file, relative to the workspace or absolute"},
					"offset": {"type": "integer", "minimum": 0, "description": "The first line to show; the file's first line is 1"},
					"limit": {"type": "integer", "minimum": 1, "description": "How many lines to show, 2000 by default"}
				},
				"required": ["path"],
				"additionalProperties": false
			}`),
			Aliases: []tool.Alias{
				tool.PathAlias,
				{Of: "offset", Names: []string{"start_line", "line_start"}},
				{Of: "limit", Names: []string{"max_lines", "num_lines"}},
			},
			ReadOnly: true, Concurrent: true,
			Pattern: tool.PatternPath, Family: tool.FamilyRead,
		},
		Targets: func(w tool.World, a arguments) (tool.Targets, error) {
			t, err := w.Target(a.Path, false)
			return tool.Targets{Paths: []tool.Target{t}}, err
		},
		Run:   run,
		Title: func(a arguments) string { return a.Path },
	}.Tool()
}

func run(ctx context.Context, w tool.World, _ tool.Call, a arguments, _ tool.Grow) tool.Result {
	t, file, stat, err := w.OpenFile(a.Path)
	if err != nil {
		return tool.Failed(err)
	}
	defer file.Close()
	if stat.IsDir() {
		return tool.Failf("%s is a directory, use ls", t.Name())
	}
	whole := sha256.New()
	var source io.Reader = tool.Ending(ctx, file)
	if stat.Size() <= tool.MaxFile {
		source = io.TeeReader(source, whole)
	}
	in := bufio.NewReaderSize(source, 64<<10)
	start, err := in.Peek(sniff)
	if err != nil && err != io.EOF {
		return tool.Failed(fmt.Errorf("%s: %w", t.Name(), err))
	}
	if kind := picture(start); kind != "" {
		return view(t, in, stat, kind)
	}
	if word := binary(start, stat.Size()); word != "" {
		return tool.Failf("%s %s", t.Name(), word)
	}
	p := page{first: max(1, a.Offset), limit: a.Limit, size: stat.Size()}
	if p.limit == 0 {
		p.limit = defaultLines
	}
	if err := p.read(in); err != nil {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return tool.Failed(fmt.Errorf("%s: %w", t.Name(), err))
	}
	note(w, t, stat, whole, p)
	return p.result(t)
}

// note remembers what the file held, by content where the whole of it was read.
func note(w tool.World, t tool.Target, stat fs.FileInfo, whole hash.Hash, p page) {
	if !p.ended || stat.Size() > tool.MaxFile {
		w.Seen.Note(t.Path, tool.StampStat(stat))
		return
	}
	w.Seen.Note(t.Path, tool.StampSum(p.bytes, [sha256.Size]byte(whole.Sum(nil))))
}

// page is the part of a file that is shown.
type page struct {
	first, limit int
	size         int64

	text  strings.Builder
	line  int   // lines read so far
	last  int   // the last line shown
	bytes int64 // read so far
	ended bool  // the file was read to its end
	full  bool  // the text is
}

// read goes through the lines. It reads past what it shows to count the lines and to know the content,
// unless the file is large.
func (p *page) read(in *bufio.Reader) error {
	for {
		line, rest, err := next(in)
		if err == io.EOF {
			p.ended = true
			return nil
		}
		if err != nil {
			return err
		}
		p.bytes += int64(len(line)) + rest
		p.line++
		p.show(line, rest)
		if (p.full || p.line >= p.first-1+p.limit) && p.size > tool.MaxFile {
			// Peek tells a file that ends just here from one that goes on.
			_, err := in.Peek(1)
			p.ended = err == io.EOF
			return nil
		}
		if p.bytes > tool.MaxFile && p.size <= tool.MaxFile && p.line >= p.first {
			// It has no honest size: a file of /proc, or one that grows.
			return nil
		}
	}
}

// next returns a line and how many bytes of it do not fit the buffer, and io.EOF at the end.
func next(in *bufio.Reader) (line []byte, rest int64, err error) {
	line, err = in.ReadSlice('\n')
	if err == bufio.ErrBufferFull {
		line = bytes.Clone(line)
		for err == bufio.ErrBufferFull {
			var more []byte
			more, err = in.ReadSlice('\n')
			rest += int64(len(more))
		}
	}
	if err == io.EOF && len(line) > 0 {
		err = nil
	}
	return line, rest, err
}

func (p *page) show(line []byte, rest int64) {
	if p.full || p.line < p.first || p.line >= p.first+p.limit {
		return
	}
	if p.line == 1 {
		line = bytes.TrimPrefix(line, []byte("\ufeff"))
	}
	if rest == 0 {
		line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
	}
	shown := tool.Valid(string(line))
	if over := int64(len(shown)-maxLine) + rest; len(shown) > maxLine {
		shown = tool.Head(shown, maxLine) + fmt.Sprintf(" [%s more in this line]", tool.Bytes(over))
	}
	shown = fmt.Sprintf("%6d\t%s\n", p.line, shown)
	if p.text.Len()+len(shown) > tool.MaxText-room {
		p.full = true
		return
	}
	p.text.WriteString(shown)
	p.last = p.line
}

func (p *page) result(t tool.Target) tool.Result {
	r := tool.Result{Status: tool.Success, Display: tool.Display{File: t.Name(), Language: tool.Language(t.Path)}}
	shown := max(0, p.last-p.first+1)
	r.Summary = tool.Count(shown, "line")
	switch {
	case p.line == 0:
		r.Text, r.Summary = "(the file is empty)", "empty"
		return r
	case shown == 0:
		return tool.Failf("%s has %s, so there is no line %d", t.Name(), tool.Count(p.line, "line"), p.first)
	}
	r.Text = p.text.String()
	total := fmt.Sprint(p.line)
	if !p.ended {
		total = fmt.Sprintf("more than %d, the file has %s", p.line, tool.Bytes(p.size))
	}
	switch {
	case p.last < p.line || !p.ended:
		r.Text += fmt.Sprintf("[lines %d to %d of %s; read on with offset %d]", p.first, p.last, total, p.last+1)
		r.Summary = fmt.Sprintf("lines %d to %d", p.first, p.last)
	case p.first > 1:
		r.Text += fmt.Sprintf("[lines %d to %d, the end of the file]", p.first, p.last)
		r.Summary = fmt.Sprintf("lines %d to %d", p.first, p.last)
	}
	return r
}
