package repo

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// retired are words of our own that had a better one, and references to papers
// that are not in the repository.
var retired = map[*regexp.Regexp]string{
	regexp.MustCompile(`(?i)\bbreach(es|ed)?\b`):                               "violation",
	regexp.MustCompile(`\b(Block|Call)Grew\b`):                                 "BlockDelta, CallDelta",
	regexp.MustCompile(`(?i)\b(what grew|grew events?|of grew|grew is)\b`):     "delta",
	regexp.MustCompile(`\b(DESIGN|SCREENS)\b|Seed §|seed's|second design`):     "what it says, here or in docs",
	regexp.MustCompile(`\.\./shared\b|/work/(notes|shared|main|wt|\.library)`): "nothing outside the repository",
}

// The repository speaks the field's words, and of nothing that a reader does
// not have.
func TestRetiredWords(t *testing.T) {
	texts := map[string]bool{".go": true, ".md": true, ".txtar": true, ".traffic": true, ".screen": true, ".sh": true}
	read := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == ".git" || d.Name() == ".cache" || d.Name() == "node_modules"):
			return fs.SkipDir
		case d.IsDir() || !texts[filepath.Ext(path)] || d.Name() == "words_test.go" || d.Name() == "CHANGELOG.md":
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		read++
		for word, instead := range retired {
			for _, at := range word.FindAllIndex(text, -1) {
				line := 1 + bytes.Count(text[:at[0]], []byte("\n"))
				t.Errorf("%s:%d: %q: say %s", path, line, text[at[0]:at[1]], instead)
			}
		}
		return nil
	})
	if err != nil || read < 500 {
		t.Fatalf("%d files: %v", read, err)
	}
}
