package tool

import (
	"crypto/sha256"
	"io/fs"
	"sync"
	"time"
)

// Stamp tells one content of a file from another.
type Stamp struct {
	size int64
	time time.Time
	sum  [sha256.Size]byte
	sure bool // sum is set
}

// StampOf makes the stamp of a file whose whole content is known. A stamp by content survives a touch and
// sees a change within the same tick of the file system's clock.
func StampOf(content []byte) Stamp {
	return Stamp{size: int64(len(content)), sum: sha256.Sum256(content), sure: true}
}

// StampSum is StampOf for a content that was hashed with SHA-256 as it was read.
func StampSum(size int64, sum [sha256.Size]byte) Stamp {
	return Stamp{size: size, sum: sum, sure: true}
}

// StampStat makes the weaker stamp of a file too large to read as a whole: its size and time.
func StampStat(stat fs.FileInfo) Stamp { return Stamp{size: stat.Size(), time: stat.ModTime()} }

// Seen remembers what each file held when a session last read or wrote it, so that a change made by
// someone else in between is noticed before it is overwritten. It is safe for concurrent use; a nil Seen
// remembers nothing.
type Seen struct {
	mu     sync.Mutex
	stamps map[string]Stamp
}

// NewSeen returns an empty memory.
func NewSeen() *Seen { return &Seen{stamps: map[string]Stamp{}} }

// Note remembers what the file at a resolved path holds.
func (s *Seen) Note(path string, stamp Stamp) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stamps[path] = stamp
}

// Stale says that the file was seen and now holds something else. What was never seen is not stale, and
// neither is a file that can only be compared in different ways.
func (s *Seen) Stale(path string, now Stamp) bool {
	if s == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	before, ok := s.stamps[path]
	if !ok {
		return false
	}
	if before.sure && now.sure {
		return before.sum != now.sum
	}
	if before.sure != now.sure {
		return before.size != now.size
	}
	return before.size != now.size || !before.time.Equal(now.time)
}
