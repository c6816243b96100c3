package markdown

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	xast "github.com/yuin/goldmark/extension/ast"

	"parley/internal/cell"
)

// The marks of structure: few colours, and two columns of indent for what belongs
// to the line above.
var (
	dim    = cell.Style{Color: cell.Dim}
	bullet = cell.Plain("• ")
	hollow = cell.Plain("☐ ")
	ticked = cell.Plain("☑ ")
	step   = cell.Plain("  ")
	bar    = cell.Styled("│ ", dim)
	break3 = cell.Styled("───", dim)
)

// codeTab is the distance of tab stops in code.
const codeTab = 4

// build makes the block's rows.
func (b *body) build() []row {
	s := &builder{source: b.source, options: b.options, open: b.open, number: -1}
	if b.kind == item {
		s.number = b.number
	}
	if b.kind == fenced {
		s.fence(b)
		return s.rows
	}
	if b.literal {
		s.literal(b.source)
		return s.rows
	}
	if b.kind == paragraph && plain(b.source) {
		s.plain(b.source)
		return s.rows
	}
	if b.ready != nil {
		s.source = b.ready.source
		s.blocks(b.ready.doc)
		return s.rows
	}
	p := whole
	if b.cont {
		p, s.source = prose, unindent(b.source)
	}
	if b.open && b.kind != code && b.kind != markup {
		s.source = heal(s.source)
	}
	doc := parse(p, s.source, &b.seen)
	if doc == nil {
		s.literal(b.source)
		return s.rows
	}
	s.blocks(doc)
	return s.rows
}

// plain reports whether a paragraph's lines hold nothing but text: no markup, no
// address that would become a link, no underline.
func plain(source []byte) bool {
	if bytes.ContainsAny(source, "*_~`[<&\\|:@") || bytes.Contains(source, []byte("www.")) {
		return false
	}
	for line := range bytes.Lines(source) {
		if underline(line) {
			return false
		}
	}
	return true
}

// plain adds a paragraph's lines that hold nothing but text.
func (s *builder) plain(source []byte) {
	for line := range bytes.Lines(source) {
		if text := bytes.Trim(line, " \t\n"); len(text) > 0 {
			s.row(cell.Plain(flat(string(text))), false)
		}
	}
}

// literal adds lines as they were typed.
func (s *builder) literal(source []byte) {
	n, empty := len(s.rows), false
	for line := range bytes.Lines(source) {
		text := strings.TrimRight(string(line), " \t\n")
		if text == "" {
			empty = true
			continue
		}
		if empty && len(s.rows) > n {
			s.gap()
		}
		s.row(cell.Plain(cell.ExpandTabs(text, 0, codeTab)), false)
		empty = false
	}
}

// blocks adds the children of a container.
func (s *builder) blocks(parent ast.Node) {
	n := len(s.rows)
	for c := parent.FirstChild(); c != nil; c = c.NextSibling() {
		if c.Kind() == ast.KindLinkReferenceDefinition {
			continue
		}
		if len(s.rows) > n && c.HasBlankPreviousLines() {
			before := len(s.rows)
			s.gap()
			if s.block(c); len(s.rows) == before+1 {
				s.rows = s.rows[:before]
			}
			continue
		}
		s.block(c)
	}
}

func (s *builder) block(n ast.Node) {
	switch n := n.(type) {
	case *ast.Paragraph, *ast.TextBlock:
		s.inline(n, cell.Style{})
	case *ast.Heading:
		style := cell.Style{Attr: cell.Bold}
		if n.Level < 3 {
			style.Color = cell.Accent
		}
		s.inline(n, style)
	case *ast.ThematicBreak:
		s.row(break3, false)
	case *ast.Blockquote:
		s.quote(n)
	case *ast.List:
		s.list(n)
	case *ast.CodeBlock:
		s.code(squeeze(segments(n, s.source)), "")
	case *ast.FencedCodeBlock:
		s.code(segments(n, s.source), string(n.Language(s.source)))
	case *ast.HTMLBlock:
		text := segments(n, s.source)
		if n.HasClosure() {
			text += string(n.ClosureLine.Value(s.source))
		}
		s.literal([]byte(text))
	case *xast.Table:
		if t := s.tableOf(n); len(t.cells) > 1 || !t.bare {
			s.rows = append(s.rows, row{first: s.first, rest: s.rest, table: t})
			s.first = s.rest
		}
	default:
		s.blocks(n)
	}
}

// maxBars is how many quotes in quotes get a bar each.
const maxBars = 32

func (s *builder) quote(n ast.Node) {
	if len(s.rest) > maxBars {
		s.blocks(n)
		return
	}
	s.within(bar, bar, func() { s.blocks(n) })
}

// list adds a list's items. Items stand apart where they were typed so: a list
// that turns loose at its end cannot change what has been shown of it.
func (s *builder) list(n *ast.List) {
	number := n.Start
	if s.number >= 0 && n.Parent().Kind() == ast.KindDocument && n.PreviousSibling() == nil {
		number = s.number
	}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if c != n.FirstChild() && c.HasBlankPreviousLines() {
			s.gap()
		}
		first, rest := bullet, step
		if n.IsOrdered() {
			first = cell.Plain(strconv.Itoa(number) + string(n.Marker) + " ")
			rest = cell.Plain(strings.Repeat(" ", first.Width()))
			number++
		} else if box := task(c); box != nil {
			first = hollow
			if box.IsChecked {
				first = ticked
			}
		}
		s.within(first, rest, func() { s.blocks(c) })
	}
}

// task returns the item's check box, if it begins with one.
func task(item ast.Node) *xast.TaskCheckBox {
	if item.FirstChild() == nil || item.FirstChild().FirstChild() == nil {
		return nil
	}
	box, _ := item.FirstChild().FirstChild().(*xast.TaskCheckBox)
	return box
}

// squeeze takes the white space off line ends and all but one of the empty lines
// that stand together: what only a fence may keep.
func squeeze(text string) string {
	var b strings.Builder
	empty := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \t\n")
		if line == "" && empty {
			continue
		}
		empty = line == ""
		b.WriteString(line + "\n")
	}
	return b.String()
}

func segments(n ast.Node, source []byte) string {
	var b strings.Builder
	lines := n.Lines()
	for i := range lines.Len() {
		line := lines.At(i)
		b.Write(line.Value(source))
	}
	return b.String()
}
