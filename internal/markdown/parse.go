package markdown

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// whole parses any blocks; prose parses the later lines of a paragraph whose
// first lines have been parsed before, and so knows nothing that could stand
// only at a paragraph's beginning.
var (
	whole = newParser(parser.DefaultBlockParsers(),
		util.Prioritized(parser.LinkReferenceParagraphTransformer, 100))
	prose = newParser([]util.PrioritizedValue{
		util.Prioritized(parser.NewSetextHeadingParser(), 100),
		util.Prioritized(parser.NewParagraphParser(), 1000),
	})
)

func newParser(blocks []util.PrioritizedValue, transformers ...util.PrioritizedValue) parser.Parser {
	table := util.Prioritized(extension.NewTableParagraphTransformer(), 200)
	inline := append(parser.DefaultInlineParsers(),
		util.Prioritized(extension.NewTaskCheckBoxParser(), 0),
		util.Prioritized(extension.NewStrikethroughParser(), 500),
		util.Prioritized(extension.NewLinkifyParser(), 999))
	return parser.NewParser(
		parser.WithBlockParsers(blocks...),
		parser.WithInlineParsers(inline...),
		parser.WithParagraphTransformers(append(transformers, table)...),
		parser.WithASTTransformers(util.Prioritized(extension.NewTableASTTransformer(), 0)),
	)
}

// parse returns the blocks of source, or nil if goldmark panics on it: then the
// source is shown as typed.
func parse(p parser.Parser, source []byte, seen *seen) (doc ast.Node) {
	defer func() {
		if recover() != nil {
			doc = nil
		}
	}()
	seen.all.parsed += len(source)
	c := seen.all.context()
	c.seen, c.own = seen, nil
	doc = p.Parse(text.NewReader(source), parser.WithContext(c))
	seen.all.spare = c
	return doc
}

// A definitions set holds the link reference definitions of a text in their
// order. Of definitions with the same label the first counts.
type definitions struct {
	order  []parser.Reference
	number map[string]int
	parsed int // bytes given to goldmark so far, by which tests measure cost
	spare  *context
}

// context returns a context as good as new: making one costs as much as parsing
// a line.
func (d *definitions) context() *context {
	c := d.spare
	if c == nil {
		return &context{Context: parser.NewContext()}
	}
	d.spare = nil
	for key := range parser.ContextKeyMax + 1 {
		c.Set(key, nil)
	}
	c.ClearDelimiters(nil)
	c.SetOpenedBlocks(nil)
	c.SetBlockOffset(-1)
	c.SetBlockIndent(-1)
	return c
}

func (d *definitions) add(r parser.Reference) {
	key := util.ToLinkReference(r.Label())
	if _, ok := d.number[key]; ok {
		return
	}
	if d.number == nil {
		d.number = make(map[string]int)
	}
	d.number[key] = len(d.order)
	d.order = append(d.order, r)
}

// seen is what a block knows: the definitions that came before it. What comes
// later must not change a block that has been shown.
type seen struct {
	all   *definitions
	count int
	own   []parser.Reference
}

// A context is goldmark's, with the definitions of the text before.
type context struct {
	parser.Context
	seen *seen
	own  map[string]parser.Reference
}

// Reference implements [parser.Context].
func (c *context) Reference(label string) (parser.Reference, bool) {
	if n, ok := c.seen.all.number[label]; ok && n < c.seen.count {
		return c.seen.all.order[n], true
	}
	r, ok := c.own[label]
	return r, ok
}

// AddReference implements [parser.Context].
func (c *context) AddReference(r parser.Reference) {
	c.seen.own = append(c.seen.own, r)
	key := util.ToLinkReference(r.Label())
	if _, ok := c.own[key]; ok {
		return
	}
	if c.own == nil {
		c.own = make(map[string]parser.Reference)
	}
	c.own[key] = r
}

// unindent returns the text without its leading spaces: as a paragraph's later
// line it may be indented, as its first it would be code.
func unindent(source []byte) []byte {
	return bytes.TrimLeft(source, " \t")
}

// settled reports whether nothing that follows can change how the lines parsed
// as doc are read: no delimiter in them waits for its other half.
func settled(doc ast.Node, source []byte) bool {
	brackets := 0
	ok := true
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		t, isText := n.(*ast.Text)
		if !entering || !isText || n.Parent().Kind() == ast.KindCodeSpan {
			return ast.WalkContinue, nil
		}
		value := t.Segment.Value(source)
		// Inline parsing ends a text node where a delimiter run begins, so what
		// stands beside it is in the source.
		at := t.Segment.Start
		for i, b := range value {
			switch b {
			case '[':
				brackets++
			case ']':
				brackets = max(brackets-1, 0)
			case '`', '*', '_', '~', '<', '\\':
				if waits(source, at+i) {
					ok = false
					return ast.WalkStop, nil
				}
			}
		}
		return ast.WalkContinue, nil
	})
	return ok && brackets == 0
}

// waits reports whether the delimiter at the offset, which matched nothing so
// far, could match something later.
func waits(source []byte, at int) bool {
	b := source[at]
	if escaped(source, at) {
		return false
	}
	after := byte('\n')
	if end := at + run(source[at:], b); end < len(source) {
		after = source[end]
	}
	space := spacer(after)
	switch b {
	case '`':
		return true
	case '<':
		return !space
	case '\\':
		return after == '\n'
	case '_':
		before, _ := utf8.DecodeLastRune(source[:at])
		return !space && !unicode.IsLetter(before) && !unicode.IsNumber(before)
	default:
		return !space
	}
}

// escaped reports whether a backslash takes the meaning off the byte at the
// offset.
func escaped(source []byte, at int) bool {
	n := 0
	for n < at && source[at-1-n] == '\\' {
		n++
	}
	return n%2 == 1
}
