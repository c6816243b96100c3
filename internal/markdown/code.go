package markdown

import (
	"bytes"
	"strings"

	"parley/internal/cell"
)

// highlightMax is how much code is coloured at once, in bytes. Highlighting is
// the slowest thing here, about a megabyte a second.
const highlightMax = 32 << 10

// fence adds a fenced block at the document's own level, or a piece of one.
func (s *builder) fence(b *body) {
	source := b.source
	language := ""
	if b.first {
		_, source, _ = bytes.Cut(source, []byte("\n"))
		language, _, _ = strings.Cut(b.fence.info, " ")
	}
	if b.last {
		source = source[:1+bytes.LastIndexByte(bytes.TrimSuffix(source, []byte("\n")), '\n')]
	}
	var text strings.Builder
	for line := range bytes.Lines(source) {
		text.Write(b.fence.content(line))
		text.WriteByte('\n')
	}
	s.open = s.open || !b.first || !b.last && len(b.source) >= fenceMax
	s.code(text.String(), language)
}

// code adds lines of code, two columns in, under the name of their language.
func (s *builder) code(text, language string) {
	outer, first, n := s.rest, s.first, len(s.rows)
	s.first = cell.Join(s.first, step)
	s.rest = cell.Join(s.rest, step)
	if language != "" {
		s.row(cell.Styled(entities(language), dim), false)
	}
	for _, line := range s.colour(text, language) {
		s.row(line, true)
	}
	s.first, s.rest = outer, outer
	if len(s.rows) == n {
		s.first = first
	}
}

// colour returns the lines of text, highlighted if that is asked for.
func (s *builder) colour(text, language string) []cell.Line {
	if text == "" {
		return nil
	}
	text = expand(text)
	if s.options.Highlight && !s.open && language != "" && len(text) <= highlightMax {
		if lines, ok := highlight(language, text); ok {
			return lines
		}
	}
	var lines []cell.Line
	for line := range strings.Lines(text) {
		lines = append(lines, cell.Plain(strings.TrimSuffix(line, "\n")))
	}
	return lines
}

// expand expands the tabs of each line.
func expand(text string) string {
	if strings.IndexByte(text, '\t') < 0 {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(cell.ExpandTabs(line, 0, codeTab))
	}
	return b.String()
}
