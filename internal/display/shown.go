package display

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"parley/internal/cell"
	"parley/internal/event"
)

// Subject returns the argument that a call is titled for, whole, and the others.
// Without one, all are others.
func Subject(title string, arguments json.RawMessage) (main string, others map[string]json.RawMessage) {
	if json.Unmarshal(arguments, &others) != nil {
		return string(arguments), nil
	}
	for _, key := range slices.Sorted(maps.Keys(others)) {
		var text string
		if json.Unmarshal(others[key], &text) == nil && text != "" && event.Title(text) == title {
			delete(others, key)
			return text, others
		}
	}
	return "", others
}

// Show sets what a call would do for whoever is to allow it, every byte of its
// arguments: what it is titled for behind first, and below it the others, text of
// several lines as it is and all else as JSON.
func Show(s *cell.Sheet, first cell.Line, title string, arguments json.RawMessage) {
	main, others := Subject(title, arguments)
	s.Block(first, main)
	dim := cell.Style{Color: cell.Dim}
	for _, key := range slices.Sorted(maps.Keys(others)) {
		var text string
		if json.Unmarshal(others[key], &text) == nil && strings.Contains(text, "\n") {
			s.Rows = append(s.Rows, cell.Styled("    "+OneWord(key), dim))
			s.Block(cell.Plain("      "), text)
			continue
		}
		var b bytes.Buffer
		if json.Compact(&b, others[key]) != nil {
			b.Reset()
			b.Write(others[key])
		}
		s.Add(cell.Plain("    "), cell.Join(cell.Styled(OneWord(key)+": ", dim), cell.Plain(cell.EscapeJSON(b.String()))))
	}
}

// OneWord is a name as it is shown to whoever judges it: it ends where a space is.
func OneWord(name string) string { return strings.ReplaceAll(cell.Escape(name), " ", `\u0020`) }
