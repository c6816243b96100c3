package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"parley/internal/client"
	"parley/internal/command"
	"parley/internal/event"
)

func (a *app) sessionTree(ctx context.Context, name string) error {
	conn, err := a.dial(ctx, helloNone)
	if err != nil {
		return err
	}
	defer conn.Close()
	got, err := client.Ask[command.Entries](ctx, conn, event.SessionID(name), command.Read{What: command.ReadTree})
	if err != nil {
		return failure(err)
	}
	children := make(map[event.EntryID][]command.Message)
	known := make(map[event.EntryID]bool)
	for _, m := range got.Messages {
		known[m.ID] = true
	}
	for _, m := range got.Messages {
		parent := m.Parent
		if !known[parent] {
			parent = ""
		}
		children[parent] = append(children[parent], m)
	}
	return printTree(a.out, children, "", got.Leaf, 0)
}

// printTree prints the entries below one: a chain keeps its indent, a fork
// indents its branches.
func printTree(w io.Writer, children map[event.EntryID][]command.Message, at, leaf event.EntryID, depth int) error {
	for _, m := range children[at] {
		mark := " "
		if m.ID == leaf {
			mark = "*"
		}
		line, _, _ := strings.Cut(m.Text, "\n")
		if _, err := fmt.Fprintf(w, "%s %s%-5s %-9s %s\n", mark, strings.Repeat("  ", depth), m.ID, m.Role, line); err != nil {
			return err
		}
		next := depth
		if len(children[m.ID]) > 1 {
			next++
		}
		if err := printTree(w, children, m.ID, leaf, next); err != nil {
			return err
		}
	}
	return nil
}

// sessionBranch prints the id of the new session.
func (a *app) sessionBranch(ctx context.Context, args []string) error {
	conn, err := a.dial(ctx, helloNone)
	if err != nil {
		return err
	}
	defer conn.Close()
	var at command.Branch
	if len(args) > 1 {
		at.Entry = event.EntryID(args[1])
	}
	opened, err := client.Ask[command.Opened](ctx, conn, event.SessionID(args[0]), at)
	if err != nil {
		return failure(err)
	}
	_, err = fmt.Fprintln(a.out, opened.Session)
	return err
}
