package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"parley/internal/event"
	"parley/internal/journal"
	"parley/internal/transcript"
	"parley/internal/wire/native"
)

func (a *app) check() *cobra.Command {
	var partial bool
	c := &cobra.Command{
		Use:   "check FILE|SESSION|-",
		Short: "Check a log against the laws",
		Long: `Check a log against the laws that every log keeps. Each breach is a line on stdout, SEQ LAW: text,
and the exit code is 1. FILE is NDJSON as 'run --format native' and 'sessions export' print it.`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return a.checkLog(c.Context(), args[0], partial) },
	}
	c.Flags().BoolVar(&partial, "partial", false, "the log may begin in the middle of a run")
	return c
}

// checker applies a stream event by event and prints what is wrong with it.
type checker struct {
	out     io.Writer
	state   *transcript.State
	partial bool
	events  int
	broken  int
}

func (k *checker) event(e event.Event) error {
	k.events++
	found := transcript.Check(k.state, e)
	for _, b := range found {
		if b.Law == transcript.LawStart && k.partial {
			continue
		}
		k.broken++
		if _, err := fmt.Fprintf(k.out, "%d %s: %s\n", e.Seq, b.Law, b.Text); err != nil {
			return err
		}
	}
	k.state.Apply(e)
	return nil
}

func (a *app) checkLog(ctx context.Context, name string, partial bool) error {
	k := &checker{out: a.out, state: transcript.New(), partial: partial}
	err := a.stream(ctx, name, k.event, func(s *transcript.State) { k.state = s })
	if err != nil {
		return err
	}
	if k.broken > 0 {
		return exit{1, fmt.Errorf("%d breach(es) in %d events", k.broken, k.events)}
	}
	if k.state.Run != nil {
		fmt.Fprintf(a.err, "parley: the log ends in the open run %s; no breach\n", k.state.Run.ID)
	}
	return nil
}

// stream reads a log: a file, stdin for -, or a session by its id.
func (a *app) stream(ctx context.Context, name string, each func(event.Event) error, begin func(*transcript.State)) error {
	if name == "-" {
		return a.lines(a.in, "stdin", each, begin)
	}
	file, err := os.Open(name)
	if err == nil {
		defer file.Close()
		return a.lines(file, name, each, begin)
	}
	if !errors.Is(err, os.ErrNotExist) {
		return exit{1, err}
	}
	if journal.CheckID(event.SessionID(name)) != nil && name != "last" && journal.CheckID(event.SessionID("sess-"+name)) != nil {
		return exit{1, fmt.Errorf("%s is neither a file nor a session", name)}
	}
	conn, err := a.dial(ctx, helloNone)
	if err != nil {
		return err
	}
	defer conn.Close()
	return failure(export(ctx, conn, event.SessionID(name), false, each))
}

// lineLimit is the longest line of a log that is read, in bytes.
const lineLimit = 256 << 20

// lines reads NDJSON: events, and a state line where the stream does not begin
// at the session's start.
func (a *app) lines(r io.Reader, name string, each func(event.Event) error, begin func(*transcript.State)) error {
	scan := bufio.NewScanner(r)
	scan.Buffer(make([]byte, 64<<10), lineLimit)
	bad := 0
	for n := 1; scan.Scan(); n++ {
		if len(scan.Bytes()) == 0 {
			continue
		}
		line, err := native.Parse(scan.Bytes())
		switch {
		case err != nil || line.Event == nil && line.State == nil:
			bad++
			fmt.Fprintf(a.err, "parley: %s:%d: not an event: %s\n", name, n, why(err))
		case line.State != nil:
			begin(line.State)
		default:
			if err := each(*line.Event); err != nil {
				return err
			}
		}
	}
	if err := scan.Err(); err != nil {
		return exit{1, fmt.Errorf("%s: %w", name, err)}
	}
	if bad > 0 {
		return exit{1, fmt.Errorf("%s: %d line(s) are no events", name, bad)}
	}
	return nil
}

func why(err error) string {
	if err == nil {
		return "it has no seq"
	}
	return err.Error()
}
