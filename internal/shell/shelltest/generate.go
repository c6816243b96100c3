package shelltest

import (
	"math/rand/v2"
	"slices"
	"strings"
)

// Generator makes command lines: of the grammar, and mutations of lines that are known.
type Generator struct {
	*rand.Rand
	known []string
	// runs are programs and words that a line may run, with words they may be given.
	runs, given []string
}

// Pick is one of the values.
func Pick[T any](g *Generator, of ...T) T { return of[g.IntN(len(of))] }

// Maybe is true once in n times.
func (g *Generator) Maybe(n int) bool { return g.IntN(n) == 0 }

// Line is a line of the grammar, or something near it.
func (g *Generator) Line() string {
	text := g.whole()
	for g.Maybe(3) {
		text = g.mutated(text)
	}
	return text
}

// whole is a line of the grammar.
func (g *Generator) whole() string {
	if g.Maybe(8) {
		return Pick(g, g.known...)
	}
	var b strings.Builder
	if g.Maybe(6) {
		folder := Pick(g, "src", "src/deep", "./src", "'src'", "src/", "/ROOT/src", ".", "out")
		if g.Maybe(10) {
			folder = Pick(g, "link", "missing", "../x", "src/..", "a.txt", "/", "/ROOT/../x", "pipe")
		}
		b.WriteString("cd " + folder + " && ")
	}
	for i := range 1 + g.IntN(3) {
		if i > 0 {
			b.WriteString(Pick(g, "; ", ";", "\n", " ;\n", "\n\n"))
		}
		b.WriteString(g.chain())
	}
	return b.String()
}

func (g *Generator) chain() string {
	var b strings.Builder
	here := g.Maybe(6)
	for i := range 1 + g.IntN(3) {
		if i > 0 {
			b.WriteString(Pick(g, " && ", " || ", "&&", "||"))
		}
		for k := range 1 + g.IntN(3)/2 + g.IntN(2) {
			if k > 0 {
				b.WriteString(Pick(g, " | ", "|"))
			}
			b.WriteString(g.command(here))
			if here && !strings.Contains(b.String(), "<<") && g.Maybe(2) {
				b.WriteString(Pick(g, " <<'E'", " << 'E'", " <<'E' > out/h", "<<'E'"))
			}
		}
	}
	if strings.Contains(b.String(), "<<") {
		b.WriteString("\n" + Pick(g, "", "a\n", "a\\\n", " E\n", "$x `y`\n", "E x\n\n", "\té\n") + "E")
	}
	return b.String()
}

func (g *Generator) command(here bool) string {
	var words []string
	if g.Maybe(8) {
		words = append(words, Pick(g, "CI=1", "GOOS=linux", "GOARCH=arm64 CGO_ENABLED=0", "LANG=C", "TZ='Europe/Berlin'", "NODE_ENV=\"test\"", "CI=", "NO_COLOR=1"))
	}
	words = append(words, Pick(g, g.runs...))
	echo := words[len(words)-1] == "echo"
	if words[len(words)-1] == "pwd" {
		return "pwd"
	}
	for range g.IntN(4) {
		words = append(words, g.word(echo, here))
	}
	for g.Maybe(5) {
		words = append(words, g.redirect())
	}
	return strings.Join(words, Pick(g, " ", " ", " ", "  "))
}

func (g *Generator) redirect() string {
	if g.Maybe(3) {
		return "2>&1"
	}
	file := Pick(g, "out/a", "out/b", "'out/c d'", "/dev/null", "/ROOT/out/e", "./out/f", "out/new", "a.txt", "n\"e w\"")
	op := Pick(g, ">", ">>", "2>", "2>>", "<")
	switch {
	case op == "<":
		file = Pick(g, "/ROOT/a.txt", "/dev/null", "/ROOT/src/x.go", "/ROOT/b.txt")
	case g.Maybe(12):
		file = Pick(g, "link/x", "../out/g", "flink", "src", "pipe", "hard1", "out/../out/x", "/etc/passwd", "missing/x", "/ROOT/../x")
	}
	return op + Pick(g, "", " ") + file
}

// word is an argument: pieces in all kinds of quotes.
func (g *Generator) word(echo, here bool) string {
	if g.Maybe(3) {
		return Pick(g, g.given...)
	}
	if g.Maybe(8) {
		if g.Maybe(5) {
			return Pick(g, "*", "*dash", "no*match", "src/.*", "link/*", "ctl/*", "**", "../*", "*/x.go", "*/*.go", "src//*.go", "*/", "src/*/../x.go")
		}
		return Pick(g, "/ROOT/*.go", "/ROOT/*.txt", "/ROOT/src/*", "/ROOT/src/*.go", "/ROOT/src/*/z.go", "/ROOT/?.txt", "/ROOT/s'r'c/\"x\"*", "?.go",
			"*.go", "/ROOT/out/*", "/ROOT/with*", "/ROOT/'with space'*", "/ROOT/p*/x.c", "/ROOT/a*t")
	}
	var b strings.Builder
	for range 1 + g.IntN(3) {
		b.WriteString(g.piece(echo, here))
	}
	return b.String()
}

func (g *Generator) piece(echo, here bool) string {
	switch g.IntN(7) {
	case 0, 1:
		return Pick(g, "a", "b-c", "x=y", "./d", "k:v", "e@f", "%g", "+h", "i,j", "0", "2", "-n", "-e", "--long=x", "HEAD~1", "v^", "p#q", "r!s", "A_B")
	case 2:
		return "'" + Pick(g, "", "a b", "$x", "`y`", "\"", "\\", "#!*?[]{}()<>|&;", "é", "~", "a=b", "\\n", "\t") + "'"
	case 3:
		return "\"" + Pick(g, "", "a b", "it's", "\\\"", "\\\\", "\\$x", "\\`", "\\n", "\\ ", "\\'", "a!b", "$ ", "#*?", "é", "x$", "\\\\\\\\", "\\t\\0101", "\t") + "\""
	case 4:
		if echo {
			return Pick(g, "$?", "\"$?\"", "\"a $? b\"", "$?x")
		}
		return Pick(g, "''", "\"\"")
	case 5:
		if here {
			return "h"
		}
		return Pick(g, "'a\nb'", "\"c\nd\"", "'\n'")
	}
	return Pick(g, "exit=0", "exit=1", "exit=3", "out=x", "err=y", "cat")
}

// Pieces of shell text that make a line another one.
var splices = strings.Fields(`
	# \ $( ) $(s1) ` + "`s1`" + ` $x ${x} $'a' $"a" { } {a,b} [ ] [a] ( ) & && || | |& ; ;; < > >> >& >| <> <& << <<< <<- <<E 2>&1 2>&- 1>&2 &> ~ ~/x ^a
	! # * ? $? $$ $! \\n ' " '' "" \' \" 2> 10> {x}> =x a= A=b CI= cd cd\ x eval . : time if then fi do done in case esac for [[ ]] (( )) function
	"$." "$/a" "a$b" -x -- %1 é E 'E' <<'E' <&-s1 $((1)) $[1] @(a) !(a) a[0]=1 a=(b) coproc`)

// mutated changes one place of a line.
func (g *Generator) mutated(text string) string {
	at := g.IntN(len(text) + 1)
	switch g.IntN(8) {
	case 0: // without a byte
		if at < len(text) {
			return text[:at] + text[at+1:]
		}
	case 1: // another byte
		if at < len(text) {
			return text[:at] + string(rune(g.IntN(128))) + text[at+1:]
		}
	case 2: // a byte that is no character
		return text[:at] + Pick(g, "\x00", "\r", "\t", "\x1b", "\xff", "\x7f", "\u009b", "\u00a0", "\u202e", "\n", "\\\n") + text[at:]
	case 3: // two places swapped
		fields := strings.SplitAfter(text, " ")
		i, k := g.IntN(len(fields)), g.IntN(len(fields))
		fields[i], fields[k] = fields[k], fields[i]
		return strings.Join(fields, "")
	case 4: // a part twice
		end := at + g.IntN(len(text)-at+1)
		return text[:end] + text[at:end] + text[end:]
	case 5: // the end of another line
		other := Pick(g, g.known...)
		return text[:at] + other[g.IntN(len(other)+1):]
	}
	return text[:at] + Pick(g, "", " ") + Pick(g, splices...) + Pick(g, "", " ") + text[at:]
}

// New returns a generator. Known are lines to begin from; runs are what a line may run, and given the words for it. /ROOT in a line
// stands for the workspace.
func New(seed uint64, known, runs, given []string) *Generator {
	return &Generator{rand.New(rand.NewPCG(seed, 0)), slices.Clone(known), runs, given}
}
