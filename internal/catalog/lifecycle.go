package catalog

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"
	"time"
)

//go:embed lifecycle.txt
var lifecycle string

// calendar holds the dates of models by provider and name.
type calendar map[[2]string]span

type span struct{ released, retires, assured time.Time }

// dates are those of lifecycle.txt.
var dates = sync.OnceValue(func() calendar {
	c, err := parseCalendar(lifecycle)
	if err != nil {
		panic("lifecycle.txt: " + err.Error()) // a test reads it
	}
	return c
})

// apply puts the dates of a model into it: those of its name or, of one with a date, of the name without it.
func (c calendar) apply(m *Model) {
	d, ok := c[[2]string{m.Provider, m.Name}]
	if !ok {
		d, ok = c[[2]string{m.Provider, Dateless(m.Name)}]
	}
	if ok {
		m.Released, m.Retires, m.Assured = d.released, d.retires, d.assured
	}
}

// parseCalendar reads lines of provider, name, and a key and its date; a line that begins with http is the source of
// those after it.
func parseCalendar(text string) (calendar, error) {
	c := calendar{}
	source := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		f := strings.Fields(line)
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
			continue
		case strings.HasPrefix(line, "http"):
			source = line
			continue
		case len(f) != 4 || source == "":
			return nil, fmt.Errorf("%q is not a provider, a name, a key and a date below a source", line)
		}
		key := [2]string{f[0], f[1]}
		day, err := time.Parse(time.DateOnly, f[3])
		if err != nil {
			return nil, fmt.Errorf("%q: %w", line, err)
		}
		d := c[key]
		field, ok := map[string]*time.Time{"released": &d.released, "retires": &d.retires, "assured": &d.assured}[f[2]]
		if !ok || !field.IsZero() {
			return nil, fmt.Errorf("%q: the key is unknown or there twice", line)
		}
		*field = day
		c[key] = d
	}
	return c, nil
}
