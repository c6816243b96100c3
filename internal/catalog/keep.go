package catalog

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// mostBytes is the size of a file that is read. The embedded one has a twentieth of it.
const mostBytes = 2 << 20

// Load returns the catalog to use: the one in the file where that is whole and newer than the embedded one, or else the
// embedded one. word says, for people, why a file that is there is not used because it is damaged.
func Load(path string) (c *Catalog, word string) {
	text, err := read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Embedded(), ""
	}
	var kept *Catalog
	if err == nil {
		if kept, err = Open(text); err == nil {
			err = kept.Check()
		}
	}
	switch {
	case err != nil:
		return Embedded(), fmt.Sprintf("the catalog of models in %s cannot be used (%v); the built-in one of %s is. "+
			"`parley models --refresh` writes it anew", path, err, Embedded().Dated.Format(time.DateOnly))
	case !kept.Dated.After(Embedded().Dated):
		return Embedded(), ""
	}
	return kept, ""
}

func read(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, mostBytes+1))
	if err == nil && len(text) > mostBytes {
		err = fmt.Errorf("it is larger than %d bytes", mostBytes)
	}
	return string(text), err
}

// Save writes a data file where [Load] finds it: as a whole or not at all, readable by its owner alone.
func Save(path, text string) error {
	c, err := Open(text)
	if err == nil {
		err = c.Check()
	}
	if err != nil {
		return fmt.Errorf("save catalog: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("save catalog: %w", err)
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.tmp") // mode 0600
	if err != nil {
		return fmt.Errorf("save catalog: %w", err)
	}
	_, err = io.WriteString(f, text)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("save catalog: %w", err), os.Remove(f.Name()))
	}
	return nil
}
