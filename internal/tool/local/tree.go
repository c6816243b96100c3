package local

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"syscall"
	"time"
)

// A command leads a session of its own. What belongs to it is found anew each time by
//
//   - its session and its process group,
//   - the variable PARLEY_CALL in its environment, which a process inherits wherever it goes,
//   - the pipe of the command's output among its open files (Linux),
//   - a parent that belongs to it.
//
// To end a tree, everything found is asked with SIGTERM. What is left after the grace is stopped, again and
// again until a look finds nothing new (what is stopped starts no children), and then killed; then looked
// for once more. setsid, double forks and "env -i" are found so; what is missed is a process that did all
// at once: left the session, lost its environment and the pipes, and outlived each of its parents.
//
// Where no process table can be read, the process group is signalled and nothing else is found.
//
// On Linux processes are read from /proc and signalled by pidfd, so a number that was used again is never
// hit. On macOS they come from sysctl kern.proc.all and kern.procargs2; the environment of Apple's own
// programs is hidden there, so those are found by session, group and parents only.

// process is one line of the process table.
type process struct {
	pid, parent, group, session int
	// born tells a process from a later one with the same number.
	born uint64
	// zombie processes are dead and wait for their parent.
	zombie bool
	name   string
}

func (p process) String() string { return fmt.Sprintf("%d %s", p.pid, p.name) }

type tree struct {
	leader int
	mark   string
	pipes  []string
	grace  time.Duration
	linger time.Duration
	// table reads the process table.
	table func() []process
}

const (
	// look is how long to wait before looking whether processes are gone.
	look = 5 * time.Millisecond
	// giveUp is when a killed process that does not go counts as stuck.
	giveUp = 5 * time.Second
)

// all returns the live processes that belong to the command, itself included.
func (t tree) all() []process {
	table := t.table()
	belongs := map[int]bool{t.leader: true}
	for _, p := range table {
		if p.session == t.leader || p.group == t.leader || marked(p.pid, t.mark) || p.parent != self && holds(p.pid, t.pipes) {
			belongs[p.pid] = true
		}
	}
	delete(belongs, self)
	for grown := true; grown; {
		grown = false
		for _, p := range table {
			if p.pid != self && !belongs[p.pid] && belongs[p.parent] {
				belongs[p.pid], grown = true, true
			}
		}
	}
	return slices.DeleteFunc(table, func(p process) bool { return p.zombie || !belongs[p.pid] })
}

// left returns what still runs in the command's session, which a daemon would have left.
func (t tree) left() []process {
	return slices.DeleteFunc(t.table(), func(p process) bool { return p.zombie || p.session != t.leader || p.pid == self })
}

// hangUp ends what a command that came to its end left in its session, as the end of a terminal does. What
// is about to end by itself gets the time for it.
func (t tree) hangUp(ctx context.Context) (ended, stuck []string) {
	deadline := time.NewTimer(t.linger)
	defer deadline.Stop()
	for {
		rest := t.left()
		if len(rest) == 0 {
			return nil, nil
		}
		select {
		case <-deadline.C:
			for _, p := range rest {
				ended = append(ended, p.String())
			}
			return ended, t.end(t.left)
		case <-ctx.Done():
			return nil, nil
		case <-time.After(look):
		}
	}
}

// end makes find find nothing; it returns what could not be ended.
func (t tree) end(find func() []process) (stuck []string) {
	if len(t.table()) == 0 {
		_ = syscall.Kill(-t.leader, syscall.SIGTERM)
		time.Sleep(t.grace)
		_ = syscall.Kill(-t.leader, syscall.SIGKILL)
		return nil
	}
	rest := find()
	signal(rest, syscall.SIGTERM)
	signal(rest, syscall.SIGCONT)
	for patience := time.Now().Add(t.grace); len(rest) > 0 && time.Now().Before(patience); rest = find() {
		time.Sleep(look)
	}
	stopped := map[process]bool{}
	for deadline := time.Now().Add(giveUp); len(rest) > 0; rest = find() {
		if time.Now().After(deadline) {
			for _, p := range rest {
				stuck = append(stuck, p.String())
			}
			return stuck
		}
		fresh := slices.DeleteFunc(slices.Clone(rest), func(p process) bool { return stopped[p] })
		for _, p := range fresh {
			stopped[p] = true
		}
		if len(fresh) > 0 {
			signal(fresh, syscall.SIGSTOP)
			continue
		}
		signal(rest, syscall.SIGKILL)
		time.Sleep(look)
	}
	return nil
}

// contains looks for an assignment in a block of them, each ended by a zero byte.
func contains(environ []byte, assignment string) bool {
	return bytes.Contains(append([]byte{0}, environ...), []byte("\x00"+assignment+"\x00"))
}
