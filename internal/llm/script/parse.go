package script

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"parley/internal/llm"
	"parley/internal/regular"
)

// most is the longest line in bytes; pictures make long ones.
const most = 64 << 20

// line is a line as written.
type line struct {
	Text    *string  `json:"text"`
	Think   *string  `json:"think"`
	Call    *callDef `json:"call"`
	Image   *picture `json:"image"`
	DelayMS *int     `json:"delay_ms"`
	Stop    *string  `json:"stop"`
	Fail    *failure `json:"fail"`
	Expect  *string  `json:"expect"`
	When    *string  `json:"when"`
	Order   *string  `json:"order"`

	Chunk int        `json:"chunk"`
	Rate  float64    `json:"rate"`
	Times int        `json:"times"`
	In    string     `json:"in"`
	Usage *llm.Usage `json:"usage"`
}

type callDef struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

type picture struct {
	MediaType string `json:"media_type"`
	Data      []byte `json:"data"`
}

type failure struct {
	Status     int     `json:"status"`
	RetryAfter float64 `json:"retry_after"`
	Message    string  `json:"message"`
	Cut        bool    `json:"cut"`
	Malformed  bool    `json:"malformed"`
}

// answer is one answer of the file.
type answer struct {
	steps   []line
	expects []condition
	when    *condition
	stop    string
	usage   *llm.Usage
	fail    *failure
	spoken  bool
}

// condition is a text and the part of a request to find it in.
type condition struct{ text, in string }

// Open reads a script from a file. Errors name the file and the line.
func Open(path string) (*Model, error) {
	f, err := regular.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open script: %w", err)
	}
	defer f.Close()
	return Parse(path, f)
}

// Parse reads a script. The name stands for it in errors and faults.
func Parse(name string, r io.Reader) (*Model, error) {
	m := &Model{name: name}
	p := parser{model: m}
	s := bufio.NewScanner(r)
	s.Buffer(nil, most)
	n := 0
	for s.Scan() {
		n++
		text := bytes.TrimSpace(s.Bytes())
		if n == 1 {
			text = bytes.TrimPrefix(text, []byte("\ufeff"))
		}
		if len(text) == 0 || text[0] == '#' || bytes.HasPrefix(text, []byte("//")) {
			continue
		}
		if err := p.line(text); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
	}
	if err := s.Err(); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", name, n+1, err)
	}
	if p.open != nil {
		return nil, fmt.Errorf("%s:%d: the last answer has no stop", name, n)
	}
	if len(m.ordered)+len(m.conditional) == 0 {
		return nil, fmt.Errorf("%s: the script has no answer", name)
	}
	return m, nil
}

type parser struct {
	model *Model
	open  *answer
	lines int
	// failed holds from a fail to the next line, which may be a stop that belongs to it.
	failed bool
}

func (p *parser) line(text []byte) error {
	var l line
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&l); err != nil {
		return fmt.Errorf("%s", strings.TrimPrefix(err.Error(), "json: "))
	}
	if d.More() {
		return fmt.Errorf("more than one value on the line")
	}
	if err := l.check(); err != nil {
		return err
	}
	p.lines++
	failed := p.failed
	p.failed = false
	if l.Order != nil {
		return p.order(*l.Order)
	}
	if l.Stop != nil && failed {
		return nil
	}
	if p.open == nil {
		p.open = &answer{}
	}
	return p.add(l)
}

func (p *parser) order(order string) error {
	if p.lines > 1 {
		return fmt.Errorf("order must be the first line")
	}
	switch order {
	case "history":
	case "count":
		p.model.counted = true
	default:
		return fmt.Errorf("order %q: want history or count", order)
	}
	return nil
}

func (p *parser) add(l line) error {
	a := p.open
	switch {
	case l.Expect != nil:
		a.expects = append(a.expects, condition{*l.Expect, or(l.In, "any")})
	case l.When != nil:
		if a.when != nil {
			return fmt.Errorf("an answer has one when")
		}
		a.when = &condition{*l.When, or(l.In, "new")}
	case l.Stop != nil:
		a.stop, a.usage = *l.Stop, l.Usage
		p.close()
	case l.Fail != nil:
		a.fail = l.Fail
		p.close()
		p.failed = true
	default:
		a.steps = append(a.steps, l)
		a.spoken = a.spoken || l.DelayMS == nil
	}
	return nil
}

func (p *parser) close() {
	if p.open.when != nil {
		p.model.conditional = append(p.model.conditional, *p.open)
	} else {
		p.model.ordered = append(p.model.ordered, *p.open)
	}
	p.open = nil
}

// check holds a line to the syntax.
func (l *line) check() error {
	kinds := 0
	for _, set := range []bool{
		l.Text != nil, l.Think != nil, l.Call != nil, l.Image != nil, l.DelayMS != nil, l.Stop != nil, l.Fail != nil,
		l.Expect != nil, l.When != nil, l.Order != nil,
	} {
		if set {
			kinds++
		}
	}
	if kinds != 1 {
		return fmt.Errorf("a line has exactly one of text, think, call, image, delay_ms, stop, fail, expect, when, order")
	}
	says := l.Text != nil || l.Think != nil
	asks := l.Expect != nil || l.When != nil
	switch {
	case !says && (l.Chunk != 0 || l.Rate != 0 || l.Times != 0):
		return fmt.Errorf("chunk, rate and times belong to text and think")
	case l.Chunk < 0 || l.Rate < 0 || l.Times < 0 || l.DelayMS != nil && *l.DelayMS < 0:
		return fmt.Errorf("a negative number")
	case l.Text != nil && *l.Text == "" || l.Think != nil && *l.Think == "":
		return fmt.Errorf("an empty text")
	case !asks && l.In != "":
		return fmt.Errorf("in belongs to expect and when")
	case asks && l.In != "" && l.In != "any" && l.In != "new" && l.In != "system" && l.In != "tools":
		return fmt.Errorf("in %q: want any, new, system or tools", l.In)
	case l.Usage != nil && l.Stop == nil:
		return fmt.Errorf("usage belongs to stop")
	case l.Call != nil && l.Call.Name == "":
		return fmt.Errorf("a call without a name")
	case l.Image != nil && (l.Image.MediaType == "" || len(l.Image.Data) == 0):
		return fmt.Errorf("an image without media_type or data")
	}
	if l.Stop != nil {
		switch llm.StopReason(*l.Stop) {
		case "", llm.Stop, llm.ToolCalls, llm.Length, llm.Filtered:
		default:
			return fmt.Errorf("stop %q: want stop, tool_calls, length or content_filter", *l.Stop)
		}
	}
	return l.Fail.check()
}

func (f *failure) check() error {
	if f == nil {
		return nil
	}
	ways := 0
	for _, set := range []bool{f.Status != 0, f.Cut, f.Malformed} {
		if set {
			ways++
		}
	}
	switch {
	case ways != 1:
		return fmt.Errorf("a fail has one of status, cut and malformed")
	case f.Status != 0 && (f.Status < 300 || f.Status > 599):
		return fmt.Errorf("fail status %d: want 300 to 599", f.Status)
	case f.RetryAfter < 0 || f.RetryAfter > 0 && f.Status == 0:
		return fmt.Errorf("retry_after belongs to a status, in seconds")
	}
	return nil
}

// arguments is the call's arguments as a model would have written them.
func (c *callDef) arguments() string {
	var s string
	if json.Unmarshal(c.Arguments, &s) == nil {
		return s
	}
	return string(c.Arguments)
}

func or(s, standard string) string {
	if s == "" {
		return standard
	}
	return s
}
