// Package local is the World of this machine: real files inside a workspace, real processes, the real
// network.
//
// It guarantees that files are opened without following a link that appeared after the check (see package
// workspace), that a plan starts and opens what it names and nothing else, that the end of a command's context ends every process that came from it, and that a command
// which comes to its own end leaves nothing running in its session: see [Options.Grace] and the file tree.go
// for how. Output is passed on as it comes and never piles up in memory.
//
// A process that left the session by setsid, as a daemon does, outlives a command that came to its own end:
// build servers and terminal multiplexers are started so on purpose. It has the rights that the command had.
//
// A command runs in the fence of [Options], and does not run where that fails; without one it has the rights
// of the daemon's user. What the fence is made with, and what a command may do in it, is the caller's.
package local

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"parley/internal/shell"
	"parley/internal/tool"
	"parley/internal/workspace"
)

// Options say what of this machine a session gets.
type Options struct {
	Root *workspace.Root
	// Env is the environment of commands, NAME=VALUE, without provider keys. Its PATH finds programs, its
	// HOME is what "~" means.
	Env []string
	// Spill is the folder of whole outputs, made when it is first needed; "" keeps none.
	Spill        string
	FetchPrivate bool
	// Fence is what commands run in; nil runs them with the rights of the daemon's user.
	Fence *Fence
	Seen  *tool.Seen
	Jobs  *tool.Jobs
	// Grace is how long a process that is asked to end (SIGTERM) has before it is killed; 0 means one
	// second.
	Grace time.Duration
	// Linger is how long what a finished command left behind may take to end by itself, as the tee of
	// "cmd > >(tee log)" does, before it is ended; 0 means 250 ms.
	Linger time.Duration
}

// World returns the real World.
func World(o Options) tool.World {
	if o.Grace == 0 {
		o.Grace = time.Second
	}
	if o.Linger == 0 {
		o.Linger = 250 * time.Millisecond
	}
	m := machine{Options: o, table: list}
	w := tool.World{
		Root: o.Root.Path(), Env: o.Env, FetchPrivate: o.FetchPrivate, Seen: o.Seen, Jobs: o.Jobs,
		Resolve: m.resolve, Stat: m.stat, Open: m.open, Replace: m.replace, Walk: m.walk, Git: m.git,
		LookPath: m.lookPath, Dial: dial, Now: time.Now, Spill: m.spill,
	}
	if disk, err := shell.OpenDisk(o.Root.Path()); err == nil {
		m.disk = disk
		w.Shell = func(writable func(string) bool) shell.World { return disk.World(o.Env, writable) }
	}
	w.Exec = m.exec
	if o.Fence != nil {
		free := m
		free.Fence = nil
		w.Outside, w.Fence = free.exec, string(o.Fence.Kind)
	}
	if o.Spill != "" {
		w.Extra = []string{o.Spill}
		// Paths are compared with links resolved.
		if p, err := o.Root.Resolve(o.Spill); err == nil {
			w.Extra = []string{p.Path}
		}
	}
	return w
}

type machine struct {
	Options
	table func() []process
	// disk is a handle on the workspace, closed when nothing holds the World any more.
	disk *shell.Disk
}

func (m machine) env(name string) string { return lookup(m.Env, name) }

func lookup(env []string, name string) string {
	for i := len(env) - 1; i >= 0; i-- {
		if value, ok := strings.CutPrefix(env[i], name+"="); ok {
			return value
		}
	}
	return ""
}

func (m machine) resolve(path string) (tool.Target, error) {
	if path == "~" || strings.HasPrefix(path, "~/") {
		if home := m.env("HOME"); filepath.IsAbs(home) {
			path = filepath.Join(home, path[1:])
		}
	}
	p, err := m.Root.Resolve(path)
	if err != nil {
		return tool.Target{}, err
	}
	return target(p), nil
}

func target(p workspace.Place) tool.Target {
	return tool.Target{Path: p.Path, Rel: p.Rel, Inside: p.Inside}
}

// place is made from the path alone: whether it is inside is this machine's to say.
func (m machine) place(t tool.Target) workspace.Place { return m.Root.At(t.Path) }

func (m machine) stat(t tool.Target) (fs.FileInfo, error) { return m.Root.Stat(m.place(t)) }

func (m machine) open(t tool.Target) (tool.File, error) {
	file, err := m.Root.Open(m.place(t))
	if err != nil {
		return nil, err
	}
	return file, nil
}

func (m machine) replace(t tool.Target, content []byte) error {
	return m.Root.Replace(m.place(t), content)
}

func (m machine) walk(ctx context.Context, t tool.Target, visit func(tool.Entry) error) (bool, error) {
	err := m.Root.Walk(ctx, m.place(t), workspace.Reach{}, func(e workspace.Entry) error {
		return visit(tool.Entry{Target: target(e.Place), Below: e.Below, Type: e.Type})
	})
	if errors.Is(err, workspace.ErrReach) {
		return true, nil
	}
	return false, err
}

func (m machine) git(t tool.Target) bool { return m.Root.Git(m.place(t)) }

func (m machine) lookPath(name string) (string, error) {
	for _, dir := range filepath.SplitList(m.env("PATH")) {
		// Like os/exec: a program is not taken from the current directory by accident.
		if !filepath.IsAbs(dir) {
			continue
		}
		path := filepath.Join(dir, name)
		if stat, err := os.Stat(path); err == nil && stat.Mode().IsRegular() && stat.Mode()&0o111 != 0 {
			return path, nil
		}
	}
	return "", fmt.Errorf("%s is not on the PATH", name)
}

func dial(ctx context.Context, network, address string, control tool.Control) (net.Conn, error) {
	d := net.Dialer{Timeout: 10 * time.Second, Control: control}
	return d.DialContext(ctx, network, address)
}

func (m machine) spill(callID string) (io.WriteCloser, string, error) {
	if m.Options.Spill == "" {
		return nil, "", errors.New("there is no folder for whole outputs")
	}
	if err := os.MkdirAll(m.Options.Spill, 0o700); err != nil {
		return nil, "", err
	}
	path := filepath.Join(m.Options.Spill, fileName(callID))
	const flags = os.O_WRONLY | os.O_CREATE | os.O_EXCL | syscall.O_NOFOLLOW
	file, err := os.OpenFile(path, flags, 0o600)
	if errors.Is(err, fs.ErrExist) {
		var b [4]byte
		rand.Read(b[:])
		path = strings.TrimSuffix(path, ".txt") + "-" + hex.EncodeToString(b[:]) + ".txt"
		file, err = os.OpenFile(path, flags, 0o600)
	}
	if err != nil {
		return nil, "", err
	}
	return file, path, nil
}

// fileName makes a file name of an id that a provider chose.
func fileName(id string) string {
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '_'
	}, id)
	if name == "" {
		name = "output"
	}
	return name[:min(len(name), 80)] + ".txt"
}
