package grep

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"

	"parley/internal/tool"
)

// errFull ends a walk when no more matches are wanted.
var errFull = errors.New("full")

// walk is the engine that needs nothing installed.
func (s *search) walk(ctx context.Context) error {
	more, err := s.w.Walk(ctx, s.start, func(e tool.Entry) error {
		// Whoever names a file means it, whatever the glob says.
		if e.Type != 0 || e.Below != "." && !s.glob.Match(e.Below) || s.w.Hidden(e.Target) {
			return nil
		}
		return s.file(ctx, e.Target)
	})
	s.found.more = more
	if errors.Is(err, errFull) {
		return nil
	}
	return err
}

// file searches one file. What cannot be read is passed over, as ripgrep does.
func (s *search) file(ctx context.Context, t tool.Target) error {
	file, err := s.w.Open(t)
	if err != nil {
		if errors.Is(err, tool.ErrRefused) {
			return err
		}
		return nil
	}
	defer file.Close()
	if stat, err := file.Stat(); err != nil || !stat.Mode().IsRegular() && stat.Mode()&fs.ModeType != 0 {
		return nil
	}
	in := bufio.NewReaderSize(tool.Ending(ctx, file), 64<<10)
	start, _ := in.Peek(sniff)
	if binary(start) {
		return nil
	}
	for number := 1; ; number++ {
		line, err := next(in)
		if len(line) == 0 && err != nil {
			return ctx.Err()
		}
		line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
		if number == 1 {
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
		}
		if s.pattern.Match(line) && s.add(t.Name(), number, line) {
			return errFull
		}
		if err != nil {
			return ctx.Err()
		}
	}
}

// longest is how much of a line is matched; a file of one endless line must not fill the memory.
const longest = 1 << 20

func next(in *bufio.Reader) (line []byte, err error) {
	line, err = in.ReadSlice('\n')
	if err != bufio.ErrBufferFull {
		return line, err
	}
	line = bytes.Clone(line)
	for err == bufio.ErrBufferFull {
		var more []byte
		more, err = in.ReadSlice('\n')
		if len(line) < longest {
			line = append(line, more...)
		}
	}
	if err == io.EOF && len(line) > 0 {
		err = nil
	}
	return line, err
}
