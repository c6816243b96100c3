package fetch

import (
	"fmt"
	"iter"
	"net/url"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// plain turns a page into text in the manner of Markdown: headings, lists, links, preformatted text and
// tables keep their shape, everything that is not content is left out.
func plain(page string, base *url.URL) string {
	page, whole := lean(page)
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		return page
	}
	w := writer{page: base, base: base}
	if title := strings.TrimSpace(text(find(root, atom.Title))); title != "" {
		w.line("# " + squeeze(title))
	}
	if at := find(root, atom.Base); at != nil {
		if to, err := base.Parse(attribute(at, "href")); err == nil {
			w.base = to
		}
	}
	body := find(root, atom.Body)
	if body == nil {
		body = root
	}
	w.children(body, 0)
	if !whole {
		w.line(fmt.Sprintf("[The page has more than %d tags; the rest is left out.]", maxTags))
	}
	return strings.TrimSpace(w.out.String()) + "\n"
}

// maxDepth bounds the recursion; html.Parse itself nests no deeper than 512.
const maxDepth = 512

// writer puts text on lines. A break asked for several times is one break.
type writer struct {
	page   *url.URL
	base   *url.URL // what links are relative to
	out    strings.Builder
	breaks int    // newlines owed before the next text
	blank  bool   // a blank is owed
	prefix string // of each line, in a list or a quotation
	before string // the prefix of the line that was begun last
	fresh  bool   // the line has no text yet, at most a bullet
}

func (w *writer) text(s string) {
	for field := range splitSpace(s) {
		if field == " " {
			w.blank = true
			continue
		}
		w.raw(field)
	}
}

func (w *writer) raw(s string) {
	if s == "" {
		return
	}
	w.flush()
	if w.blank && !w.fresh {
		w.out.WriteByte(' ')
	}
	w.out.WriteString(s)
	w.blank, w.fresh = false, false
}

func (w *writer) flush() {
	switch {
	case w.out.Len() == 0:
	case w.breaks > 0:
		if w.breaks > 1 {
			// A blank line between a quotation and what is around it is not quoted.
			both := w.prefix
			for !strings.HasPrefix(w.before, both) {
				both = both[:len(both)-1]
			}
			w.out.WriteString("\n" + strings.TrimRight(both, " "))
		}
		w.out.WriteByte('\n')
	default:
		return
	}
	w.out.WriteString(w.prefix)
	w.breaks, w.before, w.fresh = 0, w.prefix, true
}

func (w *writer) line(s string) {
	w.end(2)
	w.raw(s)
	w.end(2)
}

// end asks for a break. Behind a bullet there is none to make.
func (w *writer) end(breaks int) {
	w.blank = false
	if !w.fresh {
		w.breaks = max(w.breaks, breaks)
	}
}

// start writes what a line begins with, whether or not text follows.
func (w *writer) start(breaks int, mark string, write func()) {
	w.end(breaks)
	w.raw(mark)
	w.fresh = true
	write()
	w.fresh = false
	w.end(breaks)
}

// left holds nothing a reader of text wants.
var left = map[atom.Atom]bool{
	atom.Script: true, atom.Style: true, atom.Noscript: true, atom.Template: true, atom.Svg: true, atom.Iframe: true,
	atom.Object: true, atom.Canvas: true, atom.Head: true, atom.Select: true, atom.Button: true, atom.Input: true,
	atom.Textarea: true, atom.Audio: true, atom.Video: true, atom.Dialog: true,
}

// blocks begin and end a paragraph (2) or just a line (1).
var blocks = map[atom.Atom]int{
	atom.P: 2, atom.Div: 1, atom.Section: 2, atom.Article: 2, atom.Main: 2, atom.Header: 2, atom.Footer: 2, atom.Nav: 2,
	atom.Aside: 2, atom.Figure: 2, atom.Figcaption: 1, atom.Address: 2, atom.Form: 2, atom.Fieldset: 2, atom.Dl: 2,
	atom.Dt: 1, atom.Dd: 1, atom.Details: 2, atom.Summary: 1, atom.Table: 2, atom.Thead: 1, atom.Tbody: 1, atom.Tr: 1,
	atom.Ul: 2, atom.Ol: 2, atom.Blockquote: 2, atom.Caption: 1,
}

func (w *writer) children(n *html.Node, depth int) {
	if depth > maxDepth {
		return
	}
	number := 0
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.ElementNode && c.DataAtom == atom.Li {
			number++
		}
		w.node(c, number, depth)
	}
}

func (w *writer) node(n *html.Node, number, depth int) {
	if n.Type == html.TextNode {
		w.text(n.Data)
		return
	}
	if n.Type != html.ElementNode || left[n.DataAtom] || hidden(n) {
		return
	}
	if breaks := blocks[n.DataAtom]; breaks > 0 {
		if list := n.DataAtom == atom.Ul || n.DataAtom == atom.Ol; list && n.Parent.DataAtom == atom.Li {
			breaks = 1
		}
		w.end(breaks)
		defer w.end(breaks)
	}
	switch n.DataAtom {
	case atom.Br:
		w.end(1)
	case atom.Hr:
		w.line("---")
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		w.start(2, strings.Repeat("#", int(n.Data[1]-'0'))+" ", func() { w.children(n, depth+1) })
	case atom.Li:
		w.item(n, number, depth)
	case atom.Blockquote:
		w.inside("> ", func() { w.children(n, depth+1) })
	case atom.Pre:
		w.preformatted(n)
	case atom.Code:
		if inner := squeeze(text(n)); inner != "" {
			w.raw("`" + inner + "`")
		}
	case atom.A:
		w.link(n, depth)
	case atom.Img:
		if alt := squeeze(attribute(n, "alt")); alt != "" {
			w.raw("[image: " + alt + "]")
		}
	case atom.Td, atom.Th:
		if !w.fresh && w.breaks == 0 {
			w.raw(" | ")
			w.fresh = true
		}
		w.children(n, depth+1)
	default:
		w.children(n, depth+1)
	}
}

func (w *writer) item(n *html.Node, number, depth int) {
	bullet := "- "
	if n.Parent.DataAtom == atom.Ol {
		bullet = strconv.Itoa(number) + ". "
	}
	w.start(1, bullet, func() {
		w.inside(strings.Repeat(" ", len(bullet)), func() { w.children(n, depth+1) })
	})
}

func (w *writer) inside(prefix string, write func()) {
	before := w.prefix
	w.prefix += prefix
	write()
	w.prefix = before
}

func (w *writer) preformatted(n *html.Node) {
	w.line("```")
	for line := range strings.SplitSeq(strings.TrimRight(text(n), "\n"), "\n") {
		w.breaks = 1
		w.flush()
		w.out.WriteString(line)
	}
	w.fresh = false
	w.breaks = 1
	w.raw("```")
	w.end(2)
}

func (w *writer) link(n *html.Node, depth int) {
	inner := squeeze(text(n))
	to := ""
	if target, err := w.base.Parse(attribute(n, "href")); err == nil && attribute(n, "href") != "" {
		same := *target
		same.Fragment, same.RawFragment = "", ""
		if (target.Scheme == "http" || target.Scheme == "https") && same.String() != w.page.String() {
			to = target.String()
		}
	}
	if to == "" || inner == "" {
		w.children(n, depth+1)
		return
	}
	if to == inner {
		w.raw(to)
		return
	}
	w.raw("[" + inner + "](" + to + ")")
}

func hidden(n *html.Node) bool {
	for _, a := range n.Attr {
		if a.Key == "hidden" || a.Key == "aria-hidden" && a.Val == "true" {
			return true
		}
	}
	return false
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return strings.TrimSpace(a.Val)
		}
	}
	return ""
}

func find(n *html.Node, a atom.Atom) *html.Node {
	for d := range n.Descendants() {
		if d.Type == html.ElementNode && d.DataAtom == a {
			return d
		}
	}
	return nil
}

// text is all text below a node that shows.
func text(n *html.Node) string {
	if n == nil {
		return ""
	}
	var b strings.Builder
	var walk func(*html.Node, int)
	walk = func(n *html.Node, depth int) {
		switch {
		case depth > maxDepth:
		case n.Type == html.TextNode:
			b.WriteString(n.Data)
		case n.Type == html.ElementNode && (left[n.DataAtom] && depth > 0 || hidden(n)):
		default:
			if n.DataAtom == atom.Img {
				b.WriteString(attribute(n, "alt"))
			}
			if n.DataAtom == atom.Br || blocks[n.DataAtom] > 0 {
				b.WriteByte('\n')
			}
			for c := n.FirstChild; c != nil; c = c.NextSibling {
				walk(c, depth+1)
			}
		}
	}
	walk(n, 0)
	return b.String()
}

func squeeze(s string) string {
	var b strings.Builder
	for field := range splitSpace(s) {
		if field != " " || b.Len() > 0 {
			b.WriteString(field)
		}
	}
	return strings.TrimSuffix(b.String(), " ")
}

// splitSpace yields words and single blanks.
func splitSpace(s string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for s != "" {
			i := strings.IndexFunc(s, unicode.IsSpace)
			if i < 0 {
				yield(s)
				return
			}
			if i > 0 && !yield(s[:i]) || !yield(" ") {
				return
			}
			s = strings.TrimLeftFunc(s[i:], unicode.IsSpace)
		}
	}
}
