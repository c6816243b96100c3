package cli

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
)

// How much of the daemon's log is kept.
const (
	logSize  = 10 << 20
	logFiles = 3
)

// openLog opens the daemon's log. A folder that cannot be written to is no
// reason not to serve: the log is then lost.
func openLog(path string, debug bool) (*slog.Logger, func(), error) {
	level := slog.LevelInfo
	if debug {
		level = slog.LevelDebug
	}
	options := &slog.HandlerOptions{Level: level}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return slog.New(slog.NewJSONHandler(io.Discard, options)), func() {}, nil
	}
	r := &rotating{path: path}
	if err := r.open(); err != nil {
		return slog.New(slog.NewJSONHandler(io.Discard, options)), func() {}, nil
	}
	return slog.New(slog.NewJSONHandler(r, options)), func() { r.file.Close() }, nil
}

// rotating is a file that begins anew when it is large; a few old ones stay.
type rotating struct {
	path string
	mu   sync.Mutex
	file *os.File
	size int64
}

func (r *rotating) open() error {
	file, err := os.OpenFile(r.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	info, err := file.Stat()
	if err != nil {
		return err
	}
	r.file, r.size = file, info.Size()
	return nil
}

func (r *rotating) Write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.size+int64(len(b)) > logSize {
		r.file.Close()
		for i := logFiles - 1; i > 0; i-- {
			from := r.path
			if i > 1 {
				from = fmt.Sprintf("%s.%d", r.path, i-1)
			}
			// A file that is not there yet cannot be moved.
			_ = os.Rename(from, fmt.Sprintf("%s.%d", r.path, i))
		}
		if err := r.open(); err != nil {
			return 0, err
		}
	}
	n, err := r.file.Write(b)
	r.size += int64(n)
	return n, err
}
