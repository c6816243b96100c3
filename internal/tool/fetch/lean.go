package fetch

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

const (
	// maxTags bounds the tree of a page. The largest pages that people read have about half of it.
	maxTags = 100_000
	// maxAttributes is what a tag that means well has at most.
	maxAttributes = 100
)

// style is how a text looks, which is not told. A parser opens these elements again in each block that follows, so that
// a short page becomes a tree without end.
var style = map[atom.Atom]bool{
	atom.B: true, atom.Big: true, atom.Em: true, atom.Font: true, atom.I: true, atom.Nobr: true, atom.S: true, atom.Small: true,
	atom.Strike: true, atom.Strong: true, atom.Tt: true, atom.U: true, atom.Span: true,
}

// lean is a page without what only costs: comments, scripts, style, and the tags beyond maxTags; whole says that no tag
// was too many.
func lean(page string) (_ string, whole bool) {
	z := html.NewTokenizer(strings.NewReader(page))
	var out strings.Builder
	out.Grow(len(page))
	skip := false // what is below a script or a style sheet
	for n, ends := 0, 0; ; {
		switch z.Next() {
		case html.ErrorToken:
			return out.String(), true
		case html.TextToken:
			if !skip {
				out.Write(z.Raw())
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			raw := z.Raw()
			name, _ := z.TagName()
			a := atom.Lookup(name)
			skip = a == atom.Script || a == atom.Style
			if skip || style[a] || attributes(z) > maxAttributes {
				continue
			}
			if n++; n > maxTags {
				return out.String(), false
			}
			out.Write(raw)
		case html.EndTagToken:
			raw := z.Raw()
			name, _ := z.TagName()
			a := atom.Lookup(name)
			skip = skip && a != atom.Script && a != atom.Style
			if style[a] || a == atom.Script || a == atom.Style {
				continue
			}
			if ends++; ends > maxTags { // a parser makes elements of ends that have no beginning
				return out.String(), false
			}
			out.Write(raw)
		case html.CommentToken, html.DoctypeToken:
		}
	}
}

func attributes(z *html.Tokenizer) int {
	n := 0
	for more := true; more; n++ {
		_, _, more = z.TagAttr()
	}
	return n
}
