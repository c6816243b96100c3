package main

import (
	"context"
	"fmt"
	"time"

	"parley/internal/event"
	"parley/internal/journal"
	"parley/internal/journal/sqlite"
)

// The sessions that are generated.
const (
	smallSession event.SessionID = "sess-01k0aaaaaaaaaaaaaaaaaaaaaa"
	largeSession event.SessionID = "sess-01k0bbbbbbbbbbbbbbbbbbbbbb"
)

// flat appends events one by one at the beginning of a log and behind 100,000
// others, and asks for a short run in both.
func flat(b *bench) error {
	s, err := b.fixture("flat")
	if err != nil {
		return err
	}
	if err := s.generate(smallSession, 100, 0); err != nil {
		return err
	}
	if err := s.generate(largeSession, 100_000, 0); err != nil {
		return err
	}
	first, last := sample{}, sample{}
	if err := appended(s, map[event.SessionID]*sample{smallSession: &first, largeSession: &last}); err != nil {
		return err
	}
	b.table.row(figure{what: "a durable event after 100,000", got: last, ref: "after the first 100", was: first, bound: within(last.times(first), 1.5)})
	if err := s.serve(); err != nil {
		return err
	}
	if err := s.hello(); err != nil {
		return err
	}
	const deltas = 5000
	var early, late, used, usedLate sample
	for range 7 {
		for _, c := range []struct {
			id         event.SessionID
			wall, used *sample
		}{{smallSession, &early, &used}, {largeSession, &late, &usedLate}} {
			p, id, err := s.native(string(c.id), nil)
			if err != nil {
				return err
			}
			wall, u, err := spent(s.daemon.PID, func() error {
				if err := p.prompt(id, fmt.Sprintf("words-%d", deltas)); err != nil {
					return err
				}
				_, err := p.until(runEnded)
				return err
			})
			if err != nil {
				return err
			}
			p.Close()
			c.wall.took(wall)
			c.used.took(u)
		}
	}
	b.table.row(figure{what: "a run of 5,000 deltas after 100,000 events", got: late, ref: "after the first 100", was: early, bound: within(late.times(early), 1.5)})
	b.table.row(figure{what: "  processor time of the daemon, a delta", got: usedLate.per(deltas), ref: "after the first 100", was: used.per(deltas), bound: within(usedLate.times(used), 1.5)})
	return nil
}

// appended measures events of ordinary length, each durable by itself: one here,
// one there, so that a disk that is busy is so for both.
func appended(s *fixture, logs map[event.SessionID]*sample) error {
	ctx := context.Background()
	store, err := sqlite.Open(s.Store, journal.Options{})
	if err != nil {
		return err
	}
	defer store.Close()
	open := make(map[event.SessionID]journal.Log)
	for id := range logs {
		if open[id], err = store.Open(ctx, id); err != nil {
			return err
		}
	}
	for range 1000 {
		for id, log := range open {
			begin := time.Now()
			if _, err := log.Append(ctx, event.Event{Session: id, Body: event.NoteAdded{Level: event.LevelInfo, Text: "a note of ordinary length"}}); err != nil {
				return err
			}
			logs[id].took(time.Since(begin))
		}
	}
	for _, log := range open {
		if err := log.Close(); err != nil {
			return err
		}
	}
	return nil
}

// generate writes a session of so many events or so many bytes.
func (s *fixture) generate(id event.SessionID, events, bytes int) error {
	h := ordinary(func(e, b int) bool { return e >= events && b >= bytes })
	if bytes == 0 {
		// Short answers and results: the number counts, not the length.
		h.result, h.said = 300, 700
	}
	_, err := h.write(context.Background(), s.Store, s.Work, id)
	return err
}

// appends is the benchmark of the journal.
func appends(b *bench) error {
	found, err := gobench("./internal/journal/sqlite", "^BenchmarkDurable$", "200x", 5)
	if err != nil {
		return err
	}
	per := func(name string) sample {
		s := found[name].each(func(v float64) float64 { return 1 / v })
		s.unit = rate
		return s
	}
	plain := per("Durable/plain")
	b.table.row(figure{what: "durable appends, one writer", got: per("Durable/log"), ref: "plain SQLite inserts, same pragmas", was: plain})
	b.table.row(figure{what: "durable appends, 100 writers", got: per("Durable/log/100_writers"), ref: "plain SQLite inserts, one writer", was: plain})
	return nil
}

// sizes compares the same things with a long past and with a short one, each in
// a store of its own.
func sizes(b *bench) error {
	small, err := b.fixture("small")
	if err != nil {
		return err
	}
	if err := small.generate(smallSession, 0, 1e6); err != nil {
		return err
	}
	large, err := b.fixture("large")
	if err != nil {
		return err
	}
	if err := large.generate(largeSession, 0, 100e6); err != nil {
		return err
	}
	for _, s := range []*fixture{small, large} {
		// The first start finds a session that no index has.
		if err := s.serve(); err != nil {
			return err
		}
		if err := s.hello(); err != nil {
			return err
		}
	}
	var start, open, list, prompt, used [2]sample
	for range 9 {
		for i, s := range []*fixture{small, large} {
			id := []event.SessionID{smallSession, largeSession}[i]
			begin := time.Now()
			if err := s.restart(); err != nil {
				return err
			}
			start[i].took(time.Since(begin))
			begin = time.Now()
			p, _, err := s.native(string(id), nil)
			if err == nil {
				_, err = p.until(`"type":"state"`)
			}
			if err != nil {
				return err
			}
			open[i].took(time.Since(begin))
			begin = time.Now()
			if _, err := s.finish(s.Command("sessions", "list")); err != nil {
				return err
			}
			list[i].took(time.Since(begin))
			wall, u, err := spent(s.daemon.PID, func() error {
				if err := p.prompt(id, "hello"); err != nil {
					return err
				}
				_, err := p.until(runEnded)
				return err
			})
			if err != nil {
				return err
			}
			prompt[i].took(wall)
			used[i].took(u)
			p.Close()
		}
	}
	for _, r := range []struct {
		what  string
		s     [2]sample
		bound bool
	}{
		{"100 MB: opened from the disk to its state", open, true},
		{"100 MB: parley sessions list", list, true},
		{"100 MB: a prompt, to the end of its run", prompt, true},
		{"  processor time of the daemon", used, false},
		{"100 MB: the daemon leaves and starts again", start, false},
	} {
		f := figure{what: r.what, got: r.s[1], ref: "1 MB", was: r.s[0]}
		if r.bound {
			f.bound = within(r.s[1].times(r.s[0]), 1.5)
		}
		b.table.row(f)
	}
	return nil
}
