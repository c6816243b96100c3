package cli

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
func (d *doctor) socketFile() {
	path := d.options(helloNone).Socket
	if err := config.CheckSocket(path); err != nil {
		d.say("socket", broken, "set PARLEY_SOCKET to a shorter path", "%s", err)
		return
	}
	if !d.socketFolder(path) {
		return
	}
	stat, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		d.say("socket", good, "", "%s; nobody listens yet", path)
		return
	}
	if err != nil {
		d.say("socket", broken, "", "%s: %s", path, reason(err))
		return
	}
	owner, _ := stat.Sys().(*syscall.Stat_t)
	switch {
	case stat.Mode()&os.ModeSocket == 0:
		d.say("socket", broken, "move it away, or set PARLEY_SOCKET", "%s is there and is not a socket", path)
	case owner == nil || int(owner.Uid) != d.uid:
		d.say("socket", broken, "set PARLEY_SOCKET to a place of yours", "%s belongs to another user", path)
	case stat.Mode().Perm()&0o077 != 0:
		d.say("socket", broken, "chmod 600 "+path, "other users can connect to %s (mode %04o)", path, stat.Mode().Perm())
	case !listening(path, d.wait):
		d.say("socket", broken, "rm "+path+" (the next daemon takes it away itself)", "%s is stale: nobody listens, its daemon did not end by itself", path)
	default:
		d.say("socket", good, "", "%s", path)
	}
}

// socketFolder looks at the folder of the socket and reports whether a socket
// can be there.
func (d *doctor) socketFolder(path string) bool {
	dir := filepath.Dir(path)
	if d.socket == "" && d.paths.Private != "" {
		err := config.CheckPrivate(dir, d.uid)
		if err == nil {
			return true
		}
		if !errors.Is(err, fs.ErrNotExist) {
			d.say("socket", broken, "", "%s", err)
			return false
		}
	}
	at := existing(dir)
	if at != dir && at != filepath.Dir(dir) {
		d.say("socket", broken, "make that folder, or set PARLEY_SOCKET", "%s is not there", filepath.Dir(dir))
		return false
	}
	if err := unix.Access(at, unix.W_OK|unix.X_OK); err != nil {
		d.say("socket", broken, "let it be written by you, or set PARLEY_SOCKET", "no socket can be made in %s: %s", at, err)
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
func (d *doctor) daemon(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, d.wait)
	defer cancel()
	conn, err := d.find(ctx)
	switch {
	case errors.Is(err, client.ErrNoDaemon) && d.socket != "":
		d.say("daemon", broken, "parley serve --socket "+d.socket, "none runs on %s", d.socket)
		return
	case errors.Is(err, client.ErrNoDaemon):
		d.say("daemon", good, "", "none runs; the first prompt starts one")
		return
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		d.say("daemon", broken, "look at "+d.paths.Log+"; kill the process that has the socket open", "it takes the connection, but does not answer within %s", d.wait)
		return
	case err != nil:
		d.say("daemon", broken, "look at "+d.paths.Log, "%s", message(err))
		return
	}
	defer conn.Close()
	w := conn.Welcome
	if w.Build != build() {
		d.say("daemon", poor, "parley daemon stop (an idle one is replaced by itself)", "pid %d is of another build: version %s", w.PID, w.Version)
	}
	status, err := client.Ask[command.Daemon](ctx, conn, "", command.Read{What: command.ReadDaemon})
	if err != nil {
		d.say("daemon", broken, "look at "+d.paths.Log+", then: parley daemon stop", "pid %d does not say how it is: %s", w.PID, message(err))
		return
	}
	if _, ours, ok := strings.Cut(d.paths.Store, ":"); ok && ours != "" && status.Store != "" && filepath.Clean(ours) != status.Store {
		d.say("daemon", poor, "parley daemon stop, and the next one takes yours", "it keeps its sessions in %s, and here %s is set", status.Store, ours)
	}
	d.say("daemon", good, "", "pid %d, version %s, since %s; %d clients, %d runs", status.PID, status.Version, when(status.Started), status.Clients, status.Running)
}
