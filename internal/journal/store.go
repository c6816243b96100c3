package journal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"

	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/transcript"
)

// NewStore makes a store of a disk. It opens or makes the catalog, and closes
// the disk where that fails.
func NewStore(d Disk, opt Options) (Store, error) {
	s := &store{disk: d, opt: opt, logs: make(map[event.SessionID]*openLog)}
	back, err := d.Open(CatalogID)
	if errors.Is(err, fs.ErrNotExist) {
		back, err = d.Create(CatalogID, nil)
	}
	if err == nil {
		s.catalog, err = s.read(CatalogID, back)
	}
	if err != nil {
		return nil, errors.Join(failed(CatalogID, "open", err), d.Close())
	}
	return s, nil
}

// store is the Store over any disk. Each open log is in it once.
type store struct {
	disk    Disk
	opt     Options
	catalog *log

	mu     sync.Mutex
	logs   map[event.SessionID]*openLog
	closed bool
}

// An openLog is a log that somebody opens, uses or closes. Its lock is held while
// its storage is opened or closed; no other log waits for that.
type openLog struct {
	mu      sync.Mutex
	log     *log
	handles int
	gone    bool // no longer in the store
}

func (s *store) Path() string { return s.disk.Path() }
func (s *store) Catalog() Log {
	return &handle{log: s.catalog, done: make(chan struct{}), release: func(*log) error { return nil }}
}

func (s *store) read(id event.SessionID, back Backend) (*log, error) {
	l, err := open(id, back, func() (string, error) { return s.disk.Folder(id) }, s.opt)
	if err != nil {
		return nil, errors.Join(err, back.Close())
	}
	return l, nil
}

// lock locks the open log of id, which it adds to the store if need be.
func (s *store) lock(id event.SessionID) (*openLog, error) {
	for {
		s.mu.Lock()
		if s.closed {
			s.mu.Unlock()
			return nil, command.Faultf(command.Closed, "the store is closed")
		}
		v := s.logs[id]
		if v == nil {
			v = &openLog{}
			s.logs[id] = v
		}
		s.mu.Unlock()
		v.mu.Lock()
		if !v.gone {
			return v, nil
		}
		v.mu.Unlock()
	}
}

// unlock unlocks an open log and removes it from the store when it has no handle.
func (s *store) unlock(id event.SessionID, v *openLog) {
	if v.log == nil {
		v.gone = true
		s.mu.Lock()
		if s.logs[id] == v {
			delete(s.logs, id)
		}
		s.mu.Unlock()
	}
	v.mu.Unlock()
}

// obtain opens a log by get unless it is open, and returns a handle on it.
func (s *store) obtain(ctx context.Context, id event.SessionID, fresh bool, get func() (Backend, error)) (Log, error) {
	if err := CheckID(id); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, canceled(id, err)
	}
	v, err := s.lock(id)
	if err != nil {
		return nil, err
	}
	defer s.unlock(id, v)
	if v.log != nil && fresh {
		return nil, exists(id)
	}
	if v.log == nil {
		back, err := get()
		if err != nil {
			return nil, missing(id, "open", err)
		}
		l, err := s.read(id, back)
		if err != nil {
			return nil, failed(id, "open", err)
		}
		v.log = l
	}
	v.handles++
	return &handle{log: v.log, done: make(chan struct{}), release: func(l *log) error { return s.release(id, v, l) }}, nil
}

func exists(id event.SessionID) error {
	return command.Faultf(command.Busy, "session %s exists already", id)
}

// missing is failed, where it may be that the session is not there, or is.
func missing(id event.SessionID, verb string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return command.Faultf(command.NotFound, "no session %s", id)
	case errors.Is(err, fs.ErrExist):
		return exists(id)
	}
	return failed(id, verb, err)
}

// release gives up one handle on l, and closes l with the last.
func (s *store) release(id event.SessionID, v *openLog, l *log) error {
	v.mu.Lock()
	defer s.unlock(id, v)
	if v.log != l {
		return nil // removed, or the store was closed
	}
	if v.handles--; v.handles > 0 {
		return nil
	}
	v.log = nil
	return l.close()
}

func (s *store) Create(ctx context.Context, id event.SessionID) (Log, error) {
	return s.obtain(ctx, id, true, func() (Backend, error) { return s.disk.Create(id, nil) })
}

func (s *store) Branch(ctx context.Context, id event.SessionID, base *transcript.State) (Log, error) {
	if base.Session != "" {
		return nil, command.Faultf(command.Invalid, "the base of %s names session %s", id, base.Session)
	}
	data, err := json.Marshal(base)
	if err != nil {
		return nil, failed(id, "branch", err)
	}
	return s.obtain(ctx, id, true, func() (Backend, error) { return s.disk.Create(id, data) })
}

func (s *store) Open(ctx context.Context, id event.SessionID) (Log, error) {
	return s.obtain(ctx, id, false, func() (Backend, error) { return s.disk.Open(id) })
}

func (s *store) List(ctx context.Context) ([]event.SessionID, error) {
	if err := ctx.Err(); err != nil {
		return nil, canceled("the sessions", err)
	}
	ids, err := s.disk.List()
	if err != nil {
		return nil, failed("the sessions", "list", err)
	}
	slices.Sort(ids)
	return ids, nil
}

func (s *store) Remove(ctx context.Context, id event.SessionID) error {
	if err := CheckID(id); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return canceled(id, err)
	}
	v, err := s.lock(id)
	if err != nil {
		return err
	}
	defer s.unlock(id, v)
	if v.log != nil {
		// What cannot be written is about to be deleted.
		_ = v.log.close()
		v.log, v.handles = nil, 0
	}
	return missing(id, "remove", s.disk.Remove(id))
}

func (s *store) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	logs := s.logs
	s.logs = nil
	s.mu.Unlock()
	var errs []error
	for id, v := range logs {
		v.mu.Lock()
		if v.log != nil {
			if err := v.log.close(); err != nil {
				errs = append(errs, fmt.Errorf("%s: %w", id, err))
			}
			v.log = nil
		}
		v.gone = true
		v.mu.Unlock()
	}
	errs = append(errs, s.catalog.close(), s.disk.Close())
	return errors.Join(errs...)
}
