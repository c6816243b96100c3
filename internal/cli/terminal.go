package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"parley/internal/client"
	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/term"
	"parley/internal/tui"
	"parley/internal/wire"
)

// front is what `parley` alone does: the terminal, on a new session.
func (a *app) front(root *cobra.Command) {
	var cwd, model, effort string
	root.Flags().StringVar(&cwd, "cwd", "", "work in this `FOLDER`")
	root.Flags().StringVar(&model, "model", "", modelFlag)
	root.Flags().StringVar(&effort, "reasoning", "", effortFlag)
	var begin mode
	root.Flags().Var(&begin, "mode", modeHelp)
	root.RunE = func(c *cobra.Command, _ []string) error {
		if err := a.enter(cwd); err != nil {
			return err
		}
		set, err := settings(model, effort)
		if err != nil {
			return err
		}
		set.Mode = begin.setting().Mode
		return a.openTUI(c.Context(), "new", set)
	}
}

// openTUI opens the terminal on a session, whose settings it may change.
func (a *app) openTUI(ctx context.Context, name string, set event.SettingChanged) error {
	out, ok := bare(a.out).(*os.File)
	env := func(key string) string { return a.env[key] }
	if !ok || !term.Drawable(a.in, out, env) {
		_, reads := terminal(a.in)
		if _, shows := terminal(a.out); name == "new" && reads && shows {
			return a.talk(ctx, set)
		}
		if name == "new" {
			return usage("this is not a terminal that can be drawn on; use 'parley run PROMPT'")
		}
		return a.attachTo(ctx, attachOptions{format: "plain", color: "auto"}, name)
	}
	cfg, _, err := a.loadConfig()
	if err != nil && name == "new" {
		return err // to look at a session needs none; to prompt does
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	hello := wire.Hello{Session: name, Capabilities: []string{client.CanAsk, client.Presence}}
	if name == "new" {
		var zero event.Seq
		hello.Since = &zero
	}
	dial := a.dial
	follow := client.Joining{Hello: hello, Past: pastLimit, Coalesce: coalesceTime, Dial: func(ctx context.Context, h wire.Hello) (*client.Conn, error) {
		reach := dial
		dial = a.redial
		return reach(ctx, h)
	}}
	source, err := client.Join(ctx, follow)
	if err != nil {
		return err
	}
	id := source.ID()
	if set != (event.SettingChanged{}) {
		if _, err := source.Do(ctx, "", command.Set{SettingChanged: set}); err != nil {
			a.closeSession(source, name == "new") // it was made for this only
			return failure(err)
		}
	}
	model := ""
	switch {
	case set.Model != nil:
		model = *set.Model
	case name == "new":
		model = cfg.Model
	}
	terminal, err := term.Open(a.in, out, env)
	if err != nil {
		source.Close()
		return err
	}
	err = tui.Run(ctx, tui.Options{Source: source, Terminal: terminal, Debug: a.paths.Debug, Words: cfg.UI.Wrap == "words", Model: model,
		Inputs: func(ctx context.Context, folder string) []string { return inputs(ctx, source, folder) }})
	used := source.Used()
	a.closeSession(source, name == "new" && !used)
	var signal tui.ErrSignal
	if errors.As(err, &signal) {
		return signalled(signal.Signal)
	}
	if err == nil && used {
		fmt.Fprintf(a.err, "parley attach %s  goes on with this session\n", id)
	}
	return err
}

// coalesceTime is how long deltas are collected: less than a frame takes.
const coalesceTime = 20 * time.Millisecond

// closeSession ends the connection and removes a session that was never used.
func (a *app) closeSession(s *client.Session, remove bool) {
	if remove {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		// The next list may show an empty session; no more is lost.
		_, _ = s.Do(ctx, "", command.Remove{})
	}
	s.Close()
}
