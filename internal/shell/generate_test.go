package shell

import (
	"math/rand/v2"
	"slices"
	"strings"
)

// generator makes lines: of the grammar, and mutations of lines that are known.
type generator struct {
	*rand.Rand
	known []string
	// runs are programs and words that a line may run, with words they may be given.
	runs, given []string
}

// pick is one of the values.
func pick[T any](g *generator, of ...T) T { return of[g.IntN(len(of))] }

// maybe is true once in n times.
func (g *generator) maybe(n int) bool { return g.IntN(n) == 0 }

// line is a line of the grammar, or something near it.
func (g *generator) line() string {
	text := g.whole()
	for g.maybe(3) {
		text = g.mutated(text)
	}
	return text
}

// whole is a line of the grammar.
func (g *generator) whole() string {
	if g.maybe(8) {
		return pick(g, g.known...)
	}
	var b strings.Builder
	if g.maybe(6) {
		folder := pick(g, "src", "src/deep", "./src", "'src'", "src/", "/ROOT/src", ".", "out")
		if g.maybe(10) {
			folder = pick(g, "link", "missing", "../x", "src/..", "a.txt", "/", "/ROOT/../x", "pipe")
		}
		b.WriteString("cd " + folder + " && ")
	}
	for i := range 1 + g.IntN(3) {
		if i > 0 {
			b.WriteString(pick(g, "; ", ";", "\n", " ;\n", "\n\n"))
		}
		b.WriteString(g.chain())
	}
	return b.String()
}

func (g *generator) chain() string {
	var b strings.Builder
	here := g.maybe(6)
	for i := range 1 + g.IntN(3) {
		if i > 0 {
			b.WriteString(pick(g, " && ", " || ", "&&", "||"))
		}
		for k := range 1 + g.IntN(3)/2 + g.IntN(2) {
			if k > 0 {
				b.WriteString(pick(g, " | ", "|"))
			}
			b.WriteString(g.command(here))
			if here && !strings.Contains(b.String(), "<<") && g.maybe(2) {
				b.WriteString(pick(g, " <<'E'", " << 'E'", " <<'E' > out/h", "<<'E'"))
			}
		}
	}
	if strings.Contains(b.String(), "<<") {
		b.WriteString("\n" + pick(g, "", "a\n", "a\\\n", " E\n", "$x `y`\n", "E x\n\n", "\té\n") + "E")
	}
	return b.String()
}

func (g *generator) command(here bool) string {
	var words []string
	if g.maybe(8) {
		words = append(words, pick(g, "CI=1", "GOOS=linux", "GOARCH=arm64 CGO_ENABLED=0", "LANG=C", "TZ='Europe/Berlin'", "NODE_ENV=\"test\"", "CI=", "NO_COLOR=1"))
	}
	words = append(words, pick(g, g.runs...))
	echo := words[len(words)-1] == "echo"
	if words[len(words)-1] == "pwd" {
		return "pwd"
	}
	for range g.IntN(4) {
		words = append(words, g.word(echo, here))
	}
	for g.maybe(5) {
		words = append(words, g.redirect())
	}
	return strings.Join(words, pick(g, " ", " ", " ", "  "))
}

func (g *generator) redirect() string {
	if g.maybe(3) {
		return "2>&1"
	}
	file := pick(g, "out/a", "out/b", "'out/c d'", "/dev/null", "/ROOT/out/e", "./out/f", "out/new", "a.txt", "n\"e w\"")
	op := pick(g, ">", ">>", "2>", "2>>", "<")
	switch {
	case op == "<":
		file = pick(g, "/ROOT/a.txt", "/dev/null", "/ROOT/src/x.go", "/ROOT/b.txt")
	case g.maybe(12):
		file = pick(g, "link/x", "../out/g", "flink", "src", "pipe", "hard1", "out/../out/x", "/etc/passwd", "missing/x", "/ROOT/../x")
	}
	return op + pick(g, "", " ") + file
}

// word is an argument: pieces in all kinds of quotes.
func (g *generator) word(echo, here bool) string {
	if g.maybe(3) {
		return pick(g, g.given...)
	}
	if g.maybe(8) {
		if g.maybe(5) {
			return pick(g, "*", "*dash", "no*match", "src/.*", "link/*", "ctl/*", "**", "../*", "*/x.go", "*/*.go", "src//*.go", "*/", "src/*/../x.go")
		}
		return pick(g, "/ROOT/*.go", "/ROOT/*.txt", "/ROOT/src/*", "/ROOT/src/*.go", "/ROOT/src/*/z.go", "/ROOT/?.txt", "/ROOT/s'r'c/\"x\"*", "?.go",
			"*.go", "/ROOT/out/*", "/ROOT/with*", "/ROOT/'with space'*", "/ROOT/p*/x.c", "/ROOT/a*t")
	}
	var b strings.Builder
	for range 1 + g.IntN(3) {
		b.WriteString(g.piece(echo, here))
	}
	return b.String()
}

func (g *generator) piece(echo, here bool) string {
	switch g.IntN(7) {
	case 0, 1:
		return pick(g, "a", "b-c", "x=y", "./d", "k:v", "e@f", "%g", "+h", "i,j", "0", "2", "-n", "-e", "--long=x", "HEAD~1", "v^", "p#q", "r!s", "A_B")
	case 2:
		return "'" + pick(g, "", "a b", "$x", "`y`", "\"", "\\", "#!*?[]{}()<>|&;", "é", "~", "a=b", "\\n", "\t") + "'"
	case 3:
		return "\"" + pick(g, "", "a b", "it's", "\\\"", "\\\\", "\\$x", "\\`", "\\n", "\\ ", "\\'", "a!b", "$ ", "#*?", "é", "x$", "\\\\\\\\", "\\t\\0101", "\t") + "\""
	case 4:
		if echo {
			return pick(g, "$?", "\"$?\"", "\"a $? b\"", "$?x")
		}
		return pick(g, "''", "\"\"")
	case 5:
		if here {
			return "h"
		}
		return pick(g, "'a\nb'", "\"c\nd\"", "'\n'")
	}
	return pick(g, "exit=0", "exit=1", "exit=3", "out=x", "err=y", "cat")
}

// Pieces of shell text that make a line another one.
var splices = strings.Fields(`
	# \ $( ) $(s1) ` + "`s1`" + ` $x ${x} $'a' $"a" { } {a,b} [ ] [a] ( ) & && || | |& ; ;; < > >> >& >| <> <& << <<< <<- <<E 2>&1 2>&- 1>&2 &> ~ ~/x ^a
	! # * ? $? $$ $! \\n ' " '' "" \' \" 2> 10> {x}> =x a= A=b CI= cd cd\ x eval . : time if then fi do done in case esac for [[ ]] (( )) function
	"$." "$/a" "a$b" -x -- %1 é E 'E' <<'E' <&-s1 $((1)) $[1] @(a) !(a) a[0]=1 a=(b) coproc`)

// mutated changes one place of a line.
func (g *generator) mutated(text string) string {
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
		return text[:at] + pick(g, "\x00", "\r", "\t", "\x1b", "\xff", "\x7f", "\u009b", "\u00a0", "\u202e", "\n", "\\\n") + text[at:]
	case 3: // two places swapped
		fields := strings.SplitAfter(text, " ")
		i, k := g.IntN(len(fields)), g.IntN(len(fields))
		fields[i], fields[k] = fields[k], fields[i]
		return strings.Join(fields, "")
	case 4: // a part twice
		end := at + g.IntN(len(text)-at+1)
		return text[:end] + text[at:end] + text[end:]
	case 5: // the end of another line
		other := pick(g, g.known...)
		return text[:at] + other[g.IntN(len(other)+1):]
	}
	return text[:at] + pick(g, "", " ") + pick(g, splices...) + pick(g, "", " ") + text[at:]
}

func newGenerator(seed uint64, known, runs, given []string) *generator {
	return &generator{rand.New(rand.NewPCG(seed, 0)), slices.Clone(known), runs, given}
}
