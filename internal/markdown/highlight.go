package markdown

import (
	"embed"
	"strings"
	"sync"

	"github.com/alecthomas/chroma/v2"

	"parley/internal/cell"
)

// The lexers are chroma's definition files, read when a language is first seen:
// its own lexers package costs every start of the program 11 ms.
//
//go:embed lexer/*.xml
var definitionFiles embed.FS

// languages lists, for each file, what else its language is called in fences.
const languages = `
bash sh shell zsh ksh
c h
clojure clj edn
cmake
console bash-session shell-session shellsession
cpp c++ cc cxx hpp
csharp c# cs
css
dart
diff patch udiff
docker dockerfile containerfile
elixir ex exs
erlang erl
go golang
graphql gql
haskell hs
html htm xhtml
ini cfg dosini properties
java
javascript js mjs cjs node
json jsonc json5 jsonl
kotlin kt kts
lua
makefile make mk
nginx
nix
ocaml ml
perl pl
php
powershell posh ps1 pwsh
protobuf proto
python py py3 python3 starlark
r
react jsx
ruby rb
rust rs
scala
sql postgres postgresql mysql sqlite
swift
terraform tf hcl
toml
typescript ts tsx
xml svg
yaml yml
zig
`

// needs names the lexers that a lexer hands a part of its text to.
var needs = map[string][]string{
	"console":  {"bash"},
	"docker":   {"bash", "json"},
	"html":     {"css", "javascript"},
	"makefile": {"bash"},
}

// files maps each name of a language to its file.
var files = sync.OnceValue(func() map[string]string {
	names := make(map[string]string)
	for line := range strings.Lines(languages) {
		fields := strings.Fields(line)
		for _, name := range fields {
			names[name] = fields[0]
		}
	}
	return names
})

// lexers holds the lexers that have been read.
var lexers = struct {
	sync.Mutex
	registry *chroma.LexerRegistry
	byFile   map[string]chroma.Lexer
}{byFile: make(map[string]chroma.Lexer)}

// lexerOf returns the lexer of a language, or nil.
func lexerOf(language string) chroma.Lexer {
	file, ok := files()[strings.ToLower(strings.Trim(language, "{}."))]
	if !ok {
		return nil
	}
	lexers.Lock()
	defer lexers.Unlock()
	if lexers.registry == nil {
		lexers.registry = chroma.NewLexerRegistry()
	}
	return load(file)
}

func load(file string) chroma.Lexer {
	if l, ok := lexers.byFile[file]; ok {
		return l
	}
	for _, other := range needs[file] {
		load(other)
	}
	l, err := chroma.NewXMLLexer(definitionFiles, "lexer/"+file+".xml")
	if err != nil {
		lexers.byFile[file] = nil
		return nil
	}
	registered := lexers.registry.Register(l)
	lexers.byFile[file] = registered
	return registered
}

// highlight returns the lines of code in colours. It is not ok if the language
// is unknown or its lexer does not give the text back as it was.
func highlight(language, text string) (lines []cell.Line, ok bool) {
	l := lexerOf(language)
	if l == nil {
		return nil, false
	}
	defer func() {
		if recover() != nil {
			lines, ok = nil, false
		}
	}()
	tokens, err := l.Tokenise(nil, text)
	if err != nil {
		return nil, false
	}
	rest := text
	var line cell.Line
	for t := tokens(); t != chroma.EOF; t = tokens() {
		if rest, ok = strings.CutPrefix(rest, t.Value); !ok {
			return nil, false
		}
		style := styleOf(t.Type)
		for part := range strings.Lines(t.Value) {
			part, ends := strings.CutSuffix(part, "\n")
			if part != "" {
				line = cell.Join(line, cell.Styled(part, style))
			}
			if ends {
				lines = append(lines, line)
				line = nil
			}
		}
	}
	if len(line) > 0 {
		lines = append(lines, line)
	}
	return lines, rest == ""
}

// styleOf maps token types to the few colours there are.
func styleOf(t chroma.TokenType) cell.Style {
	switch {
	case t.InCategory(chroma.Comment) && t != chroma.CommentPreproc && t != chroma.CommentPreprocFile:
		return dim
	case t == chroma.GenericInserted:
		return cell.Style{Color: cell.Green}
	case t == chroma.GenericDeleted:
		return cell.Style{Color: cell.Red}
	case t == chroma.GenericHeading, t == chroma.GenericPrompt, t == chroma.GenericSubheading:
		return dim
	case t.InCategory(chroma.Keyword), t == chroma.NameTag:
		return cell.Style{Color: cell.Accent}
	case t.InSubCategory(chroma.LiteralString):
		return cell.Style{Color: cell.Green}
	case t.InSubCategory(chroma.LiteralNumber), t == chroma.NameConstant:
		return cell.Style{Color: cell.Magenta}
	}
	return cell.Style{}
}
