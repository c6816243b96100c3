package rig

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
)

// A Talk is a conversation of any number of native clients with one daemon,
// written down line by line:
//
//	# ann says a line; her first one connects her
//	ann> {"type":"prompt","id":"1","data":{"text":"go"}}
//	# ann reads on to the next line of that type that has these values; results
//	# and events are rows of their own, since neither waits for the other
//	ann< input.queued data.text=go data.input=?FIRST
//	# of all that ann has read, nothing is like this
//	ann! block.grew data.text~secret
//	# ann hangs up; ann reads until the daemon does
//	ann.
//	ann$
//
// A value is what stands in the JSON under the path, as text: = is equal, ~ is
// part of it, =? keeps it under a name. ${NAME} is replaced by what was kept, and
// by what the Talk began with. A value that has a space in it is quoted as in Go.
type Talk struct {
	Socket  string
	Vars    map[string]string
	clients map[string]*talker
	heard   []string
}

type talker struct {
	*Client
	events, replies int // lines that were matched or passed over
}

var (
	spoken   = regexp.MustCompile(`^([a-z]+)([><!.$]) ?(.*)$`)
	variable = regexp.MustCompile(`\$\{(\w+)\}`)
	wanted   = regexp.MustCompile(`^([\w.]+)(=\?|=|~)((?:"(?:[^"\\]|\\.)*")|\S*)\s*`)
)

// Play holds the conversation. The error names the line of the script and has
// all that was heard.
func (t *Talk) Play(name, script string) error {
	t.clients = make(map[string]*talker)
	defer func() {
		for _, c := range t.clients {
			c.Close()
		}
	}()
	for i, line := range strings.Split(script, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if err := t.line(line); err != nil {
			return fmt.Errorf("%s:%d: %s\n%w\n%s", name, i+1, line, err, strings.Join(t.all(), "\n"))
		}
	}
	return nil
}

// all is the end of what everybody has heard; what came after the last line that
// was waited for has a mark.
func (t *Talk) all() []string {
	const most, width = 20, 300
	var out []string
	for name, c := range t.clients {
		lines := c.Lines()
		for i := max(0, len(lines)-most); i < len(lines); i++ {
			mark := "  "
			if i >= max(c.events, c.replies) {
				mark = "? "
			}
			out = append(out, name+mark+lines[i].Raw[:min(width, len(lines[i].Raw))])
		}
	}
	return out
}

// Heard are all lines that were waited for, in order.
func (t *Talk) Heard() []string { return t.heard }

func (t *Talk) line(line string) error {
	m := spoken.FindStringSubmatch(line)
	if m == nil {
		return errors.New("not a line of a conversation")
	}
	missing := ""
	text := variable.ReplaceAllStringFunc(m[3], func(v string) string {
		value, ok := t.Vars[v[2:len(v)-1]]
		if !ok {
			missing = v
		}
		return value
	})
	if missing != "" {
		return fmt.Errorf("%s is not known", missing)
	}
	c := t.clients[m[1]]
	if c == nil {
		conn, err := Dial(t.Socket)
		if err != nil {
			return err
		}
		c = &talker{Client: conn}
		t.clients[m[1]] = c
	}
	switch m[2] {
	case ">":
		return c.Send(text)
	case "<":
		return t.wait(c, text)
	case "!":
		return t.never(c, text)
	case ".":
		delete(t.clients, m[1])
		return c.Close()
	}
	return c.Ended()
}

func (t *Talk) wait(c *talker, text string) error {
	want, err := parseWant(text)
	if err != nil {
		return err
	}
	at := &c.events
	if want.kind == "result" {
		at = &c.replies
	}
	line, i, err := c.Wait(*at, want.holds)
	if errors.Is(err, io.EOF) {
		return errors.New("the daemon hung up first")
	}
	if err != nil {
		return err
	}
	*at = i + 1
	t.heard = append(t.heard, line.Raw)
	for _, v := range want.values {
		if v.op == "=?" {
			t.Vars[v.text] = lookup(line.Raw, v.path)
		}
	}
	return nil
}

func (t *Talk) never(c *talker, text string) error {
	want, err := parseWant(text)
	if err != nil {
		return err
	}
	for _, l := range c.Lines()[:c.events] {
		if want.holds(l) {
			return fmt.Errorf("it came: %s", l.Raw)
		}
	}
	return nil
}

// want is a type and the values that a line must have.
type want struct {
	kind   string
	values []value
}

type value struct{ path, op, text string }

func parseWant(text string) (want, error) {
	kind, rest, _ := strings.Cut(text, " ")
	w := want{kind: kind}
	for rest = strings.TrimSpace(rest); rest != ""; {
		m := wanted.FindStringSubmatch(rest)
		if m == nil {
			return w, fmt.Errorf("not PATH=VALUE: %s", rest)
		}
		v := value{m[1], m[2], m[3]}
		if strings.HasPrefix(v.text, `"`) {
			plain, err := strconv.Unquote(v.text)
			if err != nil {
				return w, fmt.Errorf("%s: %w", v.text, err)
			}
			v.text = plain
		}
		w.values = append(w.values, v)
		rest = rest[len(m[0]):]
	}
	return w, nil
}

func (w want) holds(l Line) bool {
	if w.kind != l.Type {
		return false
	}
	for _, v := range w.values {
		switch got := lookup(l.Raw, v.path); v.op {
		case "=":
			if got != v.text {
				return false
			}
		case "~":
			if !strings.Contains(got, v.text) {
				return false
			}
		default:
			if got == "" {
				return false
			}
		}
	}
	return true
}

// lookup is what stands in a JSON value under a path such as data.calls.0.name:
// a string as it is, anything else as its JSON, nothing where there is none.
func lookup(raw, path string) string {
	at := json.RawMessage(raw)
	for _, key := range strings.Split(path, ".") {
		var object map[string]json.RawMessage
		var list []json.RawMessage
		switch {
		case json.Unmarshal(at, &object) == nil:
			at = object[key]
		case json.Unmarshal(at, &list) == nil:
			i, err := strconv.Atoi(key)
			if err != nil || i < 0 || i >= len(list) {
				return ""
			}
			at = list[i]
		default:
			return ""
		}
	}
	var text string
	if json.Unmarshal(at, &text) == nil {
		return text
	}
	return string(at)
}

// Events are the lines of a file of events.
func Events(path string) ([]Line, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var out []Line
	scan := bufio.NewScanner(file)
	scan.Buffer(nil, 64<<20)
	for scan.Scan() {
		l := Line{Raw: scan.Text()}
		if err := json.Unmarshal(scan.Bytes(), &l); err != nil {
			return nil, err
		}
		out = append(out, l)
	}
	return out, scan.Err()
}
