package terminal

import (
	"encoding/json"
	"fmt"
	"strings"
)

// A Fixture is a script for the model, and what a terminal must hold of it: lines
// with a number, each of which can be found again wherever it went. Between its
// parts it runs a tool whose output is full of what must never reach a terminal.
// To "again" the model says "and once more", whatever was told.
type Fixture struct {
	Script string // for the model
	Noise  string // what noise.sh in the workspace has to be
	Parts  []Part // each is an answer of the model
	rate   float64
}

// A Part is a text, and a call of the tool after it in all parts but the last.
type Part struct {
	Text string
	Rows []Row // of the text
	Call []Row
}

// Rows are all rows of a terminal, in order.
func (s Fixture) Rows() []Row {
	var out []Row
	for _, p := range s.Parts {
		out = append(append(out, p.Rows...), p.Call...)
	}
	return out
}

// A Row is a line as a terminal must hold it, its soft-wrapped rows joined.
type Row struct {
	Text  string // no other row has it; ¿ stands for what only time tells, such as how long a call took
	Apart bool   // a blank row stands before it
}

// NewFixture makes n lines in so many parts and in about so many seconds. Some are
// exactly as wide as one of the widths.
func NewFixture(n, parts int, seconds float64, widths []int) Fixture {
	t := fixtureWriter{widths: widths}
	for p := range parts {
		t.parts = append(t.parts, Part{})
		for end := (p + 1) * n / parts; t.number < end; {
			t.group(min(5, end-t.number))
		}
		if p < parts-1 {
			t.call(p)
		}
	}
	size := 0
	for _, p := range t.parts {
		size += len([]rune(p.Text))
	}
	s := Fixture{Noise: noise, Parts: t.parts, rate: float64(size) / chunk / seconds}
	s.Script = s.write(-1)
	return s
}

// Stopping is the same fixture, with a model that stops after three quarters of
// a part, for longer than anybody waits.
func (s Fixture) Stopping(part int) Fixture {
	s.Script = s.write(part)
	return s
}

// noise is a tool's output at its worst: it clears, scrolls and leaves the
// screen, moves away, rings, overwrites, says what it is not, and fails where it
// is asked to. What is left at the end is what a terminal would show.
const noise = `echo "$1 begins"
printf '\033[2J\033[3J\033[H\033[?1049h\033[2;5r\033[3S\033[3T\033[?25h\033[99A\033c'
printf 'O%s \033[31mred\033[0m\ttab\007bell\ngone\r%s over\b\b\n' "$1" "$1"
printf '\033]0;title\007\033]8;;http://x\033\\link\033]8;;\033\\\033P1;2|dcs\033\\\302\2332J %s\n' "$1"
for i in 1 2 3 4; do echo "$i of $1"; sleep 0.06; done
exit $2
`

// A fixtureWriter writes a fixture.
type fixtureWriter struct {
	widths []int
	number int
	groups int
	parts  []Part
}

// group adds some lines of one kind.
func (t *fixtureWriter) group(lines int) {
	kind := kinds[t.groups%len(kinds)]
	t.groups++
	p := &t.parts[len(t.parts)-1]
	p.Text += kind.before
	for i := range lines {
		text := fmt.Sprintf("L%04d ", t.number) + kind.body(t, len(kind.prefix)) + fmt.Sprintf(" E%04d", t.number)
		p.Text += kind.source + text + kind.after
		p.Rows = append(p.Rows, Row{kind.prefix + text, i == 0 || kind.apart})
		t.number++
	}
	p.Text += kind.end
}

// A kind is a kind of line: how it is written in Markdown, and how it is shown.
type kind struct {
	before, source, after, end string
	prefix                     string // as it is shown
	apart                      bool   // each is a paragraph
	body                       func(t *fixtureWriter, prefix int) string
}

func paragraph(body func(*fixtureWriter, int) string) kind {
	return kind{after: "\n\n", apart: true, body: body}
}

var kinds = []kind{
	paragraph(func(t *fixtureWriter, _ int) string { return "short" }),
	paragraph((*fixtureWriter).wide),
	paragraph(func(t *fixtureWriter, _ int) string { return strings.Repeat("word and word ", 5+t.number%9) + "word" }),
	paragraph(func(t *fixtureWriter, _ int) string { return strings.Repeat("漢字", 12+t.number%40) }),
	paragraph(func(t *fixtureWriter, _ int) string {
		return strings.Repeat("👩‍💻 ok 👍🏽 e\u0301tude 🏳️‍🌈 ", 1+t.number%4) + "i\u0308"
	}),
	paragraph(func(t *fixtureWriter, _ int) string { return strings.Repeat("x", 30+7*(t.number%30)) }),
	{source: "- ", after: "\n", end: "\n", prefix: "• ", body: (*fixtureWriter).wide},
	{before: "```\n", after: "\n", end: "```\n\n", prefix: "  ", body: (*fixtureWriter).wide},
	{before: "```\n", after: "\n", end: "```\n\n", prefix: "  ", body: func(t *fixtureWriter, _ int) string {
		return strings.Repeat("if x == y { z(漢) } ", 1+t.number%12) + "//"
	}},
}

// wide makes the line exactly as wide as one of the screens.
func (t *fixtureWriter) wide(prefix int) string {
	width := t.widths[(t.number+t.groups/9)%len(t.widths)]
	if prefix > 0 {
		prefix = 2
	}
	return strings.Repeat("w", width-prefix-len("L0000  E0000"))
}

// call runs the tool. What it says is shown when it fails.
func (t *fixtureWriter) call(part int) {
	name, exit := called(part)
	add := func(text string, apart bool) {
		p := &t.parts[part]
		p.Call = append(p.Call, Row{text, apart})
	}
	command := fmt.Sprintf("bash sh noise.sh %s %d  ", name, exit)
	if exit == 0 {
		add("✓ "+command+"¿", true)
		return
	}
	add(fmt.Sprintf("✗ %sexit %d  ¿", command, exit), true)
	add("  "+name+" begins", false)
	add("  O"+name+" red        tabbell", false)
	add("  "+name+" over", false)
	add("  link "+name, false)
	for i := range 4 {
		add(fmt.Sprintf("  %d of %s", i+1, name), false)
	}
}

// called names the call after a part, and says how it ends.
func called(part int) (name string, exit int) {
	return fmt.Sprintf("T%02d", part), part % 2 * (10 + part)
}

// chunk is how many characters the model says at a time.
const chunk = 37

// write is the script of a model that stops in one part, or in none.
func (s Fixture) write(stop int) string {
	var b strings.Builder
	for i, p := range s.Parts {
		if i == stop {
			at := strings.Index(p.Text, mark.FindString(p.Rows[len(p.Rows)*3/4].Text))
			s.say(&b, p.Text[:at])
			b.WriteString(`{"delay_ms":3600000}` + "\n")
			p.Text = p.Text[at:]
		}
		s.say(&b, p.Text)
		if len(p.Call) > 0 {
			name, exit := called(i)
			fmt.Fprintf(&b, `{"call":{"name":"bash","arguments":{"command":"sh noise.sh %s %d"}}}`+"\n", name, exit)
		}
		b.WriteString(`{"stop":""}` + "\n")
	}
	return b.String() + `{"when":"again"}` + "\n" + `{"text":"and once more\n"}` + "\n" + `{"stop":""}` + "\n"
}

func (s Fixture) say(b *strings.Builder, text string) {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err) // a string
	}
	fmt.Fprintf(b, `{"text":%s,"chunk":%d,"rate":%.0f}`+"\n", quoted, chunk, s.rate)
}
