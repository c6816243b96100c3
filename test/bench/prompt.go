package main

import (
	"bytes"
	"fmt"
	"io"
	"os/exec"
	"time"
)

// versions is what every use of the program begins with.
func versions(b *bench) error {
	var got, was sample
	for range 40 {
		for cmd, s := range map[*exec.Cmd]*sample{exec.Command(b.parley, "version"): &got, exec.Command("true"): &was} {
			begin := time.Now()
			if err := cmd.Run(); err != nil {
				return err
			}
			s.took(time.Since(begin))
		}
	}
	b.table.row(figure{what: "parley version", got: got, ref: "true(1)", was: was, bound: atMost(seconds, got.median(), 0.010)})
	return nil
}

// process is one command whose output is read: how long it ran, what it used,
// and the bytes that it wrote.
func process(cmd *exec.Cmd) (wall, used time.Duration, out int64, err error) {
	var errs bytes.Buffer
	cmd.Stderr = &errs
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return 0, 0, 0, err
	}
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		return 0, 0, 0, err
	}
	if out, err = io.Copy(io.Discard, pipe); err != nil {
		return 0, 0, 0, err
	}
	if err := cmd.Wait(); err != nil {
		return 0, 0, 0, fmt.Errorf("%v: %w: %s", cmd.Args[1:], err, errs.String())
	}
	return time.Since(begin), cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), out, nil
}

// oneShot is parley run against a daemon that is there and a server that answers
// at once.
func oneShot(b *bench) error {
	s, err := b.warm("run")
	if err != nil {
		return err
	}
	var wall, used, raw sample
	for range 40 {
		d, err := b.raw("hello")
		if err != nil {
			return err
		}
		raw.took(d)
		d, u, _, err := process(s.Command("run", "--model", "openai-chat/hello", "hello"))
		if err != nil {
			return err
		}
		wall.took(d)
		used.took(u)
	}
	beyond := wall.minus(raw.median())
	b.table.row(figure{what: "parley run, beyond the server's own time", got: beyond, ref: "the server's own time", was: raw, bound: atMost(seconds, beyond.median(), 0.060)})
	b.table.row(figure{what: "  processor time of the client", got: used})
	return b.memory(s, "run", "hello", 10)
}

// memory is the peak of client and daemon, in runs that nothing else is measured
// of.
func (b *bench) memory(s *fixture, what, model string, n int) error {
	client, daemon := sample{unit: size}, sample{unit: size}
	for range n {
		cmd := s.Command("run", "--model", "openai-chat/"+model, "go")
		cmd.Stdout = io.Discard
		if err := cmd.Start(); err != nil {
			return err
		}
		w := weigh(cmd.Process.Pid, s.daemon.PID)
		err := cmd.Wait()
		peak := w.end()
		if err != nil {
			return fmt.Errorf("run %s: %w", model, err)
		}
		if peak[0] == 0 {
			continue // nobody looked while it ran, or nobody can
		}
		client.add(float64(peak[0]))
		daemon.add(float64(peak[1]))
	}
	whole := one(size, resident(s.daemon.PID))
	b.table.row(figure{what: what + ": client, proportional set size at peak", got: client, bound: atMost(size, client.quantile(1), 30e6)})
	b.table.row(figure{what: what + ": daemon, proportional set size at peak", got: daemon, ref: "resident at its peak, shared pages whole", was: whole, bound: atMost(size, daemon.quantile(1), 60e6)})
	return nil
}

// streamed is a long answer, every delta of it to stdout.
func streamed(b *bench) error {
	const model = "words-20000"
	s, err := b.warm("deltas")
	if err != nil {
		return err
	}
	var wall, client, daemon, decode, decodeUsed, raw sample
	for range 9 {
		d, err := b.raw(model)
		if err != nil {
			return err
		}
		raw.took(d)
		d, u, err := b.decode(model)
		if err != nil {
			return err
		}
		decode.took(d)
		decodeUsed.took(u)
		var written int64
		var mine time.Duration
		_, u, err = spent(s.daemon.PID, func() error {
			d, mine, written, err = process(s.Command("run", "--model", "openai-chat/"+model, "go"))
			return err
		})
		if err != nil {
			return err
		}
		if text := b.model.answer("words", 20000).text; written < int64(text) {
			return fmt.Errorf("%d bytes of %d came out", written, text)
		}
		wall.took(d)
		client.took(mine)
		daemon.took(u)
	}
	b.table.row(figure{what: "parley run, start to exit", got: wall, ref: "a client that only decodes", was: decode, bound: atMost(seconds, wall.median(), 0.35)})
	b.table.row(figure{what: "  processor time, daemon", got: daemon, ref: "that client's", was: decodeUsed})
	b.table.row(figure{what: "  processor time, client", got: client, ref: "the server alone", was: raw})
	return b.memory(s, "deltas", model, 5)
}
