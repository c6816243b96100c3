package cli

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/transcript"
	"parley/internal/wire"
	"parley/internal/wire/wiretest"
	"parley/test/rig"
)

// chat is a dialect as a package below wire has it: whoever connects says a name, then lines that are prompts; "!KEY"
// answers what is asked. It is all that the program is told of it; that this is enough is what
// testdata/script/new_dialect.txtar shows.
var chat = wire.Dialect{
	Name:   "chat",
	Decode: decodeChat,
	Encode: encodeChat,
	Attach: func(p wire.Peer, s *transcript.State) []wire.Frame {
		said := []wire.Frame{fmt.Appendf(nil, "* %s", s.Title)}
		at := transcript.New()
		for _, e := range transcript.Opening(s) {
			at.Apply(e)
			said = append(said, encodeChat(p.Class, at, e)...)
		}
		return said
	},
	Answer: func(_ wire.Peer, _ *transcript.State, r command.Result) []wire.Frame { return refuseChat(r.Fault) },
	Error:  func(_ wire.Peer, _ *transcript.State, f *command.Fault) []wire.Frame { return refuseChat(f) },
}

func decodeChat(p wire.Peer, s *transcript.State, line wire.Frame) wire.Decoded {
	in := wire.Decoded{Peer: p}
	text := string(line)
	key, answers := strings.CutPrefix(text, "!")
	switch {
	case !p.Ready:
		in.Peer.Ready, in.Peer.Name = true, text
		in.Hello = &wire.Hello{Name: text, Session: "new", Capabilities: []string{"ask"}}
	case answers && s != nil && len(s.Asks) > 0:
		in.Commands = []command.Command{{ID: p.Cause("!"), Session: p.Session, Body: command.Answer{Ask: s.Asks[0].Ask, Keys: []string{key}}}}
	default:
		in.Commands = []command.Command{{ID: p.Cause(text), Session: p.Session, Body: command.Prompt{Text: text}}}
	}
	return in
}

func encodeChat(_ wire.Class, s *transcript.State, e event.Event) []wire.Frame {
	say := func(format string, args ...any) []wire.Frame { return []wire.Frame{fmt.Appendf(nil, format, args...)} }
	switch b := e.Body.(type) {
	case event.UserSaid:
		return say("person: %q", b.Text)
	case event.BlockEnded:
		return say("model: %q", b.Text)
	case event.CallStarted:
		return say("call: %s %q", b.Name, b.Title)
	case event.AskOpened:
		return say("ask: %q", b.Title)
	case event.AskClosed:
		return say("answered: %s by %q", b.Outcome, b.Who)
	case event.RunEnded:
		return say("end: %s", b.Reason)
	}
	return nil
}

func refuseChat(f *command.Fault) []wire.Frame {
	if f == nil {
		return nil
	}
	return []wire.Frame{fmt.Appendf(nil, "refused: %q", f.Message)}
}

// A dialect of a few lines obeys the laws of all dialects.
func TestNewDialect(t *testing.T) {
	wiretest.Laws{
		Dialect: &chat,
		Peer:    wire.Peer{ID: "c1", Name: "ann", Ready: true, Class: wire.Class{Dialect: "chat"}},
		Valid: func(f wire.Frame) error {
			if len(f) == 0 || strings.ContainsAny(string(f), "\r\n") {
				return errors.New("not a line")
			}
			return nil
		},
		Text: func(frames []wire.Frame) string {
			var text strings.Builder
			for _, f := range frames {
				if said, ok := strings.CutPrefix(string(f), "model: "); ok {
					text.WriteString(said)
				}
			}
			return text.String()
		},
	}.Run(t)
}

// converse is converse SOCKET FILE: a client that sends the lines of FILE that
// begin with >, and waits for one that matches each that begins with <.
func converse(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: converse SOCKET FILE")
	}
	var conn net.Conn
	ts.Check(rig.Until(func() (up bool, err error) {
		conn, err = net.Dial("unix", ts.MkAbs(args[0]))
		return err == nil, nil
	}))
	defer conn.Close()
	ts.Check(conn.SetDeadline(time.Now().Add(rig.Patience)))
	heard := bufio.NewScanner(conn)
	for line := range strings.Lines(ts.ReadFile(args[1])) {
		line = strings.TrimRight(line, "\n")
		if said, ok := strings.CutPrefix(line, "> "); ok {
			_, err := fmt.Fprintln(conn, said)
			ts.Check(err)
			continue
		}
		wanted := regexp.MustCompile(strings.TrimPrefix(line, "< "))
		for {
			if !heard.Scan() {
				ts.Fatalf("%s never came: %v", wanted, heard.Err())
			}
			ts.Logf("< %s", heard.Text())
			if wanted.MatchString(heard.Text()) {
				break
			}
		}
	}
}
