package cli

import (
	"context"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"parley/internal/client"
	"parley/internal/event"
	"parley/internal/transcript"
)

// replayOptions are the flags of `parley replay`.
type replayOptions struct {
	format string
	speed  string
	from   uint64
	color  string
}

func (a *app) replay() *cobra.Command {
	var o replayOptions
	c := &cobra.Command{
		Use:     "replay SESSION|FILE|-",
		Short:   "Send a log through a dialect again",
		Long:    "Send any log through any dialect, as live clients saw it. FILE is what 'sessions export' or 'run --format native' printed.",
		Example: "  parley replay last\n  parley replay log.ndjson --format klaude\n  parley replay last --speed 4 --color always",
		Args:    cobra.ExactArgs(1),
		RunE:    func(c *cobra.Command, args []string) error { return a.replayLog(c.Context(), o, args[0]) },
	}
	f := c.Flags()
	f.StringVar(&o.format, "format", "plain", a.formatted())
	f.StringVar(&o.speed, "speed", "max", "`N` times as fast as it was, or max")
	f.Uint64Var(&o.from, "from", 0, "begin after this `SEQ`")
	f.StringVar(&o.color, "color", "auto", "auto, always or never")
	return c
}

// longestPause is the most that a replay waits between two events.
const longestPause = 3 * time.Second

func (a *app) replayLog(ctx context.Context, o replayOptions, name string) error {
	speed := 0.0
	if o.speed != "max" {
		n, err := strconv.ParseFloat(o.speed, 64)
		if err != nil || n <= 0 {
			return usage("--speed %s: it is a number above 0, or max", o.speed)
		}
		speed = n
	}
	out, err := a.renderer(o.format, o.color)
	if err != nil {
		return err
	}
	p := &player{out: out, speed: speed, from: event.Seq(o.from), state: transcript.New()}
	if err := a.stream(ctx, name, p.event, p.begin); err != nil {
		return err
	}
	return out.close(p.state)
}

// player hands events to an output at the pace they had.
type player struct {
	out   output
	speed float64 // 0: as fast as it goes
	from  event.Seq
	state *transcript.State // of what was handed over, or passed over
	begun bool
	last  time.Time
}

func (p *player) begin(s *transcript.State) {
	p.state = s
	if s.Seq >= p.from {
		p.begun = true
		_ = p.out.begin(client.Joined{State: s}) // an error shows with the next write
	}
}

func (p *player) event(e event.Event) error {
	if b, ok := e.Body.(event.SessionOpened); ok && b.Origin == event.OriginBranch && p.state.Session != "" {
		// A lineage: the branch's own log follows its parent's.
		if p.state = p.state.Branch(b.Entry); p.state == nil {
			p.state = transcript.New()
		}
	}
	if e.Seq <= p.from {
		p.state.Apply(e)
		return nil
	}
	if !p.begun && p.from > 0 {
		if err := p.out.begin(client.Joined{State: p.state}); err != nil {
			return err
		}
	}
	p.begun = true
	if p.speed > 0 {
		if wait := min(time.Duration(float64(e.Time.Sub(p.last))/p.speed), longestPause); !p.last.IsZero() && wait > 0 {
			if err := p.out.flush(); err != nil {
				return err
			}
			time.Sleep(wait)
		}
		p.last = e.Time
	}
	raw, err := e.AppendJSON(nil)
	if err != nil {
		return err
	}
	return p.out.event(p.state, e, raw)
}
