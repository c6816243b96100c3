package sqlite_test

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"testing"

	"parley/internal/event"
	"parley/internal/event/eventtest"
	"parley/internal/journal"
	"parley/test/need"
)

// What a log takes while it is open and nothing happens.
func BenchmarkIdle(b *testing.B) {
	rss := func() float64 {
		runtime.GC()
		debug.FreeOSMemory()
		data, err := os.ReadFile("/proc/self/statm")
		need.No(b, err)
		var size, resident int
		if _, err := fmt.Sscan(string(data), &size, &resident); err != nil {
			b.Fatal(err)
		}
		return float64(resident * os.Getpagesize())
	}
	const n = 200
	for b.Loop() {
		s := open(b, b.TempDir(), journal.Options{})
		logs := make([]journal.Log, n)
		before := rss()
		for i := range logs {
			l, err := s.Create(ctx, event.SessionID(fmt.Sprintf("sess-%d", i)))
			if err != nil {
				b.Fatal(err)
			}
			put(b, l, eventtest.Run()...)
			logs[i] = l
		}
		b.ReportMetric((rss()-before)/n/1024, "KiB/log")
		runtime.KeepAlive(logs)
		s.Close()
	}
}
