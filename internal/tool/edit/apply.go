package edit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"

	"parley/internal/tool"
)

var mark = []byte("\ufeff")

// applied is what edits made of a file.
type applied struct {
	content []byte
	count   int      // of replacements
	taken   []string // what stands there for an old text that is written in another way
}

// apply makes the new content, all edits or none.
func apply(ctx context.Context, content []byte, edits []edit) (out applied, err error) {
	body, marked := bytes.CutPrefix(content, mark)
	for i, e := range edits {
		if err := ctx.Err(); err != nil {
			return applied{}, err
		}
		next, n, taken, err := one(body, e)
		if err != nil && len(edits) > 1 {
			err = fmt.Errorf("edit %d of %d, nothing was changed: %w", i+1, len(edits), err)
		}
		if err != nil {
			return applied{}, err
		}
		body, out.count = next, out.count+n
		if taken != "" {
			out.taken = append(out.taken, taken)
		}
	}
	if len(body) > tool.MaxFile {
		return applied{}, fmt.Errorf("the result would have %s, the most is %s", tool.Bytes(int64(len(body))), tool.Bytes(tool.MaxFile))
	}
	if marked {
		body = append(bytes.Clone(mark), body...)
	}
	out.content = body
	return out, nil
}

// maxPlaces bounds how many places of an ambiguous text are named.
const maxPlaces = 8

// one makes one edit. Where its old text is written in another way in the file, taken says so.
func one(body []byte, e edit) (out []byte, count int, taken string, err error) {
	if e.Old == "" {
		return nil, 0, "", errors.New("old is empty")
	}
	if e.Old == e.New {
		return nil, 0, "", errors.New("old and new are the same")
	}
	v := look(body)
	old := []byte(v.plain(e.Old))
	at := occurrences(v.text, old)
	switch {
	case len(at) == 0:
		m, places := forgive(v.text, string(old), v.plain(e.New))
		switch len(places) {
		case 0:
			return nil, 0, "", fmt.Errorf("old is not in the file%s", hint(v.text, string(old)))
		case 1:
			start, end := v.source(m.start), v.source(m.end)
			return slices.Concat(body[:start], []byte(v.ending(body[start:end], m.new)), body[end:]), 1, m.taken(), nil
		}
		return nil, 0, "", fmt.Errorf("%w; none of them is exactly old: %s", ambiguous(v.text, places), m.why)
	case len(at) > 1 && !e.All:
		return nil, 0, "", ambiguous(v.text, at)
	}
	out, count, err = v.replace(body, old, e.New)
	return out, count, "", err
}

// replace puts a new text in the place of all that are the old one.
func (v view) replace(body, old []byte, new string) ([]byte, int, error) {
	var out bytes.Buffer
	done, count := 0, 0
	for from := 0; ; {
		i := bytes.Index(v.text[from:], old)
		if i < 0 {
			break
		}
		start, end := v.source(from+i), v.source(from+i+len(old))
		out.Write(body[done:start])
		out.WriteString(v.ending(body[start:end], new))
		from, done, count = from+i+len(old), end, count+1
		if out.Len() > 2*tool.MaxFile {
			return nil, 0, errors.New("the result is too large")
		}
	}
	out.Write(body[done:])
	return out.Bytes(), count, nil
}

// maxCount bounds how far ambiguous places are counted.
const maxCount = 1000

// occurrences are the places of part, also those that overlap: each could be the one that is meant.
func occurrences(text, part []byte) []int {
	var places []int
	for at := 0; len(places) <= maxCount; {
		i := bytes.Index(text[at:], part)
		if i < 0 {
			break
		}
		places = append(places, at+i)
		at += i + 1
	}
	return places
}

func ambiguous(text []byte, at []int) error {
	var lines []string
	for _, p := range at[:min(len(at), maxPlaces)] {
		lines = append(lines, fmt.Sprint(1+bytes.Count(text[:p], []byte("\n"))))
	}
	count, more := fmt.Sprint(len(at)), ""
	if len(at) > maxCount {
		count = fmt.Sprintf("more than %d", maxCount)
	}
	if len(at) > maxPlaces {
		more = " and more"
	}
	return fmt.Errorf("old stands in the file %s times, at lines %s%s; add what is around it, or set all",
		count, strings.Join(lines, ", "), more)
}

// view is a file as a model sees it: with LF line endings.
type view struct {
	text []byte
	// cut are the places in text, rising, of each LF that had a CR before it.
	cut []int
	// crlf says that most lines of the file end in CRLF.
	crlf bool
}

func look(body []byte) view {
	pairs := bytes.Count(body, []byte("\r\n"))
	if pairs == 0 {
		return view{text: body}
	}
	v := view{text: make([]byte, 0, len(body)-pairs), cut: make([]int, 0, pairs)}
	for rest := body; ; {
		i := bytes.Index(rest, []byte("\r\n"))
		if i < 0 {
			v.text = append(v.text, rest...)
			break
		}
		v.text = append(v.text, rest[:i]...)
		v.cut = append(v.cut, len(v.text))
		v.text = append(v.text, '\n')
		rest = rest[i+2:]
	}
	v.crlf = pairs*2 > bytes.Count(v.text, []byte("\n"))
	return v
}

// plain is a text of the model's in the endings of the view.
func (v view) plain(s string) string {
	if v.cut == nil {
		return s
	}
	return strings.ReplaceAll(s, "\r\n", "\n")
}

// source is the place in the file of a place in the view: before the CR where a LF follows that had one.
func (v view) source(at int) int { return at + sort.SearchInts(v.cut, at) }

// ending gives a new text the line endings of what it replaces, or, if that had none, of most of the file.
func (v view) ending(old []byte, new string) string {
	if v.cut == nil || strings.Contains(new, "\r") {
		return new
	}
	crlf := v.crlf
	if lines := bytes.Count(old, []byte("\n")); lines > 0 {
		crlf = bytes.Count(old, []byte("\r\n"))*2 > lines
	}
	if crlf {
		return strings.ReplaceAll(new, "\n", "\r\n")
	}
	return new
}
