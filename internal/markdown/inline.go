package markdown

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	xast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"

	"parley/internal/cell"
)

// An inlineRenderer writes inline nodes into lines.
type inlineRenderer struct {
	source  []byte
	options Options
	lines   []cell.Line
	line    cell.Line
}

// inline adds the rows of a block's inline content. A line break stays one,
// hard or soft: what was typed as two lines is two lines.
func (s *builder) inline(n ast.Node, style cell.Style) {
	for _, line := range s.inlineLines(n, style) {
		if line = line.TrimRight(); len(line) > 0 {
			s.row(line, false)
		}
	}
}

// inlineLines returns the inline content of a node as lines.
func (s *builder) inlineLines(n ast.Node, style cell.Style) []cell.Line {
	t := inlineRenderer{source: s.source, options: s.options}
	t.children(n, style)
	t.feed()
	return t.lines
}

func (t *inlineRenderer) children(n ast.Node, style cell.Style) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		t.node(c, style)
	}
}

// feed begins a new line.
func (t *inlineRenderer) feed() {
	t.lines = append(t.lines, t.line)
	t.line = nil
}

func (t *inlineRenderer) write(text string, style cell.Style) {
	if text == "" {
		return
	}
	if n := len(t.line); n > 0 && t.line[n-1].Style == style {
		t.line[n-1].Text += text
		return
	}
	t.line = append(t.line, cell.Span{Text: text, Style: style})
}

func (t *inlineRenderer) node(n ast.Node, style cell.Style) {
	switch n := n.(type) {
	case *ast.Text:
		t.text(n, style)
	case *ast.String:
		t.write(flat(string(n.Value)), style)
	case *ast.CodeSpan:
		t.codeSpan(n, style)
	case *ast.Emphasis:
		if n.Level == 2 {
			style = style.With(cell.Bold)
		} else {
			style = style.With(cell.Italic)
		}
		t.children(n, style)
	case *xast.Strikethrough:
		t.children(n, style.With(cell.Strike))
	case *ast.Link:
		t.link(n, string(n.Destination), style)
	case *ast.Image:
		t.link(n, string(n.Destination), style)
	case *ast.AutoLink:
		t.autoLink(n, style)
	case *ast.RawHTML:
		t.raw(n, style)
	case *xast.TaskCheckBox:
		t.checkBox(n, style)
	default:
		t.children(n, style)
	}
}

func (t *inlineRenderer) text(n *ast.Text, style cell.Style) {
	value := n.Segment.Value(t.source)
	if n.IsRaw() {
		t.write(flat(string(value)), style)
	} else {
		t.write(flat(entities(string(value))), style)
	}
	if n.SoftLineBreak() || n.HardLineBreak() {
		t.line = t.line.TrimRight()
		t.feed()
	}
}

// codeSpan keeps the backticks, dimmed: so it is code without colours too, and
// may be copied as it is.
func (t *inlineRenderer) codeSpan(n *ast.CodeSpan, style cell.Style) {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if text, ok := c.(*ast.Text); ok {
			value := text.Segment.Value(t.source)
			if line, ok := bytes.CutSuffix(value, []byte("\n")); ok {
				b.Write(line)
				b.WriteByte(' ')
			} else {
				b.Write(value)
			}
		}
		if s, ok := c.(*ast.String); ok {
			b.Write(s.Value)
		}
	}
	tick := style.In(cell.Dim)
	t.write("`", tick)
	t.write(flat(b.String()), style)
	t.write("`", tick)
}

// link writes a link or an image: its text, and its target as a hyperlink or in
// parentheses.
func (t *inlineRenderer) link(n ast.Node, target string, style cell.Style) {
	target = flat(entities(target))
	inner := style.With(cell.Underline)
	if t.options.Hyperlinks && safe(target) {
		inner.Link = target
	}
	before := len(t.lines)
	start := t.line.Len()
	t.children(n, inner)
	shown := before < len(t.lines) || t.line.Len() > start
	switch text := ""; {
	case target == "":
	case !shown:
		t.write(target, inner)
	case inner.Link == "":
		if before == len(t.lines) {
			text = t.line.Slice(start, t.line.Len()).Text()
		}
		if text != target {
			t.write(" ("+target+")", style.In(cell.Dim))
		}
	}
}

func (t *inlineRenderer) autoLink(n *ast.AutoLink, style cell.Style) {
	style = style.With(cell.Underline)
	target := string(n.URL(t.source))
	if n.AutoLinkType == ast.AutoLinkEmail && !strings.HasPrefix(strings.ToLower(target), "mailto:") {
		target = "mailto:" + target
	}
	if t.options.Hyperlinks && safe(target) {
		style.Link = target
	}
	t.write(flat(string(n.Label(t.source))), style)
}

// raw writes inline HTML as it was typed, but breaks the line at a br.
func (t *inlineRenderer) raw(n *ast.RawHTML, style cell.Style) {
	var b strings.Builder
	for i := range n.Segments.Len() {
		segment := n.Segments.At(i)
		b.Write(segment.Value(t.source))
	}
	if isBreak(b.String()) {
		t.line = t.line.TrimRight()
		t.feed()
		return
	}
	for i, line := range strings.Split(b.String(), "\n") {
		if i > 0 {
			t.feed()
		}
		t.write(flat(line), style)
	}
}

func isBreak(tag string) bool {
	name, ok := strings.CutPrefix(strings.ToLower(tag), "<br")
	return ok && strings.Trim(name, " /\t") == ">"
}

// checkBox writes the box of a numbered item; another item has it for a bullet.
func (t *inlineRenderer) checkBox(n *xast.TaskCheckBox, style cell.Style) {
	for p := n.Parent(); p != nil; p = p.Parent() {
		if list, ok := p.(*ast.List); ok {
			if !list.IsOrdered() {
				return
			}
			break
		}
	}
	box := hollow
	if n.IsChecked {
		box = ticked
	}
	t.write(box.Text(), style)
}

// safe reports whether a target may be made clickable: the schemes that only
// open a page or a letter.
func safe(target string) bool {
	lower := strings.ToLower(target)
	for _, scheme := range []string{"https://", "http://", "mailto:"} {
		if strings.HasPrefix(lower, scheme) {
			return true
		}
	}
	return false
}

// flat makes text of one line: tabs and newlines become a space. It is clean
// again after entities were put in.
func flat(text string) string {
	for i := range len(text) {
		if b := text[i]; b < 0x20 || b == 0x7f || b >= 0x80 {
			return strings.Map(func(r rune) rune {
				if r == '\n' || r == '\t' {
					return ' '
				}
				return r
			}, cell.Clean(text))
		}
	}
	return text
}

// entities resolves backslash escapes and character references (CommonMark 2.4,
// 2.5). A reference to a control character gives U+FFFD.
func entities(text string) string {
	if !strings.ContainsAny(text, "\\&") {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text) && util.IsPunct(text[i+1]):
			i++
			b.WriteByte(text[i])
		case c == '&':
			value, n := reference(text[i:])
			b.WriteString(value)
			i += n - 1
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// reference reads a character reference at the start of text and returns what it
// stands for and its length; what is none stands for its ampersand.
func reference(text string) (value string, n int) {
	end := strings.IndexByte(text[:min(len(text), 34)], ';')
	if end < 2 {
		return "&", 1
	}
	name := text[1:end]
	if name[0] != '#' {
		if e, ok := util.LookUpHTML5EntityByName(name); ok {
			return string(e.Characters), end + 1
		}
		return "&", 1
	}
	base, digits, most := 10, name[1:], 7
	if len(digits) > 0 && (digits[0] == 'x' || digits[0] == 'X') {
		base, digits, most = 16, digits[1:], 6
	}
	code, err := strconv.ParseUint(digits, base, 32)
	if err != nil || len(digits) > most || digits[0] == '+' {
		return "&", 1
	}
	r := rune(code)
	if !utf8.ValidRune(r) || r < 0x20 && r != '\t' && r != '\n' || r >= 0x7f && r < 0xa0 {
		r = utf8.RuneError
	}
	return string(r), end + 1
}
