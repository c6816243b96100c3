package tool

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"
)

// MaxFile is the largest file that is read, compared or edited as a whole, in bytes.
const MaxFile = 16 << 20

// OpenFile reaches and opens a file or directory for reading, with errors in words for a model: what is
// missing is answered with names that look like it.
func (w World) OpenFile(path string) (Target, File, fs.FileInfo, error) {
	w = w.complete()
	t, err := w.Reach(path, false)
	if err != nil {
		return t, nil, nil, err
	}
	file, err := w.Open(t)
	if err != nil {
		return t, nil, nil, w.explain(t, err)
	}
	stat, err := file.Stat()
	if err != nil {
		file.Close()
		return t, nil, nil, w.explain(t, err)
	}
	return t, file, stat, nil
}

// Content reads a whole file that a call is about to change. A missing file is nil and not there; more than
// MaxFile is an error.
func (w World) Content(ctx context.Context, t Target) (content []byte, there bool, err error) {
	w = w.complete()
	file, err := w.Open(t)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, w.explain(t, err)
	}
	defer file.Close()
	stat, err := file.Stat()
	if err != nil {
		return nil, false, w.explain(t, err)
	}
	if stat.IsDir() {
		return nil, false, fmt.Errorf("%s is a directory", t.Name())
	}
	if stat.Size() > MaxFile {
		return nil, false, fmt.Errorf("%s is too large to change here: %s, the most is %s", t.Name(), Bytes(stat.Size()), Bytes(MaxFile))
	}
	var b bytes.Buffer
	b.Grow(int(stat.Size()) + bytes.MinRead)
	if _, err := b.ReadFrom(io.LimitReader(Ending(ctx, file), MaxFile+1)); err != nil {
		return nil, false, w.explain(t, err)
	}
	if b.Len() > MaxFile {
		return nil, false, fmt.Errorf("%s grew past %s while it was read", t.Name(), Bytes(MaxFile))
	}
	return b.Bytes(), true, nil
}

// Save writes a file that a call changed.
func (w World) Save(t Target, content []byte) error {
	if err := w.complete().Replace(t, content); err != nil {
		return w.explain(t, err)
	}
	w.Seen.Note(t.Path, StampOf(content))
	return nil
}

// ending ends a long read with its context.
type ending struct {
	ctx    context.Context
	r      io.Reader
	buffer []byte // what a read that nobody waits for any more may still fill
}

func (e *ending) Read(p []byte) (int, error) {
	if e.ctx.Err() != nil || len(p) == 0 {
		return 0, e.ctx.Err()
	}
	if len(e.buffer) < len(p) {
		e.buffer = make([]byte, len(p))
	}
	type read struct {
		n   int
		err error
	}
	got, ok := Within(e.ctx, func() read {
		n, err := e.r.Read(e.buffer[:len(p)])
		return read{n, err}
	})
	if !ok {
		return 0, e.ctx.Err()
	}
	return copy(p, e.buffer[:got.n]), got.err
}

// Ending returns r, ended by ctx, also in the middle of a read.
func Ending(ctx context.Context, r io.Reader) io.Reader { return &ending{ctx: ctx, r: r} }

// explain says what went wrong with a file, without the system call.
func (w World) explain(t Target, err error) error {
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, ErrRefused):
		return err
	case errors.Is(err, fs.ErrNotExist):
		return w.missing(t)
	case errors.Is(err, syscall.ENOTDIR):
		return fmt.Errorf("a part of %s is a file, not a directory", t.Name())
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return fmt.Errorf("%s: %w", t.Name(), err)
}

// absent is fs.ErrNotExist in better words.
type absent string

func (a absent) Error() string { return string(a) }
func (absent) Unwrap() error   { return fs.ErrNotExist }

func (w World) missing(t Target) error {
	parent := t
	parent.Path = filepath.Dir(t.Path)
	dir, err := w.Open(parent)
	if err != nil {
		return absent(t.Name() + " does not exist, and neither does its directory")
	}
	defer dir.Close()
	entries, _ := dir.ReadDir(4096)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	near := Nearest(filepath.Base(t.Path), names)
	if len(near) == 0 {
		return absent(t.Name() + " does not exist")
	}
	return absent(fmt.Sprintf("%s does not exist, did you mean %s?", t.Name(), strings.Join(near, " or ")))
}

// Bytes writes a size for people, such as "512 bytes", "1.5 KB" or "300 MB".
func Bytes(n int64) string {
	units := []string{"KB", "MB", "GB", "TB"}
	if n < 1024 {
		return Count(int(n), "byte")
	}
	size, unit := float64(n), -1
	for size >= 1024 && unit < len(units)-1 {
		size, unit = size/1024, unit+1
	}
	text := fmt.Sprintf("%.1f", size)
	return strings.TrimSuffix(text, ".0") + " " + units[unit]
}

// Count writes a number of things, such as "1 line", "2 lines" or "3 matches".
func Count(n int, thing string) string {
	switch {
	case n == 1:
	case strings.HasSuffix(thing, "ch"):
		thing += "es"
	case strings.HasSuffix(thing, "y"):
		thing = strings.TrimSuffix(thing, "y") + "ies"
	default:
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}
