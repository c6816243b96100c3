package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"parley/internal/cell"
	"parley/internal/client"
	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/wire"
)

var helloNone = wire.Hello{}

func (a *app) sessions() *cobra.Command {
	c := &cobra.Command{Use: "sessions", Short: "List, show, rename, export and remove sessions", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() }}
	var all, asJSON bool
	list := &cobra.Command{Use: "list", Short: "List sessions, the last used first", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return a.sessionsList(c.Context(), all, asJSON) }}
	list.Flags().BoolVar(&all, "all", false, "those of other folders too")
	list.Flags().BoolVar(&asJSON, "json", false, "a JSON object a line")
	var lineage bool
	export := &cobra.Command{Use: "export SESSION", Short: "Print a session's log as NDJSON, which check and replay read", Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return a.sessionExport(c.Context(), args[0], lineage) }}
	export.Flags().BoolVar(&lineage, "lineage", false, "of a branch: its parent's log before it")
	var color string
	show := &cobra.Command{Use: "show SESSION", Short: "Print a session as it was", Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return a.attachTo(c.Context(), attachOptions{format: "plain", since: "0", idle: true, color: color}, args[0])
		}}
	show.Flags().StringVar(&color, "color", "auto", "auto, always or never")
	c.AddCommand(list, show, export,
		&cobra.Command{Use: "tree SESSION", Short: "Print the entries of a session as a tree", Args: cobra.ExactArgs(1),
			RunE: func(c *cobra.Command, args []string) error { return a.sessionTree(c.Context(), args[0]) }},
		&cobra.Command{Use: "branch SESSION [ENTRY]", Short: "Make a session that begins with another's entries, up to ENTRY", Args: cobra.RangeArgs(1, 2),
			RunE: func(c *cobra.Command, args []string) error { return a.sessionBranch(c.Context(), args) }},
		&cobra.Command{Use: "leaf SESSION ENTRY", Short: "Choose the entry that the next prompt goes on from", Args: cobra.ExactArgs(2),
			RunE: func(c *cobra.Command, args []string) error {
				return a.tell(c.Context(), args[0], command.SetLeaf{Leaf: event.EntryID(args[1])})
			}},
		&cobra.Command{Use: "compact SESSION [WHAT MATTERS]", Short: "Replace the older part of a session by a summary of it", Args: cobra.MinimumNArgs(1),
			RunE: func(c *cobra.Command, args []string) error {
				return a.sessionCompact(c.Context(), event.SessionID(args[0]), strings.Join(args[1:], " "))
			}},
		&cobra.Command{Use: "rm SESSION...", Short: "Remove sessions and their files for good", Args: cobra.MinimumNArgs(1),
			RunE: func(c *cobra.Command, args []string) error { return a.sessionsRemove(c.Context(), args) }},
		&cobra.Command{Use: "rename SESSION TITLE", Short: "Give a session another title", Args: cobra.ExactArgs(2),
			RunE: func(c *cobra.Command, args []string) error {
				return a.tell(c.Context(), args[0], command.Rename{Title: args[1]})
			}})
	return c
}

// tell sends one command about a session and says nothing when it is done.
func (a *app) tell(ctx context.Context, session string, body command.Body) error {
	conn, err := a.dial(ctx, helloNone)
	if err != nil {
		return err
	}
	defer conn.Close()
	_, err = conn.Do(ctx, event.SessionID(session), body)
	return failure(err)
}

func (a *app) sessionsList(ctx context.Context, all, asJSON bool) error {
	conn, err := a.dial(ctx, helloNone)
	if err != nil {
		return err
	}
	defer conn.Close()
	got, err := client.Ask[command.Sessions](ctx, conn, "", command.Read{What: command.ReadSessions})
	if err != nil {
		return failure(err)
	}
	w := tabwriter.NewWriter(a.out, 0, 8, 2, ' ', 0)
	for _, l := range got.Sessions {
		if !all && l.Workspace != a.dir {
			continue
		}
		if asJSON {
			text, err := json.Marshal(l)
			if err != nil {
				return err
			}
			if _, err := fmt.Fprintf(a.out, "%s\n", text); err != nil {
				return err
			}
			continue
		}
		title := cell.Escape(l.Title)
		if title == "" {
			title = "(untitled)"
		}
		row := fmt.Sprintf("%s\t%s\t%s\t%s", l.Session, when(l.Updated), l.State, title)
		if all {
			row += "\t" + cell.Escape(l.Workspace)
		}
		fmt.Fprintln(w, row)
	}
	return w.Flush()
}

// when is a time as a list shows it, in the local zone.
func when(stamp string) string {
	t, err := time.Parse(time.RFC3339, stamp)
	if err != nil {
		return stamp
	}
	return t.Local().Format("2006-01-02 15:04")
}

func (a *app) sessionsRemove(ctx context.Context, names []string) error {
	for _, name := range names {
		if err := a.tell(ctx, name, command.Remove{}); err != nil {
			return err
		}
	}
	return nil
}

// sessionCompact makes room in a session and says what came of it.
func (a *app) sessionCompact(ctx context.Context, name event.SessionID, instruction string) error {
	conn, err := a.dial(ctx, helloNone)
	if err != nil {
		return err
	}
	defer conn.Close()
	got, err := client.Ask[command.Compacted](ctx, conn, name, command.Compact{Instruction: instruction})
	if err != nil {
		return failure(err)
	}
	_, err = fmt.Fprintf(a.out, "%s: %d of %d tokens are left.\n\n%s\n", got.Session, got.After, got.Tokens, cell.Clean(got.Summary))
	return err
}

// sessionExport prints a log page by page: its length costs no memory.
func (a *app) sessionExport(ctx context.Context, name string, lineage bool) error {
	conn, err := a.dial(ctx, helloNone)
	if err != nil {
		return err
	}
	defer conn.Close()
	w := bufio.NewWriter(a.out)
	if err := export(ctx, conn, event.SessionID(name), lineage, func(e event.Event) error {
		line, err := e.AppendJSON(nil)
		if err != nil {
			return err
		}
		_, err = w.Write(append(line, '\n'))
		return err
	}); err != nil {
		return failure(err)
	}
	return w.Flush()
}

// export gives the events of a session in order, a branch's parent before it
// where lineage asks for that.
func export(ctx context.Context, conn *client.Conn, name event.SessionID, lineage bool, each func(event.Event) error) error {
	var after event.Seq
	for {
		page, err := client.Ask[command.Events](ctx, conn, name, command.Read{What: command.ReadEvents, After: after, Limit: 1000})
		if err != nil {
			return err
		}
		for _, e := range page.Events {
			if b, ok := e.Body.(event.SessionOpened); ok && lineage && b.Origin == event.OriginBranch && after == 0 {
				if err := export(ctx, conn, b.Parent, true, each); err != nil {
					return err
				}
			}
			if err := each(e); err != nil {
				return err
			}
			after = e.Seq
		}
		if len(page.Events) == 0 {
			return nil
		}
	}
}
