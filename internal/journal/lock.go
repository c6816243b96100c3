package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"parley/internal/command"
	"parley/internal/regular"
)

// Holder is who has a store open, as it says in the store's lock file.
type Holder struct {
	PID     int      `json:"pid"`
	Version string   `json:"version,omitempty"`
	Listen  []string `json:"listen,omitempty"` // where it can be reached
}

// Held is the error of opening a store that another process, or this one, has
// open. It holds a command.Fault busy.
type Held struct {
	Path   string
	Holder Holder // with pid 0 where it has not said yet
}

// Error says who holds the store and where it listens.
func (h *Held) Error() string {
	text := fmt.Sprintf("the store %s is in use by another daemon", h.Path)
	if h.Holder.PID != 0 {
		text = fmt.Sprintf("the store %s is in use by pid %d", h.Path, h.Holder.PID)
	}
	if len(h.Holder.Listen) > 0 {
		text += ", which listens on " + strings.Join(h.Holder.Listen, ", ")
	}
	return text
}

// Unwrap gives the Fault.
func (h *Held) Unwrap() error { return command.Faultf(command.Busy, "%s", h.Error()) }

// A Lock is the ownership of a store's folder. The system gives it up with the
// process, however that ends; the file stays.
type Lock struct{ f *os.File }

func lockPath(store string) string { return filepath.Join(store, "lock") }

// Acquire takes the lock of a store, whose folder exists, without waiting; a
// [*Held] where somebody has it.
func Acquire(store string) (*Lock, error) {
	f, err := os.OpenFile(lockPath(store), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	err = flock(f, syscall.LOCK_EX)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		h, _ := readHolder(f)
		return nil, errors.Join(&Held{store, h}, f.Close())
	}
	if err == nil {
		err = writeHolder(f, Holder{PID: os.Getpid()})
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lock %s: %w", store, err), f.Close())
	}
	return &Lock{f}, nil
}

func flock(f *os.File, how int) error {
	for {
		if err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB); err != syscall.EINTR {
			return err
		}
	}
}

// Release gives the store up. Closing the file alone would leave it locked for as
// long as a child that is being started has a copy of it.
func (l *Lock) Release() error {
	return errors.Join(flock(l.f, syscall.LOCK_UN), l.f.Close())
}

// Announce writes who holds a store. Only its holder may call it.
func Announce(store string, h Holder) error {
	f, err := os.OpenFile(lockPath(store), os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(writeHolder(f, h), f.Close())
}

// HolderOf reads who holds a store; false where nobody does.
func HolderOf(store string) (Holder, bool, error) {
	f, err := regular.Open(lockPath(store))
	if errors.Is(err, os.ErrNotExist) {
		return Holder{}, false, nil
	} else if err != nil {
		return Holder{}, false, err
	}
	defer f.Close()
	switch err := flock(f, syscall.LOCK_SH); {
	case err == nil:
		return Holder{}, false, nil
	case !errors.Is(err, syscall.EWOULDBLOCK):
		return Holder{}, false, err
	}
	h, err := readHolder(f)
	return h, true, err
}

// writeHolder writes before it cuts, so that a reader finds a whole value.
func writeHolder(f *os.File, h Holder) error {
	data, err := json.Marshal(h)
	if err != nil {
		return err
	}
	if _, err := f.WriteAt(append(data, '\n'), 0); err != nil {
		return err
	}
	return f.Truncate(int64(len(data) + 1))
}

func readHolder(f *os.File) (Holder, error) {
	var h Holder
	err := json.NewDecoder(io.NewSectionReader(f, 0, 64<<10)).Decode(&h)
	return h, err
}
