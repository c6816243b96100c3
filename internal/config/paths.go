package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Paths are all places that the program uses, absolute. Nothing of them need
// exist.
type Paths struct {
	Config  string // the user's configuration file
	Data    string // folder of what must be kept: sessions, trust, rules
	State   string // folder of what may be lost: the log
	Catalog string // the catalog of models, where it was refreshed
	Store   string // where sessions are kept, as --store takes it
	Log     string // the daemon's log
	Socket  string // the daemon's socket
	// Private is the folder of the socket that must be the user's alone; see
	// [MakePrivate]. It is empty if the user chose the socket's place.
	Private string
	// Debug says that PARLEY_DEBUG asks for checks that cost time.
	Debug bool
}

// NewPaths finds the paths for an environment and a user id, by the XDG base
// directory specification (version 0.8): a relative XDG variable is ignored.
// PARLEY_CONFIG, PARLEY_STORE and PARLEY_SOCKET come before all else.
func NewPaths(env Env, uid int) (Paths, error) {
	var p Paths
	var errs []error
	dir := func(variable string, inHome ...string) string {
		if d := env[variable]; filepath.IsAbs(d) {
			return filepath.Join(d, "parley")
		}
		home := env["HOME"]
		if !filepath.IsAbs(home) {
			errs = append(errs, fmt.Errorf("neither HOME nor %s is an absolute path: set one of them", variable))
			return ""
		}
		return filepath.Join(append(append([]string{home}, inHome...), "parley")...)
	}
	p.Config = env["PARLEY_CONFIG"]
	if p.Config == "" {
		p.Config = filepath.Join(dir("XDG_CONFIG_HOME", ".config"), "config.jsonc")
	} else if !filepath.IsAbs(p.Config) {
		errs = append(errs, fmt.Errorf("PARLEY_CONFIG is %q, which is not an absolute path", p.Config))
	}
	p.Data = dir("XDG_DATA_HOME", ".local", "share")
	p.State = dir("XDG_STATE_HOME", ".local", "state")
	p.Catalog = filepath.Join(p.Data, "models.txt")
	p.Log = filepath.Join(p.State, "daemon.log")
	p.Store = env["PARLEY_STORE"]
	if p.Store == "" {
		p.Store = "sqlite:" + p.Data
	}
	p.Debug = env["PARLEY_DEBUG"] != "" && env["PARLEY_DEBUG"] != "0"
	p.Socket = env["PARLEY_SOCKET"]
	if p.Socket == "" {
		p.Private = runtimeDir(env, uid)
		p.Socket = filepath.Join(p.Private, "parley.sock")
	} else if !filepath.IsAbs(p.Socket) {
		errs = append(errs, fmt.Errorf("PARLEY_SOCKET is %q, which is not an absolute path", p.Socket))
	}
	if err := errors.Join(errs...); err != nil {
		return Paths{}, err
	}
	return p, nil
}

// runtimeDir is the folder of sockets: below XDG_RUNTIME_DIR, or the user's own
// in the folder for temporary files.
func runtimeDir(env Env, uid int) string {
	if d := env["XDG_RUNTIME_DIR"]; filepath.IsAbs(d) {
		return filepath.Join(d, "parley")
	}
	tmp := env["TMPDIR"]
	if !filepath.IsAbs(tmp) {
		tmp = "/tmp"
	}
	return filepath.Join(tmp, "parley-"+strconv.Itoa(uid))
}

// CheckSocket reports whether a socket can have that path: its length in bytes
// and the final NUL must fit into sun_path (unix(7): 108 bytes on Linux, 104
// on macOS).
func CheckSocket(path string) error {
	if strings.ContainsRune(path, 0) {
		return errors.New("socket path: it has a NUL byte in it")
	}
	if len(path) >= maxSocket {
		return fmt.Errorf("socket path: %s is %d bytes long, and %d is the most here: set PARLEY_SOCKET, or XDG_RUNTIME_DIR, to a shorter path",
			path, len(path), maxSocket-1)
	}
	return nil
}

// MakePrivate makes a folder for the user alone, mode 0700, or checks that it
// is one: a real folder and no link, of that user id, and open to nobody else.
// The folder above it must exist.
func MakePrivate(dir string, uid int) error {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return fmt.Errorf("make the folder of the socket, which XDG_RUNTIME_DIR, TMPDIR or PARLEY_SOCKET place elsewhere: %w", err)
	}
	return CheckPrivate(dir, uid)
}

// CheckPrivate is the check of [MakePrivate] alone. The error wraps
// fs.ErrNotExist where there is nothing.
func CheckPrivate(dir string, uid int) error {
	stat, err := os.Lstat(dir)
	if err != nil {
		return fmt.Errorf("look at the folder of the socket: %w", err)
	}
	owner, known := ownerOf(stat)
	switch {
	case stat.Mode()&os.ModeSymlink != 0:
		return fmt.Errorf("%s is a link, which somebody else may have put there: remove it, or set PARLEY_SOCKET", dir)
	case !stat.IsDir():
		return fmt.Errorf("%s is not a folder: remove it, or set PARLEY_SOCKET", dir)
	case !known || owner != uid:
		return fmt.Errorf("%s belongs to the user id %d, not to you (%d): set PARLEY_SOCKET", dir, owner, uid)
	case stat.Mode().Perm()&0o077 != 0:
		return fmt.Errorf("%s is open to other users (mode %04o): chmod 700 %s", dir, stat.Mode().Perm(), dir)
	}
	return nil
}
