package cell

import "strings"

// A Sheet is text that somebody is to judge, set into rows: every byte of it, by
// [Escape]. Its rows are broken here and not by the terminal, and what stands in
// their first columns is the caller's: so no text can look like the beginning of
// another row, and what goes on in a further row says so.
type Sheet struct {
	Width int // of a row; 0: rows are left whole
	Rows  []Line
}

// goesOn stands before the further rows of a line.
const goesOn = "↳ "

// Add sets one line behind its first columns.
func (s *Sheet) Add(first, text Line) {
	rest := Styled(strings.Repeat(" ", max(first.Width()-Width(goesOn), 0))+goesOn, Style{Color: Dim})
	s.Rows = append(s.Rows, Wrap(text, s.Width, Indent{First: first, Rest: rest, Hard: true})...)
}

// Block sets a text of several lines, the first one behind first.
func (s *Sheet) Block(first Line, text string) {
	for _, line := range EscapeLines(text) {
		s.Add(first, Plain(line))
		first = Plain(strings.Repeat(" ", first.Width()))
	}
}

// EscapeTabs is [Escape] for a line that keeps its columns, counted from the one
// that it begins at: each tab goes to its stop, behind [TabSign].
func EscapeTabs(line string, column int) string {
	fields := strings.Split(line, "\t")
	for i, field := range fields {
		fields[i] = Escape(field)
	}
	return SignTabs(strings.Join(fields, "\t"), column)
}

// SignTabs is EscapeTabs for text that needs no more than that.
func SignTabs(text string, column int) string {
	var b strings.Builder
	for {
		field, rest, tab := strings.Cut(text, "\t")
		b.WriteString(field)
		if !tab {
			return b.String()
		}
		column += Width(field)
		n := TabStop - column%TabStop
		b.WriteString(TabSign + strings.Repeat(" ", n-1))
		column, text = column+n, rest
	}
}
