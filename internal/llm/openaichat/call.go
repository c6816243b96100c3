package openaichat

import (
	"bytes"
	"encoding/json"
	"strings"

	"parley/internal/llm"
)

// callDelta is a piece of a call.
type callDelta struct {
	Index    *int   `json:"index"`
	ID       string `json:"id"`
	Function struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
}

// calls puts the pieces of parallel calls together. OpenAI numbers them by index and names each once, with its id.
// Others send all calls with index 0 or with none, whole calls in one piece, the name or id again in every piece, no
// ids, no arguments, or the arguments as an object.
type calls struct {
	open []*call
	at   map[int]*call
}

type call struct {
	id        string // the server's
	own       string // the one given out
	name      string
	started   bool
	arguments llm.Written
}

// text is a piece's arguments, out of their string where they are in one.
func (d *callDelta) text() string {
	raw := bytes.TrimSpace(d.Function.Arguments)
	if len(raw) == 0 || string(raw) == "null" {
		return ""
	}
	var s string
	if raw[0] == '"' && json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

func (cs *calls) add(a *llm.Answer, d *callDelta) {
	text := d.text()
	c := cs.find(d, text)
	if c.id == "" {
		c.id = d.ID
	}
	if c.name == "" {
		c.name = d.Function.Name
	}
	a.Grow(len(text))
	c.arguments.WriteString(text)
	if !c.started && c.name != "" {
		c.start(a)
	}
}

func (c *call) start(a *llm.Answer) {
	c.started = true
	c.own = a.Start(c.id, c.name)
}

// find is the call that a piece belongs to, a new one where it begins one.
func (cs *calls) find(d *callDelta, text string) *call {
	if d.Index != nil {
		c := cs.at[*d.Index]
		if c != nil && !c.isOver(d, text) {
			return c
		}
		c = cs.begin()
		if cs.at == nil {
			cs.at = make(map[int]*call)
		}
		cs.at[*d.Index] = c
		return c
	}
	for _, c := range cs.open {
		if d.ID != "" && c.id == d.ID {
			return c
		}
	}
	if n := len(cs.open); n > 0 && !cs.open[n-1].isOver(d, text) {
		return cs.open[n-1]
	}
	return cs.begin()
}

// isOver tells whether a piece that is addressed to this call begins another: it has another id, or, without one, it
// brings a name and arguments from their beginning while this call's are whole.
func (c *call) isOver(d *callDelta, text string) bool {
	if d.ID != "" && c.id != "" {
		return d.ID != c.id
	}
	if d.Function.Name == "" || c.name == "" {
		return false
	}
	if d.Function.Name != c.name {
		return true
	}
	return strings.HasPrefix(strings.TrimSpace(text), "{") && json.Valid([]byte(c.arguments.String()))
}

func (cs *calls) begin() *call {
	c := &call{}
	cs.open = append(cs.open, c)
	return c
}

// finish gives out every call, in the order in which they began.
func (cs *calls) finish(a *llm.Answer) {
	for _, c := range cs.open {
		if !c.started {
			c.start(a)
		}
		a.Call(c.own, c.name, c.arguments.String())
	}
}
