package shell

import (
	"path"
	"strings"
	"unicode"
)

// Bounds of what the patterns of one line may stand for.
const (
	maxMatches = 1000
	maxNames   = 10_000 // that are looked at
	maxName    = 255    // bytes of a name with a pattern in it
)

// planner goes through a line once, from its beginning.
type planner struct {
	World
	text    string
	matches int // how many more names patterns may stand for
	names   int // how many more names may be looked at
	// made are files that the line makes before the words that are read now, or while they are.
	made []string
}

func (p *planner) fail(w word, reason string) error { return unread(p.text, w.at, w.end, reason) }

// enter reads the word of a cd at the beginning.
func (p *planner) enter(w word) error {
	folder, reason := p.below(w.String())
	if reason != "" {
		return p.fail(w, reason)
	}
	switch kind, err := p.kind(folder); {
	case err != nil:
		return p.fail(w, err.Error())
	case kind == KindLink:
		return p.fail(w, reasonLink)
	case kind != KindFolder:
		return p.fail(w, "no such folder")
	}
	p.Folder = folder
	return nil
}

func (p *planner) pipe(commands []command) ([]Step, error) {
	steps := make([]Step, len(commands))
	made := make([][]string, len(commands))
	for i, c := range commands {
		step, err := p.redirects(c)
		if err != nil {
			return nil, err
		}
		steps[i], made[i] = step, p.fresh(step.Files)
	}
	before := p.made
	for i, c := range commands {
		p.made = before
		for k := range made {
			// A command's own words are expanded before its files are opened.
			if k != i {
				p.made = append(p.made[:len(p.made):len(p.made)], made[k]...)
			}
		}
		if err := p.step(&steps[i], c, i > 0); err != nil {
			return nil, err
		}
	}
	p.made = before
	for _, m := range made {
		p.made = append(p.made[:len(p.made):len(p.made)], m...)
	}
	return steps, nil
}

// fresh are those of the files that opening makes.
func (p *planner) fresh(files []File) []string {
	var fresh []string
	for _, f := range files {
		if f.Path == NullDevice || f.Mode == ModeRead {
			continue
		}
		if kind, err := p.kind(f.Path); err == nil && kind == KindMissing {
			fresh = append(fresh, f.Path)
		}
	}
	return fresh
}

func (p *planner) redirects(c command) (Step, error) {
	s := Step{Folder: p.Folder}
	for _, d := range c.redirects {
		st := stream{op: d.op}
		switch d.op {
		case opHere:
			st.body = *d.body
		case opErrToOut:
		default:
			f, err := p.file(d)
			if err != nil {
				return s, err
			}
			s.Files = append(s.Files, f)
		}
		s.streams = append(s.streams, st)
	}
	return s, nil
}

var modes = map[string]Mode{
	opRead: ModeRead, opWrite: ModeWrite, opErrWrite: ModeWrite, opAppend: ModeAppend, opErrAppend: ModeAppend,
}

// file reads the target of a redirection.
func (p *planner) file(d redirect) (File, error) {
	mode := modes[d.op]
	name := d.target.String()
	if name == NullDevice {
		return File{NullDevice, mode}, nil
	}
	const folder = "a folder"
	if last := name[strings.LastIndexByte(name, '/')+1:]; last == "" || last == "." || last == ".." {
		return File{}, p.fail(d.target, folder)
	}
	file, reason := p.below(name)
	if reason != "" {
		return File{}, p.fail(d.target, reason)
	}
	switch kind, err := p.kind(file); {
	case err != nil:
		reason = err.Error()
	case kind == KindLink:
		reason = reasonLink
	case kind == KindFolder:
		reason = folder
	case kind == KindSpecial:
		reason = "neither a file nor a folder"
	case kind == KindShared && mode != ModeRead:
		reason = "a file with a second name, which may be elsewhere"
	}
	if reason != "" {
		return File{}, p.fail(d.target, reason)
	}
	return File{file, mode}, nil
}

// below is the path of a file that a word names, which must be the workspace or below it. The folder it starts from has no links,
// so ".." at the beginning means what it says.
func (p *planner) below(name string) (file, reason string) {
	// Some file systems look past characters that nobody sees: a .git with one in it would be .git.
	if strings.ContainsFunc(name, func(c rune) bool { return unicode.IsControl(c) || unicode.Is(unicode.Cf, c) }) {
		return "", reasonUnseen
	}
	at, rest := p.Folder, name
	if strings.HasPrefix(name, "/") {
		below, ok := strings.CutPrefix(name, strings.TrimSuffix(p.Root, "/"))
		if !ok || below != "" && below[0] != '/' {
			return "", reasonOutside
		}
		at, rest = ".", below
	}
	deep := false
	for part := range strings.SplitSeq(rest, "/") {
		switch {
		case part == "" || part == ".":
		case part == "..":
			if deep {
				return "", reasonParent
			}
			if at == "." {
				return "", reasonOutside
			}
			at = path.Dir(at)
		default:
			deep = true
			at = path.Join(at, part)
		}
	}
	return at, ""
}
