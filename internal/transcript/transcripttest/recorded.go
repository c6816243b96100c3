package transcripttest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"parley/internal/event"
)

// recordings are where logs are kept, below the module's root.
var recordings = []string{"internal/display/testdata/scenario", "internal/tui/testdata/sessions"}

// Recorded returns every log that is kept in the repository, by folder and name.
func Recorded() (map[string][]event.Event, error) {
	root, err := moduleRoot()
	if err != nil {
		return nil, err
	}
	out := make(map[string][]event.Event)
	for _, dir := range recordings {
		files, err := filepath.Glob(filepath.Join(root, dir, "*.jsonl"))
		if err == nil && len(files) == 0 {
			err = fmt.Errorf("no logs in %s", dir)
		}
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			log, err := read(file)
			if err != nil {
				return nil, err
			}
			out[filepath.Base(dir)+"/"+strings.TrimSuffix(filepath.Base(file), ".jsonl")] = log
		}
	}
	return out, nil
}

func read(file string) ([]event.Event, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var log []event.Event
	for line := range bytes.Lines(bytes.TrimSpace(text)) {
		e, err := event.Decode(line)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		log = append(log, e)
	}
	return log, nil
}

// moduleRoot is the folder of go.mod, above the package that is tested.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", fmt.Errorf("no go.mod above the working folder")
		}
		dir = up
	}
}
