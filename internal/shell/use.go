package shell

import (
	"path"
	"strings"
	"sync"
	"unicode"
)

// use is a row of the table of uses: what a program may be given so that it does no more than its name says. It reads and writes
// in the workspace only and runs nothing but what belongs to the use (a test run runs the tests). The tables are use_table.go.
type use struct {
	// names are the words that name it, alternatives set apart by "|". A * is any one word of letters, digits and "_.:-".
	names string
	// options, set apart by blanks:
	//
	//	-x      a flag, one letter          --name    a flag
	//	-x:     with a value                --name:   with a value, after = or as the next word
	//	-x?     with a value, attached      --name?   with a value after = or none
	//	-#      a number
	//
	// After ":" may follow what the value must be: f a file of the workspace, w a plain word. What a program takes in other ways
	// as well is not listed.
	options string
	// operands are what may stand beside the options.
	operands operands
	// single options have several letters after one dash: -run, --run, -run=X.
	single bool
	// rest are options of what another program gets after "--", with names among them; nothing may stand there where it is empty.
	rest string
}

// operands is what the words of a command may be that are no options.
type operands int

const (
	noOperands    operands = iota
	anyOperands            // whatever they are, options as well
	textOperands           // any text
	twoTexts               // one or two texts
	oneText                // one text, unless an option gives it
	files                  // paths below the folder, without names that begin with a dot
	textAndFiles           // a text, unless an option gives it, and files
	linesAndFiles          // a script of sed that prints lines, and files
	names                  // no absolute path, none with .. in it, no address
	words                  // letters, digits and "_.:-"
	refs                   // names without a colon
	formats                // +FORMAT of date
	findOperands           // files, and the marks of find's expressions
)

// given are the options that stand for the text of oneText and textAndFiles.
var given = set("-e --regexp --files")

var findMarks = map[string]bool{"(": true, ")": true, "!": true, ",": true}

// option is one option of a use: its values as in use.options.
type option struct {
	arity byte // 0, ':' or '?'
	value byte // 0, 'f' or 'w'
}

// table is a use whose options were read.
type table struct {
	use
	options, rest map[string]option
}

func newTable(u use) *table { return &table{u, readOptions(u.options), readOptions(u.rest)} }

func readOptions(list string) map[string]option {
	m := map[string]option{}
	for _, text := range strings.Fields(list) {
		name, kind, takes := strings.Cut(text, ":")
		o := option{}
		switch {
		case takes:
			o.arity = ':'
			if kind != "" {
				o.value = kind[0]
			}
		case strings.HasSuffix(text, "?"):
			name = text[:len(text)-1]
			o.arity = '?'
		}
		m[name] = o
	}
	return m
}

// tables are the uses by their names.
var tables = sync.OnceValue(func() map[string]*table {
	m := map[string]*table{}
	for _, u := range uses {
		t := newTable(u)
		for name := range strings.SplitSeq(u.names, "|") {
			m[name] = t
		}
	}
	return m
})

// Prefix says how many words of a command name a use of which a table tells what else may stand in it: then an answer may be
// remembered as those words and :*. It is 0 where there is none. unknown is the first word that the table does not have; a
// remembered X:* does not cover the command then, and only the exact line may be remembered.
func Prefix(args []string) (n int, unknown string) {
	for n := min(len(args), 3); n > 0; n-- {
		t := tables()[strings.Join(args[:n], " ")]
		if t == nil && n > 1 && isWord(args[n-1]) {
			t = tables()[strings.Join(args[:n-1], " ")+" *"]
		}
		if t != nil {
			unknown, _ := t.unknown(args[n:])
			return n, unknown
		}
	}
	return 0, ""
}

// unknown is the first word that the table does not have; ok says that there is none, not even an empty one.
func (t *table) unknown(args []string) (text string, ok bool) {
	if t.operands == anyOperands {
		return "", true
	}
	r := arguments{table: t, args: args}
	for r.at < len(r.args) {
		if text := r.args[r.at]; !r.next() {
			if text == "" {
				text = "''"
			}
			return text, false
		}
		r.at++
	}
	return "", true
}

// arguments reads the words after those that name a use.
type arguments struct {
	*table
	args  []string
	at    int
	seen  int  // operands so far
	given bool // an option stands for the text
	only  bool // -- came: no more options
}

func (r *arguments) next() bool {
	text := r.args[r.at]
	switch {
	case r.only && r.table.use.rest != "":
		return r.passed(text)
	case r.only || len(text) < 2 || text[0] != '-':
		return r.operand(text)
	case text == "--":
		r.only = true
		return r.table.use.rest != "" || r.operands != noOperands
	case r.single:
		return r.long(strings.TrimPrefix(text, "-"), r.options)
	case strings.HasPrefix(text, "--"):
		return r.long(text, r.options)
	}
	if _, number := r.options["-#"]; number && digits(text[1:]) {
		return true
	}
	return r.cluster(text[1:])
}

// passed reads a word that another program gets.
func (r *arguments) passed(text string) bool {
	options := r.table.rest
	switch {
	case strings.HasPrefix(text, "--"):
		return r.long(text, options)
	case strings.HasPrefix(text, "-"):
		o, known := options[text]
		if known && o.arity == ':' {
			r.at++
			return r.at < len(r.args) && isName(r.args[r.at])
		}
		return known
	}
	return isName(text)
}

// long reads an option that is a name. Those of single uses come with one dash, or with both.
func (r *arguments) long(text string, options map[string]option) bool {
	if r.single {
		text = "-" + strings.TrimPrefix(text, "-")
	}
	name, value, has := strings.Cut(text, "=")
	o, known := options[name]
	switch {
	case !known || !r.gives(name):
		return false
	case has && o.arity == 0:
		return r.single && (value == "true" || value == "false")
	case has:
		return o.takes(value)
	case o.arity == ':':
		return r.value(o)
	}
	return true
}

// gives notes an option that stands for the text. One after the operands makes a file of what was taken for the text.
func (r *arguments) gives(name string) bool {
	if !given[name] {
		return true
	}
	r.given = true
	return r.seen == 0 || r.operands != oneText && r.operands != textAndFiles
}

// value reads the next word as the value of an option.
func (r *arguments) value(o option) bool {
	r.at++
	return r.at < len(r.args) && o.takes(r.args[r.at])
}

func (o option) takes(value string) bool {
	switch o.value {
	case 'f':
		return isFile(value)
	case 'w':
		return isWord(value)
	}
	return true
}

// cluster reads letters after one dash, of which the last may have a value.
func (r *arguments) cluster(letters string) bool {
	for i := range len(letters) {
		o, known := r.options["-"+letters[i:i+1]]
		rest := letters[i+1:]
		switch {
		case !known || !r.gives("-"+letters[i:i+1]):
			return false
		case o.arity == 0:
		case rest != "":
			return o.takes(rest)
		case o.arity == ':':
			return r.value(o)
		}
	}
	return true
}

func (r *arguments) operand(text string) bool {
	r.seen++
	first := r.seen == 1 && !r.given
	switch r.operands {
	case textOperands:
		return true
	case twoTexts:
		return r.seen <= 2
	case oneText:
		return first
	case files:
		return isFile(text)
	case textAndFiles:
		return first || isFile(text)
	case linesAndFiles:
		return first && isLines(text) || !first && isFile(text)
	case names:
		return isName(text)
	case words:
		return isWord(text)
	case refs:
		return isName(text) && !strings.Contains(text, ":")
	case findOperands:
		return findMarks[text] || isFile(text)
	case formats:
		return strings.HasPrefix(text, "+")
	}
	return false
}

// isWord says whether the text is letters, digits and "_.:-", and no option.
func isWord(text string) bool {
	return text != "" && text[0] != '-' && strings.Trim(text, wordBytes+".:") == ""
}

// isName says whether the text can be neither a path out of the folder, nor an address, nor an option.
func isName(text string) bool {
	if text == "" || text[0] == '-' || text[0] == '/' || strings.Contains(text, "://") || strings.Contains(text, "::") ||
		strings.ContainsFunc(text, unicode.IsControl) {
		return false
	}
	for part := range strings.SplitSeq(text, "/") {
		if part == ".." {
			return false
		}
	}
	return true
}

// isFile says whether the text is a path below the folder, through no name that begins with a dot.
func isFile(text string) bool {
	if text == "" || text[0] == '-' || path.IsAbs(text) || strings.ContainsFunc(text, unicode.IsControl) {
		return false
	}
	for part := range strings.SplitSeq(text, "/") {
		if strings.HasPrefix(part, ".") && part != "." && part != "..." {
			return false
		}
	}
	return true
}

// isLines says whether the text is a script of sed that prints one line or a range of lines.
func isLines(text string) bool {
	text, ok := strings.CutSuffix(text, "p")
	from, to, ranged := strings.Cut(text, ",")
	line := func(s string) bool { return s == "$" || digits(s) }
	return ok && line(from) && (!ranged || line(strings.TrimPrefix(to, "+")))
}
