package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"parley/internal/client"
	"parley/internal/command"
	"parley/internal/journal"
)

func (a *app) daemon() *cobra.Command {
	c := &cobra.Command{Use: "daemon", Short: "Look at the daemon, or stop it", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() }}
	c.AddCommand(
		&cobra.Command{Use: "status", Short: "Say whether the daemon runs, and where", Args: cobra.NoArgs,
			RunE: func(c *cobra.Command, _ []string) error { return a.daemonStatus(c.Context()) }},
		&cobra.Command{Use: "stop", Short: "Stop the daemon; open runs are aborted and keep their text", Args: cobra.NoArgs,
			RunE: func(c *cobra.Command, _ []string) error { return a.daemonStop(c.Context()) }})
	return c
}

func (a *app) daemonStatus(ctx context.Context) error {
	conn, err := a.find(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	d, err := client.Ask[command.Daemon](ctx, conn, "", command.Read{What: command.ReadDaemon})
	if err != nil {
		return failure(err)
	}
	_, err = fmt.Fprintf(a.out, "running   pid %d, version %s, since %s\nstore     %s\nlistens   %s\nclients   %d\nsessions  %d open, %d running\nfence     %s\nlog       %s\n",
		d.PID, d.Version, d.Started, d.Store, strings.Join(d.Listen, "\n          "), d.Clients, d.Sessions, d.Running, d.Fence, a.paths.Log)
	return err
}

func (a *app) daemonStop(ctx context.Context) error {
	conn, err := a.find(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	d, err := client.Ask[command.Daemon](ctx, conn, "", command.Read{What: command.ReadDaemon})
	if err != nil {
		return failure(err)
	}
	if _, err := conn.Do(ctx, "", command.Stop{}); err != nil && !errors.Is(err, client.ErrLost) {
		return failure(err)
	}
	socket := a.options(helloNone).Socket
	if err := client.Gone(ctx, socket); err != nil {
		return err
	}
	if err := waitReleased(ctx, d); err != nil {
		return err
	}
	_, err = fmt.Fprintln(a.out, "stopped")
	return err
}

// waitReleased waits until a daemon that stopped has given up its store, so that the
// next one can have it.
func waitReleased(ctx context.Context, d command.Daemon) error {
	if d.Store == "" {
		return nil
	}
	for end := time.Now().Add(acquireWait); ; {
		h, held, err := journal.HolderOf(d.Store)
		if err != nil || !held || h.PID != d.PID {
			return err
		}
		if time.Now().After(end) {
			return fmt.Errorf("the daemon (pid %d) does not listen any more and still holds the store %s", d.PID, d.Store)
		}
		select {
		case <-time.After(acquirePause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
