package tool

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode/utf8"

	"parley/internal/printout"
)

const (
	// headText is how much of the beginning of an output is kept, and shown live.
	headText = 40 << 10
	// tailText is how much of its end is kept. The rest of MaxText is for what is said about the cut.
	tailText = 20 << 10
	// MaxSpill is the most a file of a whole output holds, in bytes.
	MaxSpill = 64 << 20
)

// Output collects what a command writes, in bounded memory: the beginning, the end, and the whole in a file once it is
// more than a text holds. It keeps what a terminal would show at the end, see package printout; live it passes the
// beginning on as it comes, with its colours and progress bars. It is safe for concurrent use.
type Output struct {
	mu    sync.Mutex
	grow  Grow
	spill func() (io.WriteCloser, string, error)

	runes   map[Stream]*Runes
	print   printout.Printout
	raw     int64 // bytes that came
	always  bool  // the file has what comes, as it comes
	head    strings.Builder
	tail    []byte // a ring once it is full
	start   int    // of the ring
	total   int64
	lines   int64
	full    bool // the head is
	file    io.WriteCloser
	path    string
	written int64
	trouble error // why there is no file, or not all of it
}

// NewOutput returns an empty output. spill, which may be nil, is called when a file is needed: at once
// where always says so, else when the output is cut.
func NewOutput(grow Grow, spill func() (io.WriteCloser, string, error), always bool) *Output {
	o := &Output{grow: grow, spill: spill, always: always, runes: map[Stream]*Runes{Stdout: {}, Stderr: {}}}
	if always {
		o.open()
	}
	return o
}

// Write takes the next bytes of a stream.
func (o *Output) Write(s Stream, p []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.take(s, o.runes[s].Next(p))
}

// Close ends the output: the kept part of a split character is added, and the file is closed.
func (o *Output) Close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, s := range []Stream{Stdout, Stderr} {
		o.take(s, o.runes[s].Rest())
	}
	o.add(o.print.Rest())
	o.print = printout.Printout{}
	if o.file != nil {
		if err := o.file.Close(); err != nil && o.trouble == nil {
			o.trouble = err
		}
		o.file = nil
	}
}

// take passes on what came of a stream, and adds what has settled by it.
func (o *Output) take(s Stream, text string) {
	if text == "" {
		return
	}
	if o.raw < headText && o.grow != nil {
		if part := Head(text, headText-int(o.raw)); part != "" {
			o.grow(s, part)
		}
	}
	o.raw += int64(len(text))
	if o.always {
		o.save(text)
	}
	o.add(o.print.Write(text))
}

// add takes text that has settled.
func (o *Output) add(text string) {
	if text == "" {
		return
	}
	o.total += int64(len(text))
	o.lines += int64(strings.Count(text, "\n"))
	if o.file != nil && !o.always {
		o.save(text)
	}
	if !o.full {
		part := Head(text, headText-o.head.Len())
		o.full = len(part) < len(text)
		o.head.WriteString(part)
		if text = text[len(part):]; text == "" {
			return
		}
	}
	if o.file == nil && o.path == "" && o.trouble == nil && o.total > headText+tailText {
		before := o.head.String() + o.end()
		o.open()
		o.save(before)
		o.save(text)
	}
	o.ring(text)
}

// ring keeps the last tailText bytes.
func (o *Output) ring(text string) {
	if len(text) > tailText {
		text = text[len(text)-tailText:]
	}
	if free := tailText - len(o.tail); free > 0 {
		n := min(free, len(text))
		o.tail = append(o.tail, text[:n]...)
		text = text[n:]
	}
	for len(text) > 0 {
		n := copy(o.tail[o.start:], text)
		o.start = (o.start + n) % len(o.tail)
		text = text[n:]
	}
}

func (o *Output) end() string { return string(o.tail[o.start:]) + string(o.tail[:o.start]) }

func (o *Output) open() {
	if o.spill == nil {
		o.trouble = ErrRefused
		return
	}
	o.file, o.path, o.trouble = o.spill()
}

func (o *Output) save(text string) {
	if o.file == nil || o.trouble != nil {
		return
	}
	text = Head(text, int(min(MaxSpill-o.written, int64(len(text)))))
	n, err := io.WriteString(o.file, text)
	o.written += int64(n)
	if err != nil {
		o.trouble = err
	}
}

// Text returns the output as far as it came, at most MaxText less 4 KiB, with a line where something was
// left out; file is the path of the whole, "" where nothing is missing from the text.
func (o *Output) Text() (text, file string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	end, total, whole := o.end()+o.print.Rest(), o.total+int64(len(o.print.Rest())), o.total
	if total <= headText+tailText {
		return o.head.String() + end, ""
	}
	if o.always {
		whole = o.raw
	}
	end = end[max(0, len(end)-tailText):]
	for end != "" && !utf8.RuneStart(end[0]) {
		end = end[1:]
	}
	// Begin with a whole line, unless lines are very long.
	if i := strings.IndexByte(end, '\n'); i >= 0 && i < tailText/4 {
		end = end[i+1:]
	}
	left := total - int64(o.head.Len()) - int64(len(end))
	where := fmt.Sprintf("the whole output is in %s, read it with offset and limit", o.path)
	switch {
	case o.path == "":
		where = fmt.Sprintf("the whole output could not be kept: %v", o.trouble)
	case o.trouble != nil:
		where = fmt.Sprintf("the first %d bytes are in %s, then it could not be kept: %v", o.written, o.path, o.trouble)
	case o.written < whole:
		where = fmt.Sprintf("the first %d MiB are in %s, read it with offset and limit", MaxSpill>>20, o.path)
	}
	return fmt.Sprintf("%s\n[%d of %d bytes left out here; %s]\n%s", o.head.String(), left, total, where, end), o.path
}

// Size returns how many bytes came so far, how many lines that is, and the path of the file if there is one.
func (o *Output) Size() (bytes, lines int64, file string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	rest := o.print.Rest()
	bytes, lines = o.total+int64(len(rest)), o.lines+int64(strings.Count(rest, "\n"))
	if o.always {
		bytes = o.raw
	}
	return bytes, lines, o.path
}
