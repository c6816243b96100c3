package shell

import (
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// match is a name that a pattern stands for, so far: as a word and as a file.
type match struct{ word, file string }

// expand is what a word stands for: itself, or the files that a pattern matches, sorted by their bytes.
func (p *planner) expand(w word) ([]string, error) {
	if !w.glob() {
		return []string{w.String()}, nil
	}
	prefix, names := w.split()
	start, reason := p.below(prefix)
	if strings.Contains(prefix, "//") {
		reason = "a pattern with an empty name in it"
	}
	if reason != "" {
		return nil, p.fail(w, reason)
	}
	found := []match{{prefix, start}}
	for i, name := range names {
		next, err := p.descend(w, found, name, i == len(names)-1)
		if err != nil {
			return nil, err
		}
		found = next
	}
	if len(found) == 0 {
		return nil, p.fail(w, "no file matches the pattern; in quotes it is a word")
	}
	if p.matches -= len(found); p.matches < 0 {
		return nil, p.fail(w, "patterns that stand for more than 1,000 files")
	}
	args := make([]string, len(found))
	for i, m := range found {
		args[i] = m.word
	}
	slices.Sort(args)
	if strings.HasPrefix(args[0], "-") {
		return nil, p.fail(w, "a file whose name would be an option: "+args[0])
	}
	return args, nil
}

// split cuts a pattern into the path before its first name with a pattern in it, and the names from there on.
func (w word) split() (prefix string, names [][]part) {
	names = [][]part{nil}
	for _, p := range w.parts {
		if p.kind != textKind {
			names[len(names)-1] = append(names[len(names)-1], p)
			continue
		}
		for i, text := range strings.Split(p.text, "/") {
			if i > 0 {
				names = append(names, nil)
			}
			if text != "" {
				names[len(names)-1] = append(names[len(names)-1], part{textKind, text})
			}
		}
	}
	first := slices.IndexFunc(names, func(name []part) bool { return word{parts: name}.glob() })
	for _, name := range names[:first] {
		prefix += word{parts: name}.String() + "/"
	}
	return prefix, names[first:]
}

// descend goes one name further.
func (p *planner) descend(w word, from []match, name []part, last bool) ([]match, error) {
	text := word{parts: name}.String()
	switch {
	case len(text) > maxName:
		return nil, p.fail(w, "a pattern that is longer than the name of a file")
	case text == "" || text == "." || text == "..":
		return nil, p.fail(w, "a pattern with an empty name, . or .. after it")
	case strings.HasPrefix(text, ".") && word{parts: name}.glob():
		return nil, p.fail(w, "a pattern for names that begin with a dot")
	}
	var to []match
	for _, m := range from {
		names, err := p.list(w, m.file, name)
		if err != nil {
			return nil, err
		}
		for _, n := range names {
			next := match{m.word + n, path.Join(m.file, n)}
			kind, err := p.kind(next.file)
			switch {
			case err != nil:
				return nil, p.fail(w, err.Error())
			case kind == KindMissing || !last && kind != KindFolder && kind != KindLink:
				continue
			case !last && kind == KindLink:
				return nil, p.fail(w, reasonLink+": "+next.file)
			case !last:
				next.word += "/"
			}
			to = append(to, next)
		}
	}
	return to, nil
}

// list names what one name of a pattern matches in a folder.
func (p *planner) list(w word, folder string, name []part) ([]string, error) {
	switch kind, err := p.kind(folder); {
	case err != nil:
		return nil, p.fail(w, err.Error())
	case kind == KindLink:
		return nil, p.fail(w, reasonLink)
	case kind != KindFolder:
		return nil, nil
	}
	if err := p.unmade(w, folder, name); err != nil {
		return nil, err
	}
	if !(word{parts: name}).glob() {
		return []string{word{parts: name}.String()}, nil
	}
	if p.List == nil {
		return nil, p.fail(w, "the folder cannot be listed")
	}
	all, err := p.List(folder, p.names)
	if err != nil {
		return nil, p.fail(w, err.Error())
	}
	p.names -= len(all)
	var names []string
	for _, n := range all {
		if strings.HasPrefix(n, ".") || !matches(name, n) {
			continue
		}
		if !utf8.ValidString(n) || strings.ContainsFunc(n, unicode.IsControl) {
			return nil, p.fail(w, "a file with unusual characters in its name")
		}
		names = append(names, n)
	}
	slices.Sort(names)
	return names, nil
}

// unmade fails where the line itself makes a file that the name matches.
func (p *planner) unmade(w word, folder string, name []part) error {
	for _, m := range p.made {
		if path.Dir(m) == folder && matches(name, path.Base(m)) {
			return p.fail(w, "a pattern for a file that the line itself makes: "+m)
		}
	}
	return nil
}

// matches says whether the parts match all of a name. A * that was passed takes one more character each time the rest fails, and
// only the last one has to be tried again.
func matches(parts []part, name string) bool {
	pattern := tokens(parts)
	text := []rune(name)
	star, mark := -1, 0
	i, k := 0, 0
	for k < len(text) {
		switch {
		case i < len(pattern) && pattern[i] == anyToken:
			star, mark = i, k
			i++
		case i < len(pattern) && (pattern[i] == oneToken || pattern[i] == text[k]):
			i++
			k++
		case star >= 0:
			mark++
			i, k = star+1, mark
		default:
			return false
		}
	}
	for i < len(pattern) && pattern[i] == anyToken {
		i++
	}
	return i == len(pattern)
}

// Tokens of a pattern that are no characters.
const (
	anyToken rune = -1
	oneToken rune = -2
)

func tokens(parts []part) []rune {
	var list []rune
	for _, p := range parts {
		switch p.kind {
		case anyKind:
			list = append(list, anyToken)
		case oneKind:
			list = append(list, oneToken)
		default:
			list = append(list, []rune(p.text)...)
		}
	}
	return list
}
