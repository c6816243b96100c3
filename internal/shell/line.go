package shell

import "strings"

// Line is a command line that was read whole. The zero Line is empty; [Read] makes the others.
type Line struct {
	text string // as it was read
	// folder is the word of a cd at the beginning, nil where there is none.
	folder *word
	list   []chain
}

// chain is pipes joined by && and ||, which bind alike and from the left.
type chain []link

type link struct {
	op   string // "" for the first, "&&" or "||"
	pipe []command
}

type command struct {
	env       []assignment
	words     []word
	redirects []redirect
}

type assignment struct {
	name  string
	value word
}

type redirect struct {
	op string // one of the operators below
	// target is the file; for a here-document the word that ends it.
	target word
	// body is what a here-document holds.
	body *string
}

// The redirections.
const (
	opRead      = "<"
	opWrite     = ">"
	opAppend    = ">>"
	opErrWrite  = "2>"
	opErrAppend = "2>>"
	opErrToOut  = "2>&1"
	opHere      = "<<"
)

// word is a sequence of parts; one without parts is the empty word.
type word struct {
	at, end int // where it stands in the line
	parts   []part
}

type part struct {
	kind kind
	text string
}

type kind int

const (
	textKind   kind = iota
	anyKind         // * outside of quotes
	oneKind         // ? outside of quotes
	statusKind      // $? in an argument of echo
)

// String is the word without its quotes; what is expanded stands as it was written.
func (w word) String() string {
	var b strings.Builder
	for _, p := range w.parts {
		b.WriteString(p.text)
	}
	return b.String()
}

func (w word) has(k kind) bool {
	for _, p := range w.parts {
		if p.kind == k {
			return true
		}
	}
	return false
}

func (w word) glob() bool { return w.has(anyKind) || w.has(oneKind) }
