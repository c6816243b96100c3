package sqlite_test

import (
	"testing"

	"parley/internal/journal"
	"parley/internal/journal/journaltest"
	"parley/internal/journal/sqlite"
)

func open(t testing.TB, dir string, opt journal.Options) journal.Store {
	t.Helper()
	s, err := sqlite.Open(dir, opt)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestJournal(t *testing.T) {
	journaltest.Run(t, journaltest.Child{Open: open, Durable: true})
}
