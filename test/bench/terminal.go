package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"time"
)

// What streams into the terminal: five thousand words of prose, as fast as the
// fastest models write.
const (
	words     = 5000
	wordsRate = 500
	streaming = time.Second * words / wordsRate
)

// terminal measures the program on a pseudo-terminal.
func terminal(b *bench) error {
	s, err := b.warm("tui")
	if err != nil {
		return err
	}
	for _, f := range []func(*bench, *fixture) error{ready, idle, stream, keys, long} {
		if err := f(b, s); err != nil {
			return err
		}
	}
	return nil
}

func ready(b *bench, s *fixture) error {
	got, was := sample{}, sample{}
	for range 15 {
		d, err := s.firstFrame()
		if err != nil {
			return err
		}
		got.took(d)
		d, _, _, err = process(s.Command("version"))
		if err != nil {
			return err
		}
		was.took(d)
	}
	b.table.row(figure{what: "parley to the first frame with composer", got: got, ref: "parley version", was: was, bound: atMost(seconds, got.median(), 0.150)})
	return nil
}

// open starts the terminal and waits until it rests.
func (s *fixture) open(args ...string) (*screen, error) {
	t, err := s.show(args...)
	if err != nil {
		return nil, err
	}
	if _, err = t.await(0, composer); err == nil {
		err = t.quiet(500 * time.Millisecond)
	}
	if err != nil {
		_ = t.leave()
		return nil, err
	}
	return t, nil
}

func idle(b *bench, s *fixture) error {
	t, err := s.open()
	if err != nil {
		return err
	}
	defer t.leave()
	const pause = 10 * time.Second
	before, _ := t.mark()
	_, used, err := spent(t.cmd.Process.Pid, func() error { time.Sleep(pause); return nil })
	if err != nil {
		return err
	}
	after, _ := t.mark()
	b.table.row(figure{what: "idle for 10 s: bytes", got: one(size, float64(after-before)), bound: atMost(size, float64(after-before), 0)})
	part := used.Seconds() / pause.Seconds()
	b.table.row(figure{what: "idle for 10 s: processor", got: one(share, part), ref: "in all", was: one(seconds, used.Seconds()), bound: bound{"0 %", part < 0.0005}})
	return nil
}

// A streamedRun is what one run cost the terminal.
type streamedRun struct {
	used          time.Duration
	bytes, frames int
	pss           int64
}

// say types a prompt and returns when its run is drawn to its end. With weighed
// the memory is looked at, and processor time means nothing.
func (t *screen) say(takes time.Duration, weighed bool, meanwhile func(end time.Time) error) (streamedRun, error) {
	var r streamedRun
	before, drawn := t.mark()
	var w *scale
	if weighed {
		w = weigh(t.cmd.Process.Pid)
	}
	_, used, err := spent(t.cmd.Process.Pid, func() error {
		if err := t.typed("go on\r"); err != nil {
			return err
		}
		if meanwhile != nil {
			if err := meanwhile(time.Now().Add(takes)); err != nil {
				return err
			}
		} else {
			time.Sleep(takes)
		}
		return t.quiet(600 * time.Millisecond)
	})
	if weighed {
		r.pss = w.end()[0]
	}
	nowBytes, nowFrames := t.mark()
	r.used, r.bytes, r.frames = used, nowBytes-before, nowFrames-drawn
	return r, err
}

func stream(b *bench, s *fixture) error {
	model := fmt.Sprintf("words-%d-%d", words, wordsRate)
	var used, ratio sample
	written := sample{unit: size}
	text := b.model.answer("words", words).text
	for range 3 {
		t, err := s.open("--model", "openai-chat/"+model)
		if err != nil {
			return err
		}
		r, err := t.say(streaming, false, nil)
		_ = t.leave()
		if err != nil {
			return err
		}
		used.took(r.used)
		written.add(float64(r.bytes))
		ratio.add(float64(r.bytes) / float64(text))
	}
	b.table.row(figure{what: "5,000 deltas at 500/s: processor time", got: used, ref: "the run itself", was: one(seconds, streaming.Seconds()), bound: atMost(seconds, used.median(), 0.5)})
	b.table.row(figure{what: "5,000 deltas at 500/s: bytes to the terminal", got: written, ref: "the text", was: one(size, float64(text)), bound: within(ratio.median(), 3)})
	t, err := s.open("--model", "openai-chat/"+model)
	if err != nil {
		return err
	}
	defer t.leave()
	r, err := t.say(streaming, true, nil)
	if err != nil {
		return err
	}
	whole := one(size, resident(t.cmd.Process.Pid))
	b.table.row(figure{what: "client, proportional set size at peak", got: one(size, float64(r.pss)), ref: "resident at its peak, shared pages whole", was: whole, bound: atMost(size, float64(r.pss), 40e6)})
	return nil
}

// letters are characters that nothing else on the screen has: each is typed
// once, so what comes back is its own echo.
var letters = func() []string {
	var out []string
	for _, span := range [][2]rune{{0x0410, 0x044f}, {0x0391, 0x03a1}, {0x03b1, 0x03c1}, {0x0100, 0x0130}, {0x0139, 0x0148}, {0x014a, 0x017e}} {
		for r := span[0]; r <= span[1]; r++ {
			out = append(out, string(r))
		}
	}
	return out
}()

// echoes types letters until end, at moments that know nothing of the frames.
func (t *screen) echoes(end time.Time, took *sample) error {
	random := rand.New(rand.NewPCG(1, 2))
	time.Sleep(300 * time.Millisecond) // what is to stream does
	for i, l := range letters {
		if time.Now().After(end) {
			break
		}
		from, _ := t.mark()
		begin := time.Now()
		if err := t.typed(l); err != nil {
			return err
		}
		at, err := t.await(from, l)
		if err != nil {
			return err
		}
		took.took(at.Sub(begin))
		if i%40 == 39 { // the composer stays one row
			if err := t.typed("\x15"); err != nil {
				return err
			}
		}
		time.Sleep(20*time.Millisecond + time.Duration(random.IntN(40))*time.Millisecond)
	}
	return nil
}

func keys(b *bench, s *fixture) error {
	var still, moving sample
	t, err := s.open("--model", fmt.Sprintf("openai-chat/words-%d-%d", words, wordsRate))
	if err != nil {
		return err
	}
	defer t.leave()
	if err := t.echoes(time.Now().Add(time.Minute), &still); err != nil {
		return err
	}
	if err := t.typed("\x15"); err != nil {
		return err
	}
	if _, err := t.say(streaming, false, func(end time.Time) error { return t.echoes(end, &moving) }); err != nil {
		return err
	}
	p95 := moving.quantile(0.95)
	b.table.row(figure{what: "key to its echo while 500 deltas/s stream: p50", got: moving, ref: "idle", was: still})
	b.table.row(figure{what: "key to its echo while 500 deltas/s stream: p95", got: moving, value: write(seconds, p95), ref: "idle, p95", was: one(seconds, still.quantile(0.95)), bound: atMost(seconds, p95, 0.010)})
	return nil
}

// long compares frames at the end of 100,000 lines with those of a new session.
func long(b *bench, s *fixture) error {
	const lines = 100_000
	first, _, err := s.attached("words-1500-500")
	if err != nil {
		return err
	}
	defer first.leave()
	last, model, err := s.attached(fmt.Sprintf("lines-%d", lines))
	if err != nil {
		return err
	}
	defer last.leave()
	from, _ := last.mark()
	w := weigh(last.cmd.Process.Pid)
	if err = last.typed("go on\r"); err == nil {
		_, err = last.await(from, fmt.Sprint(lines-1))
	}
	if err == nil {
		err = last.quiet(time.Second)
	}
	peak := w.end()[0]
	if err != nil {
		return err
	}
	rest, err := pss(last.cmd.Process.Pid)
	if err != nil {
		return err
	}
	if err := model("words-1500-500"); err != nil {
		return err
	}
	var frames, written [2]sample
	written[0].unit, written[1].unit = size, size
	for range 4 {
		for i, t := range []*screen{first, last} {
			r, err := t.say(3*time.Second, false, nil)
			if err != nil {
				return err
			}
			frames[i].add(r.used.Seconds() / float64(r.frames))
			written[i].add(float64(r.bytes) / float64(r.frames))
		}
	}
	b.table.row(figure{what: "processor time of a frame after 100,000 lines", got: frames[1], ref: "in an empty session", was: frames[0], bound: within(frames[1].times(frames[0]), 1.2)})
	b.table.row(figure{what: "bytes of a frame after 100,000 lines", got: written[1], ref: "in an empty session", was: written[0], bound: within(written[1].times(written[0]), 1.2)})
	b.table.row(figure{what: "client, 100,000 lines at once: set size at peak", got: one(size, float64(peak)), ref: "at rest behind them", was: one(size, float64(rest))})
	return nil
}

// attached is a terminal on a new session, and what sets the session's model.
func (s *fixture) attached(name string) (*screen, func(string) error, error) {
	p, id, err := s.fresh()
	if err != nil {
		return nil, nil, err
	}
	n := 0
	model := func(name string) error {
		n++
		if err := p.say(fmt.Sprintf(`{"type":"set","id":"%d","session":%q,"data":{"model":"openai-chat/%s"}}`, n, id, name)); err != nil {
			return err
		}
		line, err := p.until(fmt.Sprintf(`"id":"%d"`, n))
		if err == nil && !bytes.Contains(line, []byte(`"ok":true`)) {
			err = fmt.Errorf("set: %s", line)
		}
		return err
	}
	if err := model(name); err != nil {
		return nil, nil, err
	}
	t, err := s.open("attach", string(id))
	return t, model, err
}
