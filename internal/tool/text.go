package tool

import (
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"
)

// MaxText is the most a result's text holds, in bytes.
const MaxText = 64 << 10

// Valid returns s as valid UTF-8: each byte that is no part of a character becomes U+FFFD.
func Valid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range s {
		b.WriteRune(r)
	}
	return b.String()
}

// Clip returns s as valid UTF-8 of at most MaxText bytes. It is the last net; tools cut by themselves and
// say how to get the rest.
func Clip(s string) string {
	s = Valid(s)
	if len(s) <= MaxText {
		return s
	}
	const mark = "\n[cut]"
	return Head(s, MaxText-len(mark)) + mark
}

// Head returns the longest beginning of s that has at most n bytes and does not end inside a character.
func Head(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// Quote returns a file name as it can stand on a line: one with control characters in it, which could look
// like two names or move a cursor, comes as a Go string.
func Quote(name string) string {
	name = Valid(name)
	if strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 }) {
		return strconv.Quote(name)
	}
	return name
}

// Runes joins what was split: it takes bytes as they come and gives back valid UTF-8, keeping the first
// bytes of a character until the others arrive. What can never become a character is U+FFFD, as Valid
// makes it, so the parts together are Valid of the whole. The zero Runes is ready.
type Runes struct{ open []byte }

// Next returns what can be shown after p arrived.
func (r *Runes) Next(p []byte) string {
	if len(r.open) > 0 {
		p = append(r.open, p...)
		r.open = nil
	}
	keep := 0
	for back := 1; back < utf8.UTFMax && back <= len(p); back++ {
		if b := p[len(p)-back]; utf8.RuneStart(b) {
			if !utf8.FullRune(p[len(p)-back:]) {
				keep = back
			}
			break
		}
	}
	r.open = append([]byte(nil), p[len(p)-keep:]...)
	return Valid(string(p[:len(p)-keep]))
}

// Rest returns what was kept when nothing more will come.
func (r *Runes) Rest() string {
	rest := Valid(string(r.open))
	r.open = nil
	return rest
}

// Language names the highlighting of a file by its name, "" if unknown.
func Language(path string) string {
	base := strings.ToLower(filepath.Base(path))
	if name, ok := languages[base]; ok {
		return name
	}
	return languages[filepath.Ext(base)]
}

var languages = map[string]string{
	".go": "go", "go.mod": "go-mod", ".py": "python", ".js": "javascript", ".mjs": "javascript", ".cjs": "javascript",
	".jsx": "jsx", ".ts": "typescript", ".tsx": "tsx", ".rs": "rust", ".c": "c", ".h": "c", ".cc": "cpp", ".cpp": "cpp",
	".hpp": "cpp", ".java": "java", ".kt": "kotlin", ".swift": "swift", ".rb": "ruby", ".php": "php", ".cs": "csharp",
	".scala": "scala", ".hs": "haskell", ".ml": "ocaml", ".ex": "elixir", ".exs": "elixir", ".erl": "erlang", ".lua": "lua",
	".pl": "perl", ".r": "r", ".jl": "julia", ".zig": "zig", ".dart": "dart", ".sh": "bash", ".bash": "bash", ".zsh": "bash",
	".fish": "fish", ".ps1": "powershell", ".sql": "sql", ".html": "html", ".htm": "html", ".css": "css", ".scss": "scss",
	".json": "json", ".jsonc": "json", ".yaml": "yaml", ".yml": "yaml", ".toml": "toml", ".xml": "xml", ".svg": "xml",
	".md": "markdown", ".markdown": "markdown", ".tex": "tex", ".proto": "protobuf", ".graphql": "graphql", ".tf": "terraform",
	".nix": "nix", ".diff": "diff", ".patch": "diff", ".ini": "ini", ".vue": "vue", ".svelte": "svelte",
	"dockerfile": "docker", "makefile": "make", ".mk": "make", "cmakelists.txt": "cmake", ".cmake": "cmake",
}
