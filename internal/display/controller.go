package display

import (
	"fmt"
	"slices"
	"strings"

	"parley/internal/cell"
	"parley/internal/event"
	"parley/internal/transcript"
)

// A Controller routes the events of a root session's log, its sub-agents'
// included, to a machine for each session, and what they yield to a renderer.
// It is not safe for use by several goroutines.
type Controller struct {
	renderer CommandRenderer
	main     event.SessionID
	machines map[event.SessionID]Machine
	names    map[string]int // how often a name was given
	voices   int
	outcome  Outcome
}

// New returns a controller for the log of the session main; where main is empty,
// the session of the first event is it.
func New(main event.SessionID, r CommandRenderer) *Controller {
	return &Controller{renderer: r, main: main, machines: make(map[event.SessionID]Machine), names: make(map[string]int)}
}

// Apply shows one event. Its error is the renderer's.
func (c *Controller) Apply(e event.Event) error {
	m := c.machine(e)
	m, commands := m.Next(e)
	c.machines[e.Session] = m
	if _, closed := e.Body.(event.SessionClosed); closed && e.Session != c.main {
		delete(c.machines, e.Session)
	}
	c.outcome = c.outcome.after(e, e.Session == c.main)
	return c.render(commands)
}

// Attach shows what is open in s, for a log that is read from the middle on:
// events up to s.Seq must not be applied any more.
func (c *Controller) Attach(s *transcript.State) error {
	if c.main == "" {
		c.main = s.Session
	}
	if c.main == "" {
		return nil
	}
	if err := c.attach(s); err != nil {
		return err
	}
	ids := make([]event.SessionID, 0, len(s.Children))
	for id := range s.Children {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		if err := c.attach(s.Children[id]); err != nil {
			return err
		}
	}
	return nil
}

// Phase returns the state of a session's machine; idle for one that is not
// there.
func (c *Controller) Phase(id event.SessionID) Phase { return c.machines[id].phase }

// Main returns the main session, empty before the first event.
func (c *Controller) Main() event.SessionID { return c.main }

// Outcome returns how the last run of the main session ended so far.
func (c *Controller) Outcome() Outcome { return c.outcome }

func (c *Controller) render(commands []RenderCommand) error {
	for _, cmd := range commands {
		if err := c.renderer.Render(cmd); err != nil {
			return err
		}
	}
	return nil
}

// machine returns the machine of the event's session, a new one where needed.
func (c *Controller) machine(e event.Event) Machine {
	if c.main == "" {
		c.main = e.Session
	}
	m, ok := c.machines[e.Session]
	if ok {
		return m
	}
	opened, _ := e.Body.(event.SessionOpened)
	return NewMachine(e.Session, c.voice(e.Session, opened.Profile))
}

// palette holds the voices of sub-agents, in the order in which they are given.
// Green, red and yellow speak of outcomes and are nobody's.
var palette = [...]cell.Style{
	{Color: cell.Magenta}, {Color: cell.Accent},
	{Color: cell.Magenta, Attr: cell.Bold}, {Color: cell.Accent, Attr: cell.Bold},
	{Color: cell.Magenta, Attr: cell.Underline}, {Color: cell.Accent, Attr: cell.Underline},
}

func (c *Controller) voice(id event.SessionID, profile string) Voice {
	if id == c.main {
		return Voice{}
	}
	name := strings.Join(strings.Fields(cell.Clean(profile)), " ")
	if name == "" {
		name = "agent"
	}
	c.names[name]++
	if n := c.names[name]; n > 1 {
		name = fmt.Sprintf("%s %d", name, n)
	}
	style := palette[c.voices%len(palette)]
	c.voices++
	return Voice{name, style}
}
