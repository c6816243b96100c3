package workspace

import (
	"bytes"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// rule is one line of an ignore file (gitignore(5)).
type rule struct {
	// base is the directory of the ignore file, relative to the top: "" or "a/b/".
	base    string
	pattern string
	// named rules have no slash and match the last name of a path at any depth.
	named bool
	// literal rules hold no wildcard.
	literal bool
	dirOnly bool
	negated bool
}

// parseRules reads an ignore file. Lines that can never match are left out.
func parseRules(base string, content []byte) []rule {
	var rules []rule
	for line := range bytes.SplitSeq(content, []byte("\n")) {
		if r, ok := parseRule(string(bytes.TrimSuffix(line, []byte("\r")))); ok {
			r.base = base
			rules = append(rules, r)
		}
	}
	return rules
}

func parseRule(line string) (rule, bool) {
	if strings.HasPrefix(line, "#") {
		return rule{}, false
	}
	var r rule
	if rest, ok := strings.CutPrefix(line, "!"); ok {
		r.negated, line = true, rest
	}
	line = trimBlanks(line)
	if rest, ok := strings.CutSuffix(line, "/"); ok {
		r.dirOnly, line = true, rest
	}
	r.named = !strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	if line == "" {
		return rule{}, false
	}
	// git knows no alternatives in braces; doublestar does.
	line = strings.NewReplacer("{", `\{`, "}", `\}`, `\{`, `\{`, `\}`, `\}`, `\\`, `\\`).Replace(line)
	// "a/**" is what is below a, but not a.
	if strings.HasSuffix(line, "/**") {
		line += "/*"
	}
	if !doublestar.ValidatePattern(line) {
		return rule{}, false
	}
	r.pattern = line
	r.literal = !strings.ContainsAny(line, `*?[\`)
	return r, true
}

// trimBlanks cuts trailing blanks, but not one behind a backslash.
func trimBlanks(s string) string {
	end := len(s)
	for end > 0 && s[end-1] == ' ' {
		end--
	}
	slashes := 0
	for end-slashes > 0 && s[end-slashes-1] == '\\' {
		slashes++
	}
	if slashes%2 == 1 && end < len(s) {
		end++
	}
	return s[:end]
}

func (r rule) match(rel string, dir bool) bool {
	if r.dirOnly && !dir {
		return false
	}
	rel, below := strings.CutPrefix(rel, r.base)
	if !below {
		return false
	}
	if r.named {
		rel = path.Base(rel)
	}
	if r.literal {
		return rel == r.pattern
	}
	return doublestar.MatchUnvalidated(r.pattern, rel)
}

// rules are in the order they were read: outer files first. The last one that matches decides.
type rules []rule

// ignored answers for the path itself; whoever asks has asked for its parents before, since nothing below
// an ignored directory can be won back.
func (rs rules) ignored(rel string, dir bool) bool {
	for i := len(rs) - 1; i >= 0; i-- {
		if rs[i].match(rel, dir) {
			return !rs[i].negated
		}
	}
	return false
}

// tree is the folder that ignore files count from: the innermost git work tree that holds a path, else the
// workspace. What an outer repository ignores does not reach into one that lies in it.
type tree struct {
	top string
	git bool
}

func (r *Root) treeOf(p Place) tree {
	for dir := p.Path; ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return tree{dir, true}
		}
		if dir == "/" {
			break
		}
	}
	if p.Inside {
		return tree{r.path, false}
	}
	return tree{p.Path, false}
}

// Git says whether a place is in a git work tree, whose ignore files then count from its top.
func (r *Root) Git(p Place) bool { return r.treeOf(p).git }

// rel is a resolved path relative to the top, "" for the top itself.
func (t tree) rel(resolved string) string {
	if resolved == t.top {
		return ""
	}
	return strings.TrimPrefix(strings.TrimPrefix(resolved, t.top), "/")
}

// outer reads the rules that hold in dir, from .git/info/exclude down to the parents of dir, and says
// whether dir or a parent of it below root is ignored by them. What is above root does not count: a
// workspace may lie in a folder that the repository around it ignores.
func (t tree) outer(dir, root string) (rs rules, ignored bool) {
	if t.git {
		rs = append(rs, parseRules("", readSmall(t.exclude()))...)
	}
	rel := t.rel(dir)
	if rel == "" {
		return rs, false
	}
	at, base := t.top, ""
	for _, name := range strings.Split(rel, "/") {
		rs = append(rs, parseRules(base, readSmall(filepath.Join(at, ".gitignore")))...)
		at = filepath.Join(at, name)
		if rs.ignored(base+name, true) && strings.HasPrefix(at, strings.TrimSuffix(root, "/")+"/") {
			ignored = true
		}
		base += name + "/"
	}
	return rs, ignored
}

// exclude is the path of info/exclude; in a linked work tree .git is a file that names the real place
// (gitrepository-layout(5)).
func (t tree) exclude() string {
	git := filepath.Join(t.top, ".git")
	if target, ok := strings.CutPrefix(string(readSmall(git)), "gitdir:"); ok {
		git = absolute(t.top, strings.TrimSpace(target))
		if common := strings.TrimSpace(string(readSmall(filepath.Join(git, "commondir")))); common != "" {
			git = absolute(git, common)
		}
	}
	return filepath.Join(git, "info", "exclude")
}

func absolute(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// maxRules bounds an ignore file in bytes; what is longer is cut.
const maxRules = 1 << 20

// readSmall reads an ignore file; like git it does not follow a link there, and what cannot be read holds
// no rules.
func readSmall(path string) []byte {
	r := Root{"/"}
	file, err := r.Open(r.At(path))
	if err != nil {
		return nil
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, maxRules))
	if err != nil {
		return nil
	}
	return content
}

// Ignored says whether git would ignore a place: by itself or because of a directory above it. What is
// outside the root is judged by the git work tree it is in. The root itself is never ignored.
func (r *Root) Ignored(p Place, dir bool) bool {
	if p.Path == r.path {
		return false
	}
	parent := filepath.Dir(p.Path)
	t := r.treeOf(r.At(parent))
	rel := t.rel(p.Path)
	rs, ignored := t.outer(parent, r.path)
	if ignored {
		return true
	}
	base := t.rel(parent)
	if base != "" {
		base += "/"
	}
	rs = append(rs, parseRules(base, readSmall(filepath.Join(parent, ".gitignore")))...)
	return rs.ignored(rel, dir)
}
