package fence

import (
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"parley/internal/fence/inside"
)

// Refusal is a path that a command could not reach because of the fence.
type Refusal struct {
	Path string
	// Write says that it was to be changed; otherwise it was to be read.
	Write bool
}

// reasons are how programs say that something was refused, in the C locale, in lower case. Those that only
// a change is refused with come first.
var reasons = []struct {
	text  string
	write bool
}{
	{"read-only file system", true}, {"device or resource busy", true}, {"invalid cross-device link", true}, {"permission denied", false},
}

// Bounds of what is remembered of a command's output.
const (
	longestLine = 4096
	mostPaths   = 32
	mostTries   = 10_000
)

// Reader finds in a command's output what the fence refused. It names only what the fence really forbids:
// a permission denied by the system alone is the command's own affair. It goes by the text alone, which a
// command can print without having tried anything.
type Reader struct {
	dir  string
	plan plan

	mu    sync.Mutex
	part  map[int][]byte // the unfinished line of each stream
	tries int
	found []Refusal
}

func newReader(dir string, p plan) *Reader {
	return &Reader{dir: dir, plan: p, part: make(map[int][]byte)}
}

// Read takes a piece of output of one of several streams.
func (r *Reader) Read(stream int, chunk []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.found) >= mostPaths {
		return
	}
	text := string(append(r.part[stream], chunk...))
	for {
		line, rest, whole := strings.Cut(text, "\n")
		if !whole {
			break
		}
		r.line(line)
		text = rest
	}
	if len(text) > longestLine {
		text = "" // no message of a refusal is that long
	}
	r.part[stream] = []byte(text)
}

// Refusals returns what was found.
func (r *Reader) Refusals() []Refusal {
	r.mu.Lock()
	defer r.mu.Unlock()
	for stream, rest := range r.part {
		r.line(string(rest))
		delete(r.part, stream)
	}
	return slices.Clone(r.found)
}

func (r *Reader) line(line string) {
	if len(line) > longestLine || r.tries > mostTries {
		return
	}
	lower := strings.ToLower(line)
	for _, reason := range reasons {
		at := strings.Index(lower, reason.text)
		if at < 0 || len(lower) != len(line) {
			continue
		}
		for _, path := range candidates(line[:at], line[at+len(reason.text):]) {
			if r.judge(path, reason.write) {
				return
			}
		}
	}
}

// quotes are the pairs in which programs put a path.
var quotes = []string{"''", `""`, "‘’", "``", "`'"}

// candidates are the texts of a message that may be the path it is about, the likeliest first: what is
// quoted after the reason ("Permission denied: '/a'"), then what stands before it, the nearest first.
func candidates(before, after string) []string {
	var list []string
	list = append(list, quoted(after)...)
	near := quoted(before)
	slices.Reverse(near)
	list = append(list, near...)
	before = strings.TrimRight(before, ": ,")
	if i := strings.LastIndex(before, ": "); i >= 0 {
		list = append(list, before[i+2:])
	}
	words := strings.FieldsFunc(before, func(c rune) bool { return c == ' ' || c == '(' || c == ')' || c == '\t' })
	for _, word := range slices.Backward(words) {
		list = append(list, strings.Trim(word, `:,;"'`+"`"))
	}
	return list
}

// quoted lists what is in quotes.
func quoted(s string) []string {
	var list []string
	for _, pair := range quotes {
		open, closing := firstRune(pair), pair[len(firstRune(pair)):]
		rest := s
		for {
			_, inner, ok := strings.Cut(rest, open)
			if !ok {
				break
			}
			if inner, rest, ok = strings.Cut(inner, closing); !ok {
				break
			}
			list = append(list, inner)
		}
	}
	return list
}

func firstRune(s string) string {
	for i := range s {
		if i > 0 {
			return s[:i]
		}
	}
	return s
}

// judge keeps a path that the fence forbids, and says whether it does.
func (r *Reader) judge(path string, write bool) bool {
	if r.tries++; r.tries > mostTries || path == "" || path == "/" || strings.ContainsRune(path, 0) {
		return false
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(r.dir, path)
	}
	path = r.plan.named(filepath.Clean(path))
	if !r.plan.hidden(path) && (!write || r.plan.writable(path)) {
		return false
	}
	if len(r.found) < mostPaths && !slices.ContainsFunc(r.found, func(f Refusal) bool { return f.Path == path }) {
		r.found = append(r.found, Refusal{Path: path, Write: write})
	}
	return true
}

// named finds what a path is called in the plan.
func (p plan) named(path string) string {
	for _, n := range p.names {
		if below(n[0], path) {
			return n[1] + strings.TrimPrefix(path, n[0])
		}
	}
	return path
}

// hidden and writable say what a plan comes to for a path: the innermost mount decides.
func (p plan) hidden(path string) bool {
	m := p.mount(path)
	return m.Kind == inside.Hide || m.Kind == inside.Empty && m.Path != path
}

func (p plan) writable(path string) bool { return p.mount(path).Kind.Writable() }

func (p plan) mount(path string) inside.Mount {
	for dir := path; ; dir = filepath.Dir(dir) {
		for _, m := range p.mounts {
			if m.Path == dir {
				return m
			}
		}
		if dir == "/" || dir == "." {
			return inside.Mount{}
		}
	}
}
