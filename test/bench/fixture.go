package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"time"

	"parley/internal/event"
	"parley/test/rig"
)

// A fixture is a home with the model server in its environment.
type fixture struct {
	*rig.Home
	daemon *rig.Daemon
}

// fixture makes a home. It goes with the section.
func (b *bench) fixture(name string) (*fixture, error) {
	dir, err := os.MkdirTemp(b.dir, name)
	if err != nil {
		return nil, err
	}
	h, err := rig.NewHome(dir, b.parley)
	if err != nil {
		return nil, err
	}
	h.Env = append(h.Env, b.model.env()...)
	h.Env = append(h.Env, "TERM=xterm-256color", "LANG=C.UTF-8")
	s := &fixture{Home: h}
	b.mu.Lock()
	b.stages = append(b.stages, s)
	b.mu.Unlock()
	return s, nil
}

// warm makes a home whose daemon runs and has answered once.
func (b *bench) warm(name string, args ...string) (*fixture, error) {
	s, err := b.fixture(name)
	if err == nil {
		err = s.serve(args...)
	}
	if err == nil {
		err = s.hello()
	}
	return s, err
}

func (s *fixture) serve(args ...string) (err error) {
	s.daemon, err = s.Serve(args...)
	return err
}

// hello runs the prompt that takes next to nothing.
func (s *fixture) hello() error {
	_, err := s.finish(s.Command("run", "--model", "openai-chat/hello", "hello"))
	return err
}

// finish runs a command to its end and returns its output.
func (s *fixture) finish(cmd *exec.Cmd) (string, error) {
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%v: %w: %s", cmd.Args[1:], err, errs.String())
	}
	return out.String(), nil
}

// restart ends the daemon and starts it anew.
func (s *fixture) restart(args ...string) error {
	if err := s.daemon.Stop(); err != nil {
		return err
	}
	return s.serve(args...)
}

func (s *fixture) close() error {
	var err error
	if s.daemon != nil {
		err = s.daemon.Stop()
	}
	return errors.Join(err, s.Home.Close(), os.RemoveAll(s.Dir))
}

// A peer is one connection that looks at no more of a line than it must: the
// cost of a client is not the daemon's.
type peer struct {
	net.Conn
	r *bufio.Reader
}

func dial(path string) (*peer, error) {
	conn, err := net.Dial("unix", path)
	if err != nil {
		return nil, err
	}
	if err := conn.SetDeadline(time.Now().Add(2 * rig.Patience)); err != nil {
		return nil, err
	}
	return &peer{Conn: conn, r: bufio.NewReaderSize(conn, 1<<20)}, nil
}

func (p *peer) say(line string) error {
	_, err := io.WriteString(p, line+"\n")
	return err
}

// until reads to the first line whose beginning has one of the words, and
// returns it. It is good until the next read.
func (p *peer) until(words ...string) ([]byte, error) {
	for {
		line, err := p.r.ReadSlice('\n')
		whole := line
		for errors.Is(err, bufio.ErrBufferFull) {
			var more []byte
			more, err = p.r.ReadSlice('\n')
			whole = append(bytes.Clone(whole), more...)
		}
		if err != nil {
			return nil, fmt.Errorf("waiting for %q: %w", words, err)
		}
		head := whole[:min(len(whole), 400)]
		for _, w := range words {
			if bytes.Contains(head, []byte(w)) {
				return whole, nil
			}
		}
	}
}

// through reads past a word, with no look at lines: to be one of ten clients costs
// next to nothing.
func (p *peer) through(word string) error {
	b, kept := make([]byte, 256<<10), 0
	for {
		n, err := p.r.Read(b[kept:])
		if bytes.Contains(b[:kept+n], []byte(word)) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("waiting for %q: %w", word, err)
		}
		kept = copy(b, b[max(0, kept+n-len(word)):kept+n])
	}
}

// native says hello on the native socket and returns when it is welcome.
func (s *fixture) native(session string, since *event.Seq) (*peer, event.SessionID, error) {
	p, err := dial(s.Socket)
	if err != nil {
		return nil, "", err
	}
	if err := p.say(rig.HelloLine("bench", session, since, s.Work)); err != nil {
		return nil, "", err
	}
	line, err := p.until(`"type":"welcome"`, `"type":"fault"`)
	if err != nil {
		return nil, "", err
	}
	var w struct {
		Session event.SessionID `json:"session"`
		Error   json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(line, &w); err != nil {
		return nil, "", err
	}
	if w.Error != nil {
		return nil, "", fmt.Errorf("hello: %s", line)
	}
	return p, w.Session, nil
}

// fresh is a connection that made a session and follows it from its start.
func (s *fixture) fresh() (*peer, event.SessionID, error) {
	var zero event.Seq
	return s.native("new", &zero)
}

// prompt asks in a session of the native socket; the answer comes by itself.
func (p *peer) prompt(id event.SessionID, model string) error {
	return p.say(fmt.Sprintf(`{"type":"prompt","id":"1","session":%q,"data":{"text":"go","model":"openai-chat/%s"}}`, id, model))
}

const runEnded = `"type":"run.ended"`
