package doctor

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
	_ "modernc.org/sqlite" // the driver of quickCheck

	"parley/internal/config"
	"parley/internal/journal"
	"parley/internal/regular"
)

// space is what a file system has left for this user, in bytes and in files.
type space struct {
	free        uint64
	files       uint64
	countsFiles bool // some file systems have no limit
}

func diskSpace(path string) (space, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(path, &s); err != nil {
		return space{}, &fs.PathError{Op: "statfs", Path: path, Err: err}
	}
	return space{free: uint64(s.Bavail) * uint64(s.Bsize), files: uint64(s.Ffree), countsFiles: s.Files > 0}, nil
}

// With less than diskFull a run cannot be recorded to its end; below diskLow it
// is time to clear up. A long session with its outputs is some 20 MiB.
const (
	diskFull = 16 << 20
	diskLow  = 256 << 20
	filesLow = 100
)

// storage looks at the folder of the sessions, and at the daemon's log.
func (x *examination) storage() {
	kind, path, ok := strings.Cut(x.Paths.Store, ":")
	switch {
	case !ok:
		path = x.Paths.Store
	case kind == "memory":
		x.say("store", Good, "", "in memory: sessions end with the daemon")
		return
	case kind != "sqlite" || path == "":
		x.say("store", Broken, "PARLEY_STORE is sqlite:PATH or memory:", "%q is no store", x.Paths.Store)
		return
	}
	stat, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		above := existing(path)
		if err := unix.Access(above, unix.W_OK|unix.X_OK); err != nil {
			x.say("store", Broken, "let "+above+" be written, or set PARLEY_STORE", "%s cannot be made: %s: %s", path, above, err)
			return
		}
		x.say("store", Good, "", "%s will be made when it is needed", path)
		x.disk(above)
	case err != nil:
		x.say("store", Broken, "set PARLEY_STORE to a folder of yours", "%s: %s", path, config.Reason(err))
	case !stat.IsDir():
		x.say("store", Broken, "move it away, or set PARLEY_STORE", "%s is not a folder", path)
	default:
		x.existingStore(path)
	}
	x.logFile()
}

// existing is the nearest folder upwards that is there.
func existing(path string) string {
	for at := filepath.Clean(path); ; at = filepath.Dir(at) {
		if stat, err := os.Stat(at); err == nil && stat.IsDir() || at == filepath.Dir(at) {
			return at
		}
	}
}

func (x *examination) existingStore(path string) {
	holder, held, err := journal.HolderOf(path)
	state := "nobody has it open"
	if held {
		state = fmt.Sprintf("pid %d has it open", holder.PID)
		if len(holder.Listen) > 0 {
			state += " and listens on " + strings.Join(holder.Listen, ", ")
		}
	}
	full, wrote := x.disk(path), writable(path)
	switch {
	case err != nil:
		x.say("store", Broken, "", "who has %s open is not known: %s", path, config.Reason(err))
	case wrote != nil && full && errors.Is(wrote, syscall.ENOSPC):
	case wrote != nil:
		x.say("store", Broken, "let it be written by you (chown, chmod, remount), or set PARLEY_STORE", "%s cannot be written: %s", path, config.Reason(wrote))
	default:
		x.say("store", Good, "", "%s; %s", path, state)
	}
	sessions := filepath.Join(path, "sessions")
	if stat, err := os.Stat(sessions); err == nil && stat.Mode().Perm()&0o077 != 0 {
		x.say("store", Poor, "chmod 700 "+sessions, "other users can read your sessions (mode %04o)", stat.Mode().Perm())
	}
	x.sessionFiles(sessions, held)
}

// writable tries to write a file, and takes it away again.
func writable(dir string) (err error) {
	f, err := os.CreateTemp(dir, ".doctor-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.Remove(f.Name())) }()
	_, err = f.Write(make([]byte, 4096))
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// disk looks at what the disk has left, and reports whether that is too little.
func (x *examination) disk(path string) (full bool) {
	s, err := x.space(path)
	switch left := size(s.free); {
	case err != nil:
		x.say("disk", Poor, "", "%s", config.Reason(err))
	case s.free < diskFull:
		x.say("disk", Broken, "make room, or move the store: PARLEY_STORE", "the disk of %s is full: %s left", path, left)
		return true
	case s.countsFiles && s.files < filesLow:
		x.say("disk", Broken, "remove files, or move the store: PARLEY_STORE", "the disk of %s takes no more than %d files", path, s.files)
		return true
	case s.free < diskLow:
		x.say("disk", Poor, "make room", "the disk of %s has %s left", path, left)
	default:
		x.say("disk", Good, "", "%s left", left)
	}
	return false
}

// size is a number of bytes as people say it.
func size(n uint64) string {
	if n < 1024 {
		return fmt.Sprintf("%d bytes", n)
	}
	unit := "KiB"
	value := float64(n) / 1024
	for _, next := range []string{"MiB", "GiB", "TiB"} {
		if value < 1024 {
			break
		}
		unit, value = next, value/1024
	}
	if value < 10 {
		return fmt.Sprintf("%.1f %s", value, unit)
	}
	return fmt.Sprintf("%.0f %s", value, unit)
}

// sessionFiles looks at each session's file: at its header, or with --deep at
// all of it.
func (x *examination) sessionFiles(dir string, held bool) {
	const most = 20
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil {
		x.say("sessions", Broken, "", "%s", config.Reason(err))
		return
	}
	count, damaged := 0, 0
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			continue // what a crash left; the daemon clears it away
		}
		count++
		file := filepath.Join(dir, e.Name(), "log.db")
		err := header(file, held)
		if err == nil && x.Deep {
			err = quickCheck(file)
		}
		if err == nil {
			continue
		}
		if damaged++; damaged <= most {
			x.say("sessions", Broken, "take it from a backup, or: parley sessions rm "+e.Name(), "%s: %s", file, err)
		}
	}
	how := "whose files look well"
	if x.Deep {
		how = "whose files are well"
	}
	switch {
	case damaged > most:
		x.say("sessions", Broken, "", "and %d more of %d", damaged-most, count)
	case damaged == 0:
		x.say("sessions", Good, "", "%d, %s", count, how)
	}
}

// header reports whether a file is shorter than the SQLite file that its header
// describes (https://www.sqlite.org/fileformat2.html, section 1.3). A file that is in
// use may be growing.
func header(path string, inUse bool) error {
	f, err := regular.Open(path)
	if err != nil {
		return errors.New(config.Reason(err))
	}
	defer f.Close()
	stat, err := f.Stat()
	if err != nil {
		return errors.New(config.Reason(err))
	}
	head := make([]byte, 100)
	if _, err := f.ReadAt(head, 0); err != nil || !bytes.HasPrefix(head, []byte("SQLite format 3\x00")) {
		return errors.New("damaged: it is not a SQLite file")
	}
	page := int64(binary.BigEndian.Uint16(head[16:]))
	if page == 1 {
		page = 65536
	}
	if page < 512 || page&(page-1) != 0 {
		return errors.New("damaged: its header is not that of a SQLite file")
	}
	pages := int64(binary.BigEndian.Uint32(head[28:]))
	if !inUse && (stat.Size()%page != 0 || stat.Size() < pages*page) {
		return fmt.Errorf("damaged: it has %d bytes of %d", stat.Size(), pages*page)
	}
	return nil
}

// quickCheck lets SQLite read a file whole. It writes nothing, also beside a
// daemon that has the file open.
func quickCheck(path string) error {
	q := url.Values{"mode": {"ro"}, "_pragma": {"busy_timeout(2000)", "query_only(1)"}}
	if _, err := os.Stat(path + "-wal"); errors.Is(err, fs.ErrNotExist) {
		// Without this, a file of write-ahead logging gets a -wal and a -shm.
		q.Set("immutable", "1")
	}
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?"+q.Encode())
	if err != nil {
		return err
	}
	defer db.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var said string
	if err := db.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&said); err != nil {
		return fmt.Errorf("damaged: %w", err)
	}
	if said != "ok" {
		return errors.New("damaged: " + said)
	}
	return nil
}

// logFile looks at the place of the daemon's log, which it can do without.
func (x *examination) logFile() {
	dir := existing(filepath.Dir(x.Paths.Log))
	if err := unix.Access(dir, unix.W_OK|unix.X_OK); err != nil {
		x.say("log", Poor, "let "+dir+" be written, or set XDG_STATE_HOME", "%s cannot be written: %s; the daemon runs without a log", x.Paths.Log, err)
		return
	}
	x.say("log", Good, "", "%s", x.Paths.Log)
}
