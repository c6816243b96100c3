package doctor

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"parley/internal/client"
	"parley/internal/command"
	"parley/internal/config"
)

// socketFile looks at the socket's place and at the file there.
func (x *examination) socketFile() {
	path := x.Socket
	if err := config.CheckSocket(path); err != nil {
		x.say("socket", Broken, "set PARLEY_SOCKET to a shorter path", "%s", err)
		return
	}
	if !x.socketFolder(path) {
		return
	}
	stat, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		x.say("socket", Good, "", "%s; nobody listens yet", path)
		return
	}
	if err != nil {
		x.say("socket", Broken, "", "%s: %s", path, config.Reason(err))
		return
	}
	owner, _ := stat.Sys().(*syscall.Stat_t)
	switch {
	case stat.Mode()&os.ModeSocket == 0:
		x.say("socket", Broken, "move it away, or set PARLEY_SOCKET", "%s is there and is not a socket", path)
	case owner == nil || int(owner.Uid) != x.uid:
		x.say("socket", Broken, "set PARLEY_SOCKET to a place of yours", "%s belongs to another user", path)
	case stat.Mode().Perm()&0o077 != 0:
		x.say("socket", Broken, "chmod 600 "+path, "other users can connect to %s (mode %04o)", path, stat.Mode().Perm())
	case !listening(path, x.wait):
		x.say("socket", Broken, "rm "+path+" (the next daemon takes it away itself)", "%s is stale: nobody listens, its daemon did not end by itself", path)
	default:
		x.say("socket", Good, "", "%s", path)
	}
}

// socketFolder looks at the folder of the socket and reports whether a socket
// can be there.
func (x *examination) socketFolder(path string) bool {
	dir := filepath.Dir(path)
	if !x.Chosen && x.Paths.Private != "" {
		err := config.CheckPrivate(dir, x.uid)
		if err == nil {
			return true
		}
		if !errors.Is(err, fs.ErrNotExist) {
			x.say("socket", Broken, "", "%s", err)
			return false
		}
	}
	at := existing(dir)
	if at != dir && at != filepath.Dir(dir) {
		x.say("socket", Broken, "make that folder, or set PARLEY_SOCKET", "%s is not there", filepath.Dir(dir))
		return false
	}
	if err := unix.Access(at, unix.W_OK|unix.X_OK); err != nil {
		x.say("socket", Broken, "let it be written by you, or set PARLEY_SOCKET", "no socket can be made in %s: %s", at, err)
		return false
	}
	return true
}

// listening reports whether somebody takes connections on a socket. One that is
// too busy to do so counts.
func listening(path string, wait time.Duration) bool {
	conn, err := net.DialTimeout("unix", path, wait)
	if err != nil {
		return !errors.Is(err, syscall.ECONNREFUSED) && !errors.Is(err, fs.ErrNotExist)
	}
	conn.Close()
	return true
}

// daemon asks the daemon how it is, where one runs.
func (x *examination) daemon(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, x.wait)
	defer cancel()
	conn, err := x.Find(ctx)
	switch {
	case errors.Is(err, client.ErrNoDaemon) && x.Chosen:
		x.say("daemon", Broken, "parley serve --socket "+x.Socket, "none runs on %s", x.Socket)
		return
	case errors.Is(err, client.ErrNoDaemon):
		x.say("daemon", Good, "", "none runs; the first prompt starts one")
		return
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		x.say("daemon", Broken, "look at "+x.Paths.Log+"; kill the process that has the socket open", "it takes the connection, but does not answer within %s", x.wait)
		return
	case err != nil:
		x.say("daemon", Broken, "look at "+x.Paths.Log, "%s", err)
		return
	}
	defer conn.Close()
	w := conn.Welcome
	if w.Build != x.Build {
		x.say("daemon", Poor, "parley daemon stop (an idle one is replaced by itself)", "pid %d is of another build: version %s", w.PID, w.Version)
	}
	status, err := client.Ask[command.Daemon](ctx, conn, "", command.Read{What: command.ReadDaemon})
	if err != nil {
		why := err.Error()
		if fault := (*command.Fault)(nil); errors.As(err, &fault) {
			why = fault.Message
		}
		x.say("daemon", Broken, "look at "+x.Paths.Log+", then: parley daemon stop", "pid %d does not say how it is: %s", w.PID, why)
		return
	}
	if _, ours, ok := strings.Cut(x.Paths.Store, ":"); ok && ours != "" && status.Store != "" && filepath.Clean(ours) != status.Store {
		x.say("daemon", Poor, "parley daemon stop, and the next one takes yours", "it keeps its sessions in %s, and here %s is set", status.Store, ours)
	}
	since := status.Started
	if t, err := time.Parse(time.RFC3339, since); err == nil {
		since = t.Local().Format("2006-01-02 15:04")
	}
	x.say("daemon", Good, "", "pid %d, version %s, since %s; %d clients, %d runs", status.PID, status.Version, since, status.Clients, status.Running)
}
