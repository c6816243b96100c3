package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"parley/internal/event"
)

// attaches joins a session of 100,000 events: on the native socket, and with the
// terminal.
func attaches(b *bench) error {
	s, err := b.fixture("attach")
	if err != nil {
		return err
	}
	for id, n := range map[event.SessionID]int{smallSession: 100, largeSession: 100_000} {
		if err := s.generate(id, n, 0); err != nil {
			return err
		}
	}
	if err := s.serve(); err != nil {
		return err
	}
	if err := s.hello(); err != nil {
		return err
	}
	ids := []event.SessionID{smallSession, largeSession}
	var native, screen, cold [2]sample
	for range 15 {
		for i, id := range ids {
			d, err := s.join(id)
			if err != nil {
				return err
			}
			native[i].took(d)
			if d, err = s.firstFrame("attach", string(id)); err != nil {
				return err
			}
			screen[i].took(d)
		}
	}
	for range 5 {
		for i, id := range ids {
			if err := s.restart(); err != nil {
				return err
			}
			d, err := s.join(id)
			if err != nil {
				return err
			}
			cold[i].took(d)
		}
	}
	for _, r := range []struct {
		what string
		s    [2]sample
	}{
		{"connect to first frame, native", native},
		{"connect to first frame, native, just started", cold},
		{"parley attach on a terminal to first frame", screen},
	} {
		b.table.row(figure{what: r.what, got: r.s[1], ref: "100 events", was: r.s[0], bound: atMost(seconds, r.s[1].median(), 0.100)})
	}
	return nil
}

// join is how long a native client waits for the first line of a session.
func (s *fixture) join(id event.SessionID) (time.Duration, error) {
	begin := time.Now()
	p, _, err := s.native(string(id), nil)
	if err != nil {
		return 0, err
	}
	defer p.Close()
	_, err = p.until(`"type":"state"`)
	return time.Since(begin), err
}

const fanDeltas = 20_000

// fanOut sends one run to one and to ten native clients.
func fanOut(b *bench) error {
	s, err := b.warm("fanout")
	if err != nil {
		return err
	}
	var wall, used [2]sample
	for range 11 {
		for i, n := range []int{1, 10} {
			first, id, err := s.fresh()
			if err != nil {
				return err
			}
			peers := []*peer{first}
			for len(peers) < n {
				var zero event.Seq
				p, _, err := s.native(string(id), &zero)
				if err != nil {
					return err
				}
				peers = append(peers, p)
			}
			w, u, err := spent(s.daemon.PID, func() error {
				if err := first.prompt(id, fmt.Sprintf("words-%d", fanDeltas)); err != nil {
					return err
				}
				return all(peers, runEnded)
			})
			if err != nil {
				return err
			}
			wall[i].took(w)
			used[i].took(u)
		}
	}
	raw, err := b.alone("words-20000")
	if err != nil {
		return err
	}
	b.table.row(figure{what: "20,000 deltas to one client", got: wall[0], ref: "the server alone", was: raw})
	b.table.row(figure{what: "20,000 deltas to 10 clients", got: wall[1], ref: "one client", was: wall[0], bound: within(wall[1].times(wall[0]), 1.5)})
	b.table.row(figure{what: "  processor time of the daemon", got: used[1], ref: "one client", was: used[0], bound: within(used[1].times(used[0]), 2)})
	return nil
}

// all reads every connection to a line with a word, and closes them.
func all(peers []*peer, word string) error {
	done := make(chan error, len(peers))
	for _, p := range peers {
		go func() {
			done <- errors.Join(p.through(word), p.Close())
		}()
	}
	var errs []error
	for range peers {
		errs = append(errs, <-done)
	}
	return errors.Join(errs...)
}

// alone is what the model server takes for an answer.
func (b *bench) alone(model string) (sample, error) {
	var s sample
	for range 5 {
		d, err := b.raw(model)
		if err != nil {
			return s, err
		}
		s.took(d)
	}
	return s, nil
}

// nousTrips are round trips and a long run on the two sockets of nous.
func nousTrips(b *bench) error {
	s, err := b.fixture("nous")
	if err != nil {
		return err
	}
	path := filepath.Join(filepath.Dir(s.Socket), "nous.sock")
	if err := s.serve("--listen", "nous+unix:"+path, "--model", "openai-chat/words-20000", "--workdir", s.Work); err != nil {
		return err
	}
	echo, err := b.echo()
	if err != nil {
		return err
	}
	defer echo.Close()
	idle := &peer{Conn: echo, r: bufio.NewReader(echo)}
	commands, err := dial(path)
	if err != nil {
		return err
	}
	defer commands.Close()
	n := 0
	call := func(p *peer, name, payload string) (time.Duration, error) {
		n++
		begin := time.Now()
		if err := p.say(fmt.Sprintf(`{"v":"1","id":"%d","type":%q,"payload":%s}`, n, name, payload)); err != nil {
			return 0, err
		}
		line, err := p.until(fmt.Sprintf(`"id":"%d"`, n))
		took := time.Since(begin)
		if err != nil {
			return 0, err
		}
		var r struct {
			OK    *bool           `json:"ok"`
			Error json.RawMessage `json:"error"`
		}
		if err := json.Unmarshal(line, &r); err != nil {
			return 0, err
		}
		if r.OK != nil && !*r.OK || len(r.Error) > 4 {
			return 0, fmt.Errorf("%s: %s", name, line)
		}
		return took, nil
	}
	if _, err := call(commands, "new_session", "{}"); err != nil {
		return err
	}
	var ping, state, none sample
	for range 1000 {
		for _, t := range []struct {
			to   *peer
			name string
			s    *sample
		}{{idle, "ping", &none}, {commands, "ping", &ping}, {commands, "get_state", &state}} {
			d, err := call(t.to, t.name, "{}")
			if err != nil {
				return err
			}
			t.s.took(d)
		}
	}
	b.table.row(figure{what: "round trip of ping", got: ping, ref: "a Unix socket that echoes", was: none})
	b.table.row(figure{what: "round trip of get_state", got: state, ref: "a Unix socket that echoes", was: none})
	var wall, used [2]sample
	for range 5 {
		for i, n := range []int{1, 10} {
			if _, err := call(commands, "new_session", "{}"); err != nil {
				return err
			}
			var peers []*peer
			for len(peers) < n {
				p, err := dial(path + ".events")
				if err != nil {
					return err
				}
				peers = append(peers, p)
			}
			// A subscriber has no greeting: a command that is answered says that
			// the sockets before it were accepted.
			if _, err := call(commands, "ping", "{}"); err != nil {
				return err
			}
			w, u, err := spent(s.daemon.PID, func() error {
				if _, err := call(commands, "prompt", `{"text":"go","wait":false}`); err != nil {
					return err
				}
				return all(peers, `"agent_end"`)
			})
			if err != nil {
				return err
			}
			wall[i].took(w)
			used[i].took(u)
		}
	}
	raw, err := b.alone("words-20000")
	if err != nil {
		return err
	}
	b.table.row(figure{what: "20,000 deltas to one event subscriber", got: wall[0], ref: "the server alone", was: raw})
	b.table.row(figure{what: "20,000 deltas to 10 event subscribers", got: wall[1], ref: "one subscriber", was: wall[0]})
	b.table.row(figure{what: "  processor time of the daemon", got: used[1], ref: "one subscriber", was: used[0]})
	return nil
}
