package memory_test

import (
	"testing"

	"parley/internal/journal"
	"parley/internal/journal/journaltest"
	"parley/internal/journal/memory"
)

func TestJournal(t *testing.T) {
	journaltest.Run(t, journaltest.Child{
		Open: func(_ testing.TB, _ string, opt journal.Options) journal.Store { return memory.New(opt) },
	})
}
