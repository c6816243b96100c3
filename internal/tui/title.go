package tui

import (
	"encoding/json"
	"strings"

	"parley/internal/cell"
)

// titleBytes bounds the arguments of a call as they stand in its one line.
const titleBytes = 160

// title says in a few words what a call does: the arguments that matter, in the
// order in which a person would write them.
func title(tool string, arguments json.RawMessage) string {
	var a map[string]any
	if json.Unmarshal(arguments, &a) != nil {
		head, _ := oneLine(string(arguments), titleBytes)
		return head
	}
	var words []string
	word := func(key string, quoted bool) {
		if s, ok := a[key].(string); ok && s != "" {
			if quoted {
				s = `"` + s + `"`
			}
			words = append(words, s)
		}
	}
	switch tool {
	case "bash":
		word("command", false)
	case "read", "write", "edit", "ls":
		word("path", false)
	case "glob":
		word("pattern", false)
		word("path", false)
	case "grep":
		word("pattern", true)
		word("path", false)
		word("glob", false)
	case "fetch":
		word("url", false)
	default:
		return generic(arguments, a)
	}
	text, _ := oneLine(strings.Join(words, " "), titleBytes)
	return text
}

// generic shows the arguments of a tool that is not ours: the one string, or
// the object as it came.
func generic(arguments json.RawMessage, a map[string]any) string {
	if len(a) == 0 {
		return ""
	}
	for _, key := range []string{"description", "command", "path", "query", "url", "name"} {
		if s, ok := a[key].(string); ok && s != "" {
			text, _ := oneLine(s, titleBytes)
			return text
		}
	}
	text, _ := oneLine(cell.Clean(string(arguments)), titleBytes)
	return text
}
