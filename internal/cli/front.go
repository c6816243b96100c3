package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/spf13/cobra"

	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/term"
	"parley/internal/tui"
	"parley/internal/wire"
)

// front is what `parley` alone does: the terminal, on a new session.
func (a *app) front(root *cobra.Command) {
	var cwd, model string
	root.Flags().StringVar(&cwd, "cwd", "", "work in this `FOLDER`")
	root.Flags().StringVar(&model, "model", "", "`PROVIDER/MODEL`")
	root.RunE = func(c *cobra.Command, _ []string) error {
		if err := a.enter(cwd); err != nil {
			return err
		}
		return a.openTUI(c.Context(), "new", model)
	}
}

// openTUI opens the terminal on a session.
func (a *app) openTUI(ctx context.Context, name, model string) error {
	out, ok := a.out.(*os.File)
	env := func(key string) string { return a.env[key] }
	if !ok || !term.Drawable(a.in, out, env) {
		_, reads := terminal(a.in)
		if _, shows := terminal(a.out); name == "new" && reads && shows {
			return a.talk(ctx, model)
		}
		if name == "new" {
			return usage("this is not a terminal that can be drawn on; use 'parley run PROMPT'")
		}
		return a.attachTo(ctx, attaching{format: "plain", color: "auto"}, name)
	}
	cfg, _, err := a.loadConfig()
	if err != nil && name == "new" {
		return err // to look at a session needs none; to prompt does
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	hello := wire.Hello{Session: name, Capabilities: []string{"ask", "presence"}}
	if name == "new" {
		var zero event.Seq
		hello.Since = &zero
	}
	conn, err := a.dial(ctx, hello)
	if err != nil {
		return err
	}
	id := conn.Welcome.Session
	if model != "" {
		if _, err := conn.Do(ctx, id, command.Set{SettingChanged: event.SettingChanged{Model: &model}}); err != nil {
			conn.Close()
			return failure(err)
		}
	}
	if model == "" && name == "new" {
		model = cfg.Model
	}
	source := newFollower(ctx, a, conn, name == "new")
	terminal, err := term.Open(a.in, out, env)
	if err != nil {
		conn.Close()
		return err
	}
	shown := framed{Terminal: terminal, first: sync.OnceFunc(func() { go source.recall() })}
	err = tui.Run(ctx, tui.Options{Source: source, Terminal: shown, Session: id, Debug: a.paths.Debug, Words: cfg.UI.Wrap == "words", Model: model})
	source.leave(name == "new")
	var signal tui.ErrSignal
	if errors.As(err, &signal) {
		return exit{code: 130}
	}
	if err == nil && source.used() {
		fmt.Fprintf(a.err, "parley attach %s  goes on with this session\n", id)
	}
	return err
}

// framed is a terminal that tells when its first frame was written: what can wait
// until then does.
type framed struct {
	*term.Terminal
	first func()
}

// Do executes the ops of a frame.
func (f framed) Do(ops []term.Op) (int, error) {
	n, err := f.Terminal.Do(ops)
	f.first()
	return n, err
}
