package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"parley/internal/event"
	"parley/internal/journal"
	"parley/internal/scarce"
)

// Open opens the store in a folder, which it makes where it is missing. The
// error is a *journal.Held where another process has it open.
func Open(path string, opt journal.Options) (journal.Store, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	sessions := filepath.Join(path, "sessions")
	if err := os.MkdirAll(sessions, 0o700); err != nil {
		return nil, fmt.Errorf("open the store %s: %w", path, scarce.Explain(err))
	}
	lock, err := journal.Acquire(path)
	if err != nil {
		return nil, scarce.Explain(err)
	}
	d := &disk{path: path, sessions: sessions, opt: opt, lock: lock}
	if err := d.tidy(); err != nil {
		return nil, errors.Join(fmt.Errorf("open the store %s: %w", path, scarce.Explain(err)), lock.Release())
	}
	return journal.NewStore(d, opt)
}

type disk struct {
	path     string
	sessions string
	opt      journal.Options
	lock     *journal.Lock
}

func (d *disk) Path() string { return d.path }
func (d *disk) Close() error { return d.lock.Release() }

// tidy deletes what a crash left of sessions that never were or are no more, and
// sets aside a catalog that cannot be read, which is made anew.
func (d *disk) tidy() error {
	names, err := os.ReadDir(d.sessions)
	if err != nil {
		return err
	}
	for _, n := range names {
		if strings.HasPrefix(n.Name(), ".") {
			if err := os.RemoveAll(filepath.Join(d.sessions, n.Name())); err != nil {
				return err
			}
		}
	}
	catalog := d.folder(journal.CatalogID)
	back, err := d.Open(journal.CatalogID)
	if errors.Is(err, fs.ErrNotExist) {
		return os.RemoveAll(catalog)
	}
	if err == nil {
		_, err = back.Load()
		err = errors.Join(err, back.Close())
	}
	if !errors.Is(err, journal.ErrDamaged) {
		return err
	}
	aside := catalog + ".damaged"
	return errors.Join(os.RemoveAll(aside), os.Rename(catalog, aside))
}

func (d *disk) folder(id event.SessionID) string {
	if id == journal.CatalogID {
		return filepath.Join(d.path, "catalog")
	}
	return filepath.Join(d.sessions, string(id))
}

func (d *disk) Folder(id event.SessionID) (string, error) { return d.folder(id), nil }

// Create makes the whole folder under another name and then renames it, which
// fails where there is one.
func (d *disk) Create(id event.SessionID, base []byte) (journal.Backend, error) {
	empty, err := template()
	if err != nil {
		return nil, err
	}
	folder := d.folder(id)
	fresh, err := os.MkdirTemp(d.sessions, ".new-")
	if err != nil {
		return nil, err
	}
	err = writeFile(filepath.Join(fresh, "log.db"), empty)
	if err == nil && base != nil {
		err = writeFile(filepath.Join(fresh, "base.json"), base)
	}
	if err == nil {
		err = syncFolder(fresh)
	}
	if err == nil {
		err = d.opt.Reach(journal.PointCreate)
	}
	if err == nil {
		err = os.Rename(fresh, folder)
	}
	if err != nil {
		if errors.Is(err, syscall.ENOTEMPTY) {
			err = fs.ErrExist
		}
		return nil, errors.Join(err, os.RemoveAll(fresh))
	}
	if err := syncFolder(filepath.Dir(folder)); err != nil {
		return nil, err
	}
	return d.Open(id)
}

func writeFile(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// syncFolder makes the names in a folder durable.
func syncFolder(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

func (d *disk) Open(id event.SessionID) (journal.Backend, error) {
	folder := d.folder(id)
	file := filepath.Join(folder, "log.db")
	// SQLite would make the file that is missing.
	switch _, err := os.Stat(file); {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Stat(folder); err == nil && id != journal.CatalogID {
			return nil, fmt.Errorf("%w: %s is missing", journal.ErrDamaged, file)
		}
		return nil, fs.ErrNotExist
	case err != nil:
		return nil, err
	}
	return openFile(file, filepath.Join(folder, "base.json"), d.opt)
}

func (d *disk) List() ([]event.SessionID, error) {
	names, err := os.ReadDir(d.sessions)
	if err != nil {
		return nil, err
	}
	var ids []event.SessionID
	for _, n := range names {
		if id := event.SessionID(n.Name()); n.IsDir() && journal.CheckID(id) == nil {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// Remove takes the folder's name away first, so that half a session is never
// found.
func (d *disk) Remove(id event.SessionID) error {
	gone := filepath.Join(d.sessions, ".gone-"+string(id))
	if err := os.RemoveAll(gone); err != nil {
		return err
	}
	if err := os.Rename(d.folder(id), gone); err != nil {
		return err
	}
	return errors.Join(syncFolder(d.sessions), os.RemoveAll(gone))
}

// template is the file of an empty log. Making it once is what makes a new
// session cheap.
var template = sync.OnceValues(func() ([]byte, error) {
	c, err := dial(memory)
	if err != nil {
		return nil, err
	}
	defer c.close()
	if err := c.script(schema); err != nil {
		return nil, err
	}
	data, err := c.Conn.(interface{ Serialize() ([]byte, error) }).Serialize()
	if err != nil {
		return nil, err
	}
	// File format versions 2 and 2: write-ahead logging (sqlite.org/fileformat2.html, 1.3.3).
	data[18], data[19] = 2, 2
	return data, nil
})
