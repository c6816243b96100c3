package event

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxTitle is how long the title of a call is at most, in bytes.
const MaxTitle = 160

// Title makes a text fit to be the title of a call: its first line, without control and format characters, cut at
// MaxTitle; an ellipsis stands for the rest. A title is for people to tell calls apart, and never what is approved.
func Title(text string) string {
	first, rest, _ := strings.Cut(strings.TrimSpace(strings.ToValidUTF8(text, "\uFFFD")), "\n")
	first = strings.TrimSpace(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsGraphic(r):
			return -1
		}
		return r
	}, first))
	more := strings.TrimSpace(rest) != ""
	if room := MaxTitle - len("…"); len(first) > room {
		for room > 0 && !utf8.RuneStart(first[room]) {
			room--
		}
		return strings.TrimRight(first[:room], " ") + "…"
	}
	if more && len(first)+len(" …") <= MaxTitle {
		first += " …"
	}
	return strings.TrimSpace(first)
}

// TitleOf is the title of a call, also where it came without one: of a tool that says nothing of itself, or from an old
// log. It is then the argument that usually tells most; else the only argument there is; else all of them as they are.
func TitleOf(title string, arguments json.RawMessage) string {
	if title != "" {
		return title
	}
	members, ok := membersOf(arguments)
	if !ok {
		return Title(string(arguments))
	}
	for _, key := range []string{"pattern", "path", "file", "file_path", "query", "command", "url", "description", "prompt", "content", "name"} {
		for _, m := range members {
			if title := Title(m.text); m.key == key && title != "" {
				return title
			}
		}
	}
	switch len(members) {
	case 0:
		return ""
	case 1:
		return Title(members[0].text)
	}
	return Title(compact(arguments))
}

type member struct{ key, text string }

// membersOf returns the members of a JSON object in their order.
func membersOf(object json.RawMessage) ([]member, bool) {
	d := json.NewDecoder(bytes.NewReader(object))
	if t, err := d.Token(); err != nil || t != json.Delim('{') || !json.Valid(object) {
		return nil, false
	}
	var out []member
	for d.More() {
		key, err := d.Token()
		name, _ := key.(string)
		var raw json.RawMessage
		if err != nil || d.Decode(&raw) != nil {
			return nil, false
		}
		m := member{key: name}
		if json.Unmarshal(raw, &m.text) != nil {
			m.text = compact(raw)
		}
		out = append(out, m)
	}
	return out, true
}

func compact(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return string(raw)
	}
	return b.String()
}
