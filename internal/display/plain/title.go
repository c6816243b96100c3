package plain

import (
	"encoding/json"
	"strings"

	"parley/internal/cell"
)

// titleMax is how much of a title is shown, in columns.
const titleMax = 120

// form returns a call in one line, as name("title"): the first line of the title, written out where something in it
// could not be seen. A title that has its own quotes, or is a number or an object, gets none.
func form(name, title string) string {
	title, _, _ = strings.Cut(title, "\n")
	if title != cell.Clean(title) {
		title = cell.Escape(title)
	}
	title = clip(title)
	if title != "" && !strings.HasPrefix(title, `"`) && !(strings.ContainsAny(title[:1], "{[-0123456789") && json.Valid([]byte(title))) {
		title = `"` + strings.ReplaceAll(title, `"`, `\"`) + `"`
	}
	return flat(name) + "(" + title + ")"
}

func clip(text string) string {
	if len(text) <= titleMax {
		return text
	}
	return cell.Truncate(cell.Plain(text), titleMax).Text()
}
