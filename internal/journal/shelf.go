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
	s := &shelf{disk: d, opt: opt, volumes: make(map[event.SessionID]*volume)}
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

// shelf is the store over any disk. Each open log is there once.
type shelf struct {
	disk    Disk
	opt     Options
	catalog *tape

	mu      sync.Mutex
	volumes map[event.SessionID]*volume
	closed  bool
}

// A volume is a log that somebody opens, holds or closes. Its lock is held while
// its storage is opened or closed, which no other log waits for.
type volume struct {
	mu      sync.Mutex
	tape    *tape
	handles int
	gone    bool // no longer on the shelf
}

func (s *shelf) Path() string { return s.disk.Path() }
func (s *shelf) Catalog() Log {
	return &handle{tape: s.catalog, done: make(chan struct{}), release: func(*tape) error { return nil }}
}

func (s *shelf) read(id event.SessionID, back Backend) (*tape, error) {
	l, err := open(id, back, func() (string, error) { return s.disk.Folder(id) }, s.opt)
	if err != nil {
		return nil, errors.Join(err, back.Close())
	}
	return l, nil
}

// hold locks the volume of id, which it puts on the shelf if need be.
func (s *shelf) hold(id event.SessionID) (*volume, error) {
	for {
		s.mu.Lock()
		if s.closed {
			s.mu.Unlock()
			return nil, command.Faultf(command.Closed, "the store is closed")
		}
		v := s.volumes[id]
		if v == nil {
			v = &volume{}
			s.volumes[id] = v
		}
		s.mu.Unlock()
		v.mu.Lock()
		if !v.gone {
			return v, nil
		}
		v.mu.Unlock()
	}
}

// let unlocks a volume and takes it off the shelf when nobody holds it.
func (s *shelf) let(id event.SessionID, v *volume) {
	if v.tape == nil {
		v.gone = true
		s.mu.Lock()
		if s.volumes[id] == v {
			delete(s.volumes, id)
		}
		s.mu.Unlock()
	}
	v.mu.Unlock()
}

// with opens a log by get unless it is open, and returns a handle on it.
func (s *shelf) with(ctx context.Context, id event.SessionID, fresh bool, get func() (Backend, error)) (Log, error) {
	if err := CheckID(id); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, given(id, err)
	}
	v, err := s.hold(id)
	if err != nil {
		return nil, err
	}
	defer s.let(id, v)
	if v.tape != nil && fresh {
		return nil, exists(id)
	}
	if v.tape == nil {
		back, err := get()
		if err != nil {
			return nil, missing(id, "open", err)
		}
		l, err := s.read(id, back)
		if err != nil {
			return nil, failed(id, "open", err)
		}
		v.tape = l
	}
	v.handles++
	return &handle{tape: v.tape, done: make(chan struct{}), release: func(l *tape) error { return s.release(id, v, l) }}, nil
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
func (s *shelf) release(id event.SessionID, v *volume, l *tape) error {
	v.mu.Lock()
	defer s.let(id, v)
	if v.tape != l {
		return nil // removed, or the store was closed
	}
	if v.handles--; v.handles > 0 {
		return nil
	}
	v.tape = nil
	return l.close()
}

func (s *shelf) Create(ctx context.Context, id event.SessionID) (Log, error) {
	return s.with(ctx, id, true, func() (Backend, error) { return s.disk.Create(id, nil) })
}

func (s *shelf) Branch(ctx context.Context, id event.SessionID, base *transcript.State) (Log, error) {
	if base.Session != "" {
		return nil, command.Faultf(command.Invalid, "the base of %s names session %s", id, base.Session)
	}
	data, err := json.Marshal(base)
	if err != nil {
		return nil, failed(id, "branch", err)
	}
	return s.with(ctx, id, true, func() (Backend, error) { return s.disk.Create(id, data) })
}

func (s *shelf) Open(ctx context.Context, id event.SessionID) (Log, error) {
	return s.with(ctx, id, false, func() (Backend, error) { return s.disk.Open(id) })
}

func (s *shelf) List(ctx context.Context) ([]event.SessionID, error) {
	if err := ctx.Err(); err != nil {
		return nil, given("the sessions", err)
	}
	ids, err := s.disk.List()
	if err != nil {
		return nil, failed("the sessions", "list", err)
	}
	slices.Sort(ids)
	return ids, nil
}

func (s *shelf) Remove(ctx context.Context, id event.SessionID) error {
	if err := CheckID(id); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return given(id, err)
	}
	v, err := s.hold(id)
	if err != nil {
		return err
	}
	defer s.let(id, v)
	if v.tape != nil {
		// What cannot be written is about to be deleted.
		_ = v.tape.close()
		v.tape, v.handles = nil, 0
	}
	return missing(id, "remove", s.disk.Remove(id))
}

func (s *shelf) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	volumes := s.volumes
	s.volumes = nil
	s.mu.Unlock()
	var errs []error
	for id, v := range volumes {
		v.mu.Lock()
		if v.tape != nil {
			if err := v.tape.close(); err != nil {
				errs = append(errs, fmt.Errorf("%s: %w", id, err))
			}
			v.tape = nil
		}
		v.gone = true
		v.mu.Unlock()
	}
	errs = append(errs, s.catalog.close(), s.disk.Close())
	return errors.Join(errs...)
}
