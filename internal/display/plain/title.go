package plain

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"

	"parley/internal/cell"
)

// telling are the arguments that tell most about a call, the first that is there
// wins.
var telling = []string{"path", "file", "file_path", "pattern", "content", "query", "command", "url", "description", "prompt", "name"}

// search are tools whose pattern tells more than where it is looked for.
var search = map[string]bool{"find": true, "glob": true, "grep": true, "search": true}

// titleMax is how much of an argument is shown, in columns.
const titleMax = 120

// Title returns a call in one line of clean text, as name("argument"): of its
// arguments the one that tells most. Arguments that are not an object give
// name().
func Title(name string, arguments json.RawMessage) string {
	value := ""
	fields := object(arguments)
	order := telling
	if search[name] {
		order = append([]string{"pattern", "query"}, telling...)
	}
	for _, key := range order {
		if v, ok := lookup(fields, key); ok && value == "" {
			value = v
		}
	}
	if value == "" && len(fields) > 0 {
		value = fields[0].value
	}
	return flat(name) + "(" + value + ")"
}

type field struct{ key, value string }

// object returns the members of a JSON object in their order, values in the form
// of a title.
func object(arguments json.RawMessage) []field {
	d := json.NewDecoder(bytes.NewReader(arguments))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	var out []field
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return out
		}
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil && err != io.EOF {
			return out
		}
		name, _ := key.(string)
		out = append(out, field{name, title(raw)})
	}
	return out
}

// title is a value on one line: a string in quotes, anything else as it is.
func title(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		var b bytes.Buffer
		if json.Compact(&b, raw) != nil {
			return ""
		}
		return clip(cell.Clean(b.String()))
	}
	s = strings.TrimSpace(cell.Clean(s))
	first, _, more := strings.Cut(s, "\n")
	first = strings.ReplaceAll(strings.TrimSpace(first), "\t", " ")
	if more {
		first += " …"
	}
	return `"` + strings.ReplaceAll(clip(first), `"`, `\"`) + `"`
}

func clip(text string) string {
	if len(text) <= titleMax {
		return text
	}
	return cell.Truncate(cell.Plain(text), titleMax).Text()
}

func lookup(fields []field, key string) (string, bool) {
	for _, f := range fields {
		if f.key == key && f.value != `""` {
			return f.value, true
		}
	}
	return "", false
}
