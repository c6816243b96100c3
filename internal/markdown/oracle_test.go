package markdown

import (
	"bytes"
	"html"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"

	"parley/internal/cell"
)

// The oracle is goldmark's own HTML of the whole text, turned into words.
//
// A word is a maximal run of characters other than white space in the text
// content, a control character counting as U+FFFD. Block tags, br and table cells separate words, other tags do not.
// Raw HTML counts as text, as typed, but for br. The backticks around code
// spans, the numbers of list items and the languages of fences are words or
// parts of words, as they are shown. A link's or image's target, where it is not
// its text, follows in parentheses; without targets, links are set apart from
// the words beside them instead, as the brackets of an unresolved one are.
func oracleWords(t testing.TB, source string, targets bool) []string {
	t.Helper()
	var out bytes.Buffer
	if err := oracle.Convert([]byte(cell.Clean(source)), &out); err != nil {
		t.Fatal(err)
	}
	return htmlWords(out.String(), targets)
}

var oracle = goldmark.New(
	goldmark.WithExtensions(extension.GFM),
	goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(oracleNodes{}, 1))),
)

// oracleNodes renders what the oracle sees otherwise than a browser.
type oracleNodes struct{}

func (oracleNodes) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	text := func(w util.BufWriter, s string) { _, _ = w.WriteString(html.EscapeString(s)) }
	r.Register(ast.KindRawHTML, func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			raw := string(n.(*ast.RawHTML).Segments.Value(source))
			if isBreak(raw) {
				_, _ = w.WriteString("<br>")
			} else {
				text(w, raw)
			}
		}
		return ast.WalkSkipChildren, nil
	})
	r.Register(ast.KindHTMLBlock, func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			b := n.(*ast.HTMLBlock)
			_, _ = w.WriteString("<p>")
			text(w, string(b.Lines().Value(source)))
			if b.HasClosure() {
				text(w, string(b.ClosureLine.Value(source)))
			}
			_, _ = w.WriteString("</p>")
		}
		return ast.WalkContinue, nil
	})
	link := func(w util.BufWriter, destination []byte, entering bool) {
		if entering {
			_, _ = w.WriteString("<a>")
			return
		}
		_, _ = w.WriteString("</a (" + html.EscapeString(string(oracleEntities(destination))) + ")>")
	}
	r.Register(ast.KindLink, func(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		link(w, n.(*ast.Link).Destination, entering)
		return ast.WalkContinue, nil
	})
	r.Register(ast.KindImage, func(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		link(w, n.(*ast.Image).Destination, entering)
		return ast.WalkContinue, nil
	})
}

func oracleEntities(b []byte) []byte {
	return util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(b)))
}

var tags = regexp.MustCompile(`<(/?)([a-z0-9]+)([^>]*)>`)

// htmlWords returns the words of goldmark's HTML.
func htmlWords(text string, targets bool) []string {
	var b strings.Builder
	var numbers []int // of the open lists' next items, 0 for bullets
	var links []int   // where the open links' texts begin
	pre := false
	for text != "" {
		m := tags.FindStringSubmatchIndex(text)
		if m == nil {
			break
		}
		b.WriteString(html.UnescapeString(text[:m[0]]))
		closing, name, rest := m[2] != m[3], text[m[4]:m[5]], text[m[6]:m[7]]
		text = text[m[1]:]
		switch name {
		case "em", "strong", "del":
		case "a":
			switch {
			case strings.Contains(rest, "href="):
				links = append(links, -1)
			case !closing:
				if !targets {
					b.WriteByte(' ')
				}
				links = append(links, b.Len())
			default:
				start := links[len(links)-1]
				links = links[:len(links)-1]
				if start < 0 {
					continue
				}
				target := html.UnescapeString(strings.TrimSuffix(strings.TrimPrefix(rest, " ("), ")"))
				shown := b.String()[start:]
				switch {
				case !targets:
					b.WriteByte(' ')
				case target == "" || shown == target:
				case shown == "":
					b.WriteString(target)
				default:
					b.WriteString(" (" + target + ")")
				}
			}
		case "pre":
			pre = !closing
			b.WriteByte('\n')
		case "code":
			if !pre {
				b.WriteByte('`')
			} else if _, language, ok := strings.Cut(rest, `class="language-`); ok {
				b.WriteString(html.UnescapeString(strings.TrimSuffix(language, `"`)) + "\n")
			}
		case "ol", "ul":
			b.WriteByte('\n')
			switch {
			case closing:
				numbers = numbers[:len(numbers)-1]
			case name == "ul":
				numbers = append(numbers, -1)
			default:
				n := 1
				if _, start, ok := strings.Cut(rest, `start="`); ok {
					n, _ = strconv.Atoi(strings.TrimSuffix(start, `"`))
				}
				numbers = append(numbers, n)
			}
		case "li":
			b.WriteByte('\n')
			if n := len(numbers) - 1; !closing && numbers[n] >= 0 {
				b.WriteString(strconv.Itoa(numbers[n]) + "# ")
				numbers[n]++
			}
		default:
			b.WriteByte('\n')
		}
	}
	b.WriteString(html.UnescapeString(text))
	return strings.Fields(strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x206f {
			return utf8.RuneError
		}
		return r
	}, b.String()))
}

// A token is a word as it was rendered. One that glues may go on in the next
// line, because its own was full.
type token struct {
	text string
	glue bool
}

// renderedWords returns the words of lines that were set at a width.
func renderedWords(lines []cell.Line, width int) []token {
	var out []token
	for _, l := range lines {
		fields := strings.Fields(l.Text())
		for i, f := range fields {
			out = append(out, token{f, i == len(fields)-1 && width > 0 && l.Width() >= width-1})
		}
	}
	return out
}

// decoration are the words that stand for structure.
// So are rules and the lines under a table's header.
var decoration = map[string]bool{"•": true, "│": true, "☐": true, "☑": true}

// numeral turns a list number's 1. or 1) into the oracle's 1#.
var numeral = regexp.MustCompile(`^[0-9]{1,10}[.)]$`)

// missing compares the words and returns what the rendering lost, or "".
// Further words are legal if extra says so.
func missing(want []string, got []token, extra func(string) bool) string {
	at, rest := 0, ""
	if len(want) > 0 {
		rest = want[0]
	}
	for _, tok := range got {
		if at < len(want) {
			whole := tok.text == rest ||
				strings.HasSuffix(rest, "#") && numeral.MatchString(tok.text) && tok.text[:len(tok.text)-1] == rest[:len(rest)-1]
			switch {
			case whole:
				if at++; at < len(want) {
					rest = want[at]
				}
				continue
			case tok.glue && strings.HasPrefix(rest, tok.text):
				rest = rest[len(tok.text):]
				continue
			}
		}
		if !decoration[tok.text] && strings.Trim(tok.text, "─") != "" && !extra(tok.text) {
			if at < len(want) {
				return "got " + strconv.Quote(tok.text) + ", want " + strconv.Quote(rest)
			}
			return "got " + strconv.Quote(tok.text) + " after the end"
		}
	}
	if at < len(want) {
		return "lost " + strconv.Quote(rest)
	}
	return ""
}

func never(string) bool { return false }

// letters reduces words to runs of letters and digits, the weaker reading of a
// word that is used where punctuation legally differs.
func letters(words []string) []string {
	split := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) }
	var out []string
	for _, w := range words {
		out = append(out, strings.FieldsFunc(w, split)...)
	}
	return out
}
