package journal

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"parley/internal/command"
)

// Dir is the folder "files" of the session.
func (l *log) Dir() string {
	dir, _ := l.sub("files")
	return dir
}

// sub returns a folder of the session, with an error where it is not there.
func (l *log) sub(name string) (string, error) {
	dir, err := l.folder()
	if err == nil {
		dir = filepath.Join(dir, name)
		err = os.MkdirAll(dir, 0o700)
	}
	return dir, failed(l.id, "make the folder of", err)
}

// PutBlob writes under another name first, so that a blob is whole or not there.
func (l *log) PutBlob(ctx context.Context, r io.Reader) (sum, path string, size int64, err error) {
	dir, err := l.sub("blobs")
	if err != nil {
		return "", "", 0, err
	}
	sum, size, err = l.putBlob(ctx, dir, r)
	if err != nil {
		return "", "", 0, failed(l.id, "keep a file in", err)
	}
	return sum, filepath.Join(dir, sum), size, nil
}

func (l *log) putBlob(ctx context.Context, dir string, r io.Reader) (sum string, size int64, err error) {
	f, err := os.CreateTemp(dir, ".new-*")
	if err != nil {
		return "", 0, err
	}
	defer func() {
		f.Close()
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	h := sha256.New()
	if size, err = io.Copy(io.MultiWriter(f, h), &reading{ctx, r}); err != nil {
		return "", 0, err
	}
	sum = hex.EncodeToString(h.Sum(nil))
	path := filepath.Join(dir, sum)
	if _, err := os.Stat(path); err == nil {
		return sum, size, os.Remove(f.Name())
	}
	if err = f.Sync(); err != nil {
		return "", 0, err
	}
	if err = l.opt.Reach(PointBlob); err != nil {
		return "", 0, err
	}
	if err = os.Rename(f.Name(), path); err != nil {
		return "", 0, err
	}
	return sum, size, syncDir(dir)
}

// reading stops a copy when its context ends.
type reading struct {
	ctx context.Context
	r   io.Reader
}

func (r *reading) Read(b []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.r.Read(b)
}

// syncDir makes the names in a folder durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// BlobPath accepts nothing but a digest, so no path can be made of it.
func (l *log) BlobPath(sum string) (string, error) {
	if b, err := hex.DecodeString(sum); err != nil || len(b) != sha256.Size || hex.EncodeToString(b) != sum {
		return "", command.Faultf(command.Invalid, "%.80q is not a SHA-256", sum)
	}
	dir, err := l.folder()
	if err != nil {
		return "", failed(l.id, "read a file of", err)
	}
	path := filepath.Join(dir, "blobs", sum)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return "", command.Faultf(command.NotFound, "%s has no file %s", l.id, sum)
	} else if err != nil {
		return "", failed(l.id, "read a file of", fmt.Errorf("blob %s: %w", sum, err))
	}
	return path, nil
}
