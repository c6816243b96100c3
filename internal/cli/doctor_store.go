package cli

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

	"parley/internal/journal"
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
func (d *doctor) storage() {
	kind, path, ok := strings.Cut(d.paths.Store, ":")
	switch {
	case !ok:
		path = d.paths.Store
	case kind == "memory":
		d.say("store", good, "", "in memory: sessions end with the daemon")
		return
	case kind != "sqlite" || path == "":
		d.say("store", broken, "PARLEY_STORE is sqlite:PATH or memory:", "%q is no store", d.paths.Store)
		return
	}
	stat, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		above := existing(path)
		if err := unix.Access(above, unix.W_OK|unix.X_OK); err != nil {
			d.say("store", broken, "let "+above+" be written, or set PARLEY_STORE", "%s cannot be made: %s: %s", path, above, err)
			return
		}
		d.say("store", good, "", "%s will be made when it is needed", path)
		d.disk(above)
	case err != nil:
		d.say("store", broken, "set PARLEY_STORE to a folder of yours", "%s: %s", path, reason(err))
	case !stat.IsDir():
		d.say("store", broken, "move it away, or set PARLEY_STORE", "%s is not a folder", path)
	default:
		d.existingStore(path)
	}
	d.logFile()
}

// existing is the nearest folder upwards that is there.
func existing(path string) string {
	for at := filepath.Clean(path); ; at = filepath.Dir(at) {
		if stat, err := os.Stat(at); err == nil && stat.IsDir() || at == filepath.Dir(at) {
			return at
		}
	}
}

func (d *doctor) existingStore(path string) {
	holder, held, err := journal.HolderOf(path)
	state := "nobody has it open"
	if held {
		state = fmt.Sprintf("pid %d has it open", holder.PID)
		if len(holder.Listen) > 0 {
			state += " and listens on " + strings.Join(holder.Listen, ", ")
		}
	}
	full, wrote := d.disk(path), writable(path)
	switch {
	case err != nil:
		d.say("store", broken, "", "who has %s open is not known: %s", path, reason(err))
	case wrote != nil && full && errors.Is(wrote, syscall.ENOSPC):
	case wrote != nil:
		d.say("store", broken, "let it be written by you (chown, chmod, remount), or set PARLEY_STORE", "%s cannot be written: %s", path, reason(wrote))
	default:
		d.say("store", good, "", "%s; %s", path, state)
	}
	sessions := filepath.Join(path, "sessions")
	if stat, err := os.Stat(sessions); err == nil && stat.Mode().Perm()&0o077 != 0 {
		d.say("store", poor, "chmod 700 "+sessions, "other users can read your sessions (mode %04o)", stat.Mode().Perm())
	}
	d.sessionFiles(sessions, held)
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
func (d *doctor) disk(path string) (full bool) {
	s, err := d.space(path)
	switch left := size(s.free); {
	case err != nil:
		d.say("disk", poor, "", "%s", reason(err))
	case s.free < diskFull:
		d.say("disk", broken, "make room, or move the store: PARLEY_STORE", "the disk of %s is full: %s left", path, left)
		return true
	case s.countsFiles && s.files < filesLow:
		d.say("disk", broken, "remove files, or move the store: PARLEY_STORE", "the disk of %s takes no more than %d files", path, s.files)
		return true
	case s.free < diskLow:
		d.say("disk", poor, "make room", "the disk of %s has %s left", path, left)
	default:
		d.say("disk", good, "", "%s left", left)
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
func (d *doctor) sessionFiles(dir string, held bool) {
	const most = 20
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil {
		d.say("sessions", broken, "", "%s", reason(err))
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
		if err == nil && d.deep {
			err = quickCheck(file)
		}
		if err == nil {
			continue
		}
		if damaged++; damaged <= most {
			d.say("sessions", broken, "take it from a backup, or: parley sessions rm "+e.Name(), "%s: %s", file, err)
		}
	}
	how := "whose files look well"
	if d.deep {
		how = "whose files are well"
	}
	switch {
	case damaged > most:
		d.say("sessions", broken, "", "and %d more of %d", damaged-most, count)
	case damaged == 0:
		d.say("sessions", good, "", "%d, %s", count, how)
	}
}

// header reports whether a file is not the whole SQLite file that it says it is
// (https://www.sqlite.org/fileformat2.html, section 1.3). The daemon may be
// making a file that is in use longer.
func header(path string, inUse bool) error {
	f, err := os.Open(path)
	if err != nil {
		return errors.New(reason(err))
	}
	defer f.Close()
	stat, err := f.Stat()
	if err != nil {
		return errors.New(reason(err))
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
func (d *doctor) logFile() {
	dir := existing(filepath.Dir(d.paths.Log))
	if err := unix.Access(dir, unix.W_OK|unix.X_OK); err != nil {
		d.say("log", poor, "let "+dir+" be written, or set XDG_STATE_HOME", "%s cannot be written: %s; the daemon runs without a log", d.paths.Log, err)
		return
	}
	d.say("log", good, "", "%s", d.paths.Log)
}
