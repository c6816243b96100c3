package cli

import (
	"context"
	"slices"
	"strings"
	"time"

	"parley/internal/client"
	"parley/internal/command"
	"parley/internal/event"
)

// How many sessions are looked into for what was said before, and the longest
// input that counts, in bytes: what is longer was not typed.
const (
	recentSessions = 10
	recentEntries  = 200 // of each
	typedMost      = 8 << 10
)

// inputs are what was said to the newest sessions of a folder, each text once, the
// oldest first. What cannot be had is left out.
func inputs(ctx context.Context, daemon client.Doer, folder string) []string {
	got, err := client.Ask[command.Sessions](ctx, daemon, "", command.Read{What: command.ReadSessions})
	if err != nil {
		return nil
	}
	var said []command.Message
	left := recentSessions
	for _, l := range got.Sessions {
		if left == 0 {
			break
		}
		if l.Workspace != folder || l.Origin == event.OriginAgent {
			continue
		}
		left--
		// A session that cannot be read takes nothing from the others.
		read, _ := client.Ask[command.Entries](ctx, daemon, l.Session, command.Read{What: command.ReadEntries, Limit: recentEntries})
		said = append(said, read.Messages...)
	}
	return typed(said)
}

// typed are the texts that people wrote, by their time.
func typed(said []command.Message) []string {
	said = slices.DeleteFunc(said, func(m command.Message) bool {
		return m.Role != "user" || strings.TrimSpace(m.Text) == "" || len(m.Text) > typedMost
	})
	at := func(m command.Message) time.Time {
		t, _ := time.Parse(time.RFC3339Nano, m.Created) // one without a time is the oldest
		return t
	}
	slices.SortStableFunc(said, func(a, b command.Message) int { return at(b).Compare(at(a)) })
	var texts []string
	seen := map[string]bool{}
	for _, m := range said {
		if !seen[m.Text] {
			seen[m.Text] = true
			texts = append(texts, m.Text)
		}
	}
	slices.Reverse(texts)
	return texts
}
