package display

import (
	"fmt"
	"strings"

	"parley/internal/cell"
	"parley/internal/event"
	"parley/internal/transcript"
)

// A Controller shows the events of a root session's log, its sub-agents'
// included, on a renderer. Of the session it knows nothing but how the voices of
// its sub-agents were given out. It is not safe for use by several goroutines.
type Controller struct {
	renderer CommandRenderer
	voices   map[event.SessionID]Voice
	names    map[string]int // how often a name was given in this run
}

// New returns a controller that shows on r.
func New(r CommandRenderer) *Controller {
	return &Controller{renderer: r, voices: make(map[event.SessionID]Voice), names: make(map[string]int)}
}

// Apply shows what of e is new to s, and folds it into s. Its error is the
// renderer's; s is folded in any case.
func (c *Controller) Apply(s *transcript.State, e event.Event) error {
	var failed error
	for e := range transcript.Advance(s, e) {
		if err := c.next(s, e); err != nil && failed == nil {
			failed = err
		}
	}
	return failed
}

// Attach shows what is open in s, for a log that is read from the middle on.
func (c *Controller) Attach(s *transcript.State) error {
	t := transcript.New()
	for _, e := range transcript.Opening(s) {
		if err := c.Apply(t, e); err != nil {
			return err
		}
	}
	return nil
}

// next shows one event: what it ends, then the event itself as a function of the
// state before it, then the phase of the state after it.
func (c *Controller) next(s *transcript.State, e event.Event) error {
	n := translator{s: s.In(e.Session), root: s, e: e}
	if n.s == nil || s.Session == "" {
		n.s = transcript.New()
	}
	n.at = At{e.Session, c.voice(&n), e.Seq, e.Time}
	if _, _, delta := e.Delta(); delta { // by far the most frequent, and it ends nothing
		n.delta()
		s.Apply(e)
		return c.render(n.out)
	}
	before := viewOf(n.s)
	n.take()
	s.Apply(e)
	after := n.viewAfter()
	if err := c.render(n.endings(before, after)); err != nil {
		return err
	}
	if n.began && !after.replying {
		n.show(EndText{n.at})
	}
	if after.phase != before.phase {
		n.show(EnterPhase{n.at, after.phase, after.what})
	}
	return c.render(n.out)
}

func (c *Controller) render(commands []RenderCommand) error {
	for _, cmd := range commands {
		if err := c.renderer.Render(cmd); err != nil {
			return err
		}
	}
	return nil
}

// palette holds the voices of sub-agents, in the order in which they are given.
// Green, red and yellow speak of outcomes and are nobody's.
var palette = [...]cell.Style{
	{Color: cell.Magenta}, {Color: cell.Accent},
	{Color: cell.Magenta, Attr: cell.Bold}, {Color: cell.Accent, Attr: cell.Bold},
	{Color: cell.Magenta, Attr: cell.Underline}, {Color: cell.Accent, Attr: cell.Underline},
}

// voice returns the voice of the session of an event, a new one where it has none.
// Voices are given anew in each run, which no sub-agent outlives: so all who have
// seen the run from its start have given the same ones.
func (c *Controller) voice(n *translator) Voice {
	if n.main() {
		if _, begins := n.e.Body.(event.RunStarted); begins {
			clear(c.voices)
			clear(c.names)
		}
		return Voice{}
	}
	v, given := c.voices[n.e.Session]
	if !given {
		profile := n.s.Profile
		if b, ok := n.e.Body.(event.SessionOpened); ok {
			profile = b.Profile
		}
		v = Voice{c.name(profile), palette[len(c.voices)%len(palette)]}
		c.voices[n.e.Session] = v
	}
	return v
}

// name is the profile of a sub-agent, with a number where others have it too.
func (c *Controller) name(profile string) string {
	name := strings.Join(strings.Fields(cell.Clean(profile)), " ")
	if name == "" {
		name = "agent"
	}
	c.names[name]++
	if n := c.names[name]; n > 1 {
		name = fmt.Sprintf("%s %d", name, n)
	}
	return name
}
