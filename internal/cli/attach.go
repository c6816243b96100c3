package cli

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"parley/internal/event"
	"parley/internal/wire"
)

// attachOptions are the flags of `parley attach`.
type attachOptions struct {
	format string
	since  string
	idle   bool
	color  string
	mode   mode
}

func (a *app) attach() *cobra.Command {
	var o attachOptions
	c := &cobra.Command{
		Use:   "attach [SESSION]",
		Short: "Watch a session",
		Long:  "Watch a session that is running, or steer it in the terminal. SESSION is an id, the beginning of one, or last.",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			name := "last"
			if len(args) > 0 {
				name = args[0]
			}
			if o.format == "" {
				return a.openTUI(c.Context(), name, o.mode.setting())
			}
			if o.mode != "" {
				return usage("--mode is for the terminal: leave --format out")
			}
			return a.attachTo(c.Context(), o, name)
		},
	}
	f := c.Flags()
	f.StringVar(&o.format, "format", "", "print instead of opening the terminal: "+a.formatted())
	f.StringVar(&o.since, "since", "", "every event after this `SEQ`; 0 is everything")
	f.Var(&o.mode, "mode", modeHelp+", from now on")
	f.BoolVar(&o.idle, "until-idle", false, "leave when no run is open")
	f.StringVar(&o.color, "color", "auto", "auto, always or never")
	return c
}

func (a *app) attachTo(ctx context.Context, o attachOptions, name string) error {
	hello := wire.Hello{Session: name}
	if o.since != "" {
		n, err := strconv.ParseUint(o.since, 10, 64)
		if err != nil {
			return usage("--since %s: it is a seq, a whole number from 0", o.since)
		}
		since := event.Seq(n)
		hello.Since = &since
	}
	out, err := a.renderer(o.format, o.color)
	if err != nil {
		return err
	}
	s, err := a.join(ctx, hello, out)
	if err != nil {
		return err
	}
	defer s.Close()
	w := newRunWatcher(a, s, out)
	w.passive, w.idle = true, o.idle
	return w.follow()
}
