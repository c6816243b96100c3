package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"parley/test/rig"
)

// cpu is the processor time that a process has used, by the scheduler's own
// count of its threads in nanoseconds (Documentation/scheduler/sched-stats).
// Threads that are gone are not in it; a Go program keeps its threads.
func cpu(pid int) (time.Duration, error) {
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	if err != nil || len(tasks) == 0 {
		return 0, errors.Join(fmt.Errorf("no processor time of pid %d: Linux only", pid), err)
	}
	var sum int64
	for _, task := range tasks {
		text, err := os.ReadFile(task)
		if err != nil {
			continue // the thread ended just now
		}
		ns, err := strconv.ParseInt(strings.Fields(string(text))[0], 10, 64)
		if err != nil {
			return 0, err
		}
		sum += ns
	}
	return time.Duration(sum), nil
}

// spent runs f and returns what time and what of a process's time it took.
func spent(pid int, f func() error) (wall, used time.Duration, err error) {
	before, err := cpu(pid)
	if err != nil {
		return 0, 0, err
	}
	begin := time.Now()
	if err := f(); err != nil {
		return 0, 0, err
	}
	wall = time.Since(begin)
	after, err := cpu(pid)
	return wall, after - before, err
}

// pss is the proportional set size of a process: what it has alone and its part
// of what it shares (proc_pid_smaps_rollup), in bytes.
func pss(pid int) (int64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		return 0, err
	}
	kib, err := strconv.ParseInt(strings.TrimSuffix(field(string(text), "Pss"), " kB"), 10, 64)
	return kib << 10, err
}

// A scale looks at processes every few milliseconds until it is stopped.
type scale struct {
	pids []int
	peak []int64
	stop chan struct{}
	done sync.WaitGroup
}

// every is how often a scale looks. A look takes the lock of the process's
// memory map, so nothing is timed meanwhile.
const every = 2 * time.Millisecond

func weigh(pids ...int) *scale {
	s := &scale{pids: pids, peak: make([]int64, len(pids)), stop: make(chan struct{})}
	s.done.Go(func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			for i, pid := range s.pids {
				// A process that has ended has no memory.
				n, _ := pss(pid)
				s.peak[i] = max(s.peak[i], n)
			}
			select {
			case <-tick.C:
			case <-s.stop:
				return
			}
		}
	})
	return s
}

func (s *scale) end() []int64 {
	close(s.stop)
	s.done.Wait()
	return s.peak
}

// resident is the most that a process ever had resident, what it shares counted
// whole: an upper bound of its proportional set size.
func resident(pid int) float64 {
	n, err := rig.Peak(pid)
	if err != nil {
		return 0
	}
	return float64(n)
}
