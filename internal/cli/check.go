package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"parley/internal/cell"
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
		Long: `Check a log against the laws that every log keeps. Each violation is a line on stdout, SEQ LAW: text,
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
	cut     event.RunID // partial: the run that is open where the log begins
	passed  int         // events of it
	events  int
	broken  int
}

func (k *checker) event(e event.Event) error {
	k.events++
	if b, ok := e.Body.(event.SessionOpened); ok && b.Origin == event.OriginBranch && k.state.Session != "" && e.Session != k.state.Session {
		// A lineage: the branch's own log follows its parent's.
		if k.state = k.state.Branch(b.Entry); k.state == nil {
			k.state = transcript.New()
		}
	}
	found := transcript.Check(k.state, e)
	passed := k.pass(e, found)
	for _, b := range found {
		if passed && b.Law != transcript.LawSeq {
			continue
		}
		k.broken++
		if _, err := fmt.Fprintf(k.out, "%d %s: %s\n", e.Seq, b.Law, cell.Escape(b.Text)); err != nil {
			return err
		}
	}
	if passed {
		k.state.Seq = max(k.state.Seq, e.Seq)
		return nil
	}
	k.state.Apply(e)
	return nil
}

// pass reports whether an event belongs to the run that a partial log begins in:
// what it continues is not there to hold it to.
func (k *checker) pass(e event.Event, found []transcript.Violation) bool {
	starts := func(b transcript.Violation) bool { return b.Law == transcript.LawStart }
	if k.partial && k.passed == 0 && slices.ContainsFunc(found, starts) {
		k.cut = e.Run
	}
	if k.cut == "" || e.Run != k.cut {
		return false
	}
	k.passed++
	if _, ended := e.Body.(event.RunEnded); ended {
		k.cut = ""
	}
	return true
}

func (a *app) checkLog(ctx context.Context, name string, partial bool) error {
	k := &checker{out: a.out, state: transcript.New(), partial: partial}
	err := a.stream(ctx, name, k.event, func(s *transcript.State) { k.state = s })
	if err != nil {
		return err
	}
	if k.broken > 0 {
		return exit{1, fmt.Errorf("%d violation(s) in %d events", k.broken, k.events)}
	}
	if k.passed > 0 {
		fmt.Fprintf(a.err, "parley: the log begins in the middle of a run; %d events of it were not checked\n", k.passed)
	}
	if k.state.Run != nil {
		fmt.Fprintf(a.err, "parley: the log ends in the open run %s; no violation\n", k.state.Run.ID)
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
