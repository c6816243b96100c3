package grep

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"parley/internal/tool"
)

// patience is how long ripgrep may take. It waits for ever on an ignore file that is a pipe, which the walker knows
// better than to open.
const patience = 30 * time.Second

// errUnfit says that ripgrep is not there, or cannot do what the walker does.
var errUnfit = errors.New("ripgrep does not fit")

// plainGlob is a glob that means the same to ripgrep; it saves searching files that are then left out.
var plainGlob = regexp.MustCompile(`^[\w.*?,{}-]+$`)

// fits says whether ripgrep would look at the same files. Without a git work tree it would also obey the
// ignore files above the workspace, which only a search from the root can rule out.
func (s *search) fits() bool {
	return s.start.Rel != "" && (s.w.Git(s.start) || s.start.Rel == ".")
}

func (s *search) ripgrep(ctx context.Context) error {
	program, err := s.w.LookPath("rg")
	if err != nil {
		return errUnfit
	}
	// Searching needs no permission, so it must not run a program that the workspace brought along.
	if t, err := s.w.Target(program, false); err != nil || t.Inside {
		return errUnfit
	}
	args := []string{
		program, "--no-config", "--no-messages", "--color=never", "--no-heading", "--with-filename", "--line-number",
		"--null", "--crlf", "--sort=path", "--hidden", "--no-ignore-dot", "--no-ignore-global", "--glob=!.git",
	}
	if !s.w.Git(s.start) {
		args = append(args, "--no-require-git", "--no-ignore-parent")
	}
	if glob := s.glob.String(); plainGlob.MatchString(glob) && !strings.Contains(glob, "**") {
		args = append(args, "--type-add=wanted:"+glob, "--type=wanted")
	}
	args = append(args, "--regexp="+s.foreign, "./")

	ctx, late := context.WithTimeoutCause(ctx, patience, errUnfit)
	defer late()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	lines := matches{s: s, kind: map[string]bool{}, full: func() { stop(errFull) }}
	exit, err := s.w.Exec(ctx, tool.Command{Args: args, Dir: s.start.Path, Env: s.w.Env, Own: true, Output: lines.output})
	switch context.Cause(ctx) {
	case errFull:
		return nil
	case errUnfit:
		return errUnfit
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	// 1 is "no match"; 2 with a message is about the arguments, without one about a file it could not read.
	if err != nil || exit.Code > 2 || lines.complained {
		return errUnfit
	}
	return nil
}

// matches takes what ripgrep prints: PATH, a zero byte, LINE, a colon, TEXT, a newline.
type matches struct {
	s          *search
	buffer     []byte
	kind       map[string]bool
	over       bool
	full       func()
	complained bool
}

func (m *matches) output(stream tool.Stream, chunk []byte) {
	if stream == tool.Stderr {
		m.complained = true
		return
	}
	for len(chunk) > 0 && !m.over {
		end := bytes.IndexByte(chunk, '\n')
		part, whole := chunk, end >= 0
		if whole {
			part = chunk[:end+1]
		}
		chunk = chunk[len(part):]
		if len(m.buffer) < longest {
			m.buffer = append(m.buffer, part...)
		}
		if !whole || bytes.IndexByte(m.buffer, 0) < 0 {
			// A newline before the zero byte is part of the path.
			continue
		}
		m.record(bytes.TrimSuffix(m.buffer, []byte("\n")))
		m.buffer = m.buffer[:0]
	}
}

func (m *matches) record(record []byte) {
	path, rest, _ := bytes.Cut(record, []byte{0})
	number, line, ok := bytes.Cut(rest, []byte(":"))
	n, err := strconv.Atoi(string(number))
	if !ok || err != nil {
		// A remark about a binary file.
		return
	}
	below := strings.TrimPrefix(string(path), "./")
	wanted, known := m.kind[below]
	t := m.target(below)
	if !known {
		wanted = m.s.glob.Match(below) && !m.s.w.Hidden(t) && !m.binary(t)
		m.kind[below] = wanted
	}
	if !wanted {
		return
	}
	line = bytes.TrimSuffix(line, []byte("\r"))
	if n == 1 {
		line = bytes.TrimPrefix(line, []byte("\ufeff"))
	}
	if m.s.add(t.Name(), n, line) {
		m.over = true
		m.full()
	}
}

func (m *matches) target(below string) tool.Target {
	t := tool.Target{Path: filepath.Join(m.s.start.Path, below), Inside: true}
	t.Rel = filepath.Join(m.s.start.Rel, below)
	return t
}

func (m *matches) binary(t tool.Target) bool {
	file, err := m.s.w.Open(t)
	if err != nil {
		return true
	}
	defer file.Close()
	start := make([]byte, sniff)
	n := 0
	for n < len(start) {
		k, err := file.Read(start[n:])
		n += k
		if err != nil {
			break
		}
	}
	return binary(start[:n])
}
