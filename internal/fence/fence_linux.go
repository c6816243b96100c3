package fence

import (
	"errors"
	"os"
	"runtime"
	"slices"
	"sync"
	"time"

	"parley/internal/fence/filter"
	"parley/internal/fence/inside"
	"parley/internal/fence/proxy"
)

// Fence is what the commands of one session run in. It is safe for concurrent use; what it needs it starts
// with the first command.
type Fence struct {
	options Options
	proxy   *proxy.Proxy

	mu     sync.Mutex
	rooms  map[bool]*room  // by whether its network is its own
	told   map[string]bool // of what each command would say again
	active int
	rest   *time.Timer // until the rooms are closed; nil: none was needed
	closed bool
	busy   sync.WaitGroup // commands, and preparations for further ones
}

// New returns a fence. It has to be closed.
func New(o Options) *Fence {
	o = o.complete()
	return &Fence{options: o, proxy: proxy.New(o.Outside), rooms: make(map[bool]*room), told: make(map[string]bool)}
}

// Close ends every command in the fence, and returns when nothing is left of them.
func (f *Fence) Close() {
	f.mu.Lock()
	f.closed = true
	if f.rest != nil {
		f.rest.Stop()
	}
	f.leave()
	f.mu.Unlock()
	f.busy.Wait()
	f.proxy.Close()
}

// hold keeps Close waiting until busy is done.
func (f *Fence) hold() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return false
	}
	if f.rest != nil {
		f.rest.Stop()
	}
	f.active++
	f.busy.Add(1)
	return true
}

// release ends what hold began. Where nothing is left, the rooms are given up after a while: each is a
// process.
func (f *Fence) release() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.active--; f.active == 0 && !f.closed {
		f.rest = time.AfterFunc(f.options.Rest, func() {
			f.mu.Lock()
			defer f.mu.Unlock()
			if f.active == 0 {
				f.leave()
			}
		})
	}
	f.busy.Done()
}

// leave ends the rooms. The next command gets another.
func (f *Fence) leave() {
	for _, r := range f.rooms {
		r.close()
	}
	clear(f.rooms)
}

// once leaves out what was told of an earlier command of the session.
func (f *Fence) once(list []string) []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	list = slices.DeleteFunc(list, func(s string) bool { return f.told[s] })
	for _, s := range list {
		f.told[s] = true
	}
	return list
}

// Start starts a command in a full fence. The error is a [*StepError] where the fence could not be made,
// and otherwise the system's about the program itself. A command never starts with less than its profile
// asks for.
func (f *Fence) Start(c Command, p Profile) (*Run, error) {
	if !f.hold() {
		return nil, ErrClosed
	}
	run, err := f.start(c, p, false)
	if err != nil {
		f.release()
		return nil, err
	}
	go func() {
		defer f.release()
		run.attend()
		run.close()
	}()
	return run, nil
}

// Probe makes a fence for nothing and takes it down again.
func (f *Fence) Probe(p Profile) error {
	run, err := f.start(Command{Path: "/", Dir: "/"}, p, true)
	if err != nil {
		return err
	}
	run.attend()
	run.close()
	return nil
}

func (f *Fence) start(c Command, p Profile, probe bool) (*Run, error) {
	t, err := follow(p)
	if err != nil {
		return nil, err
	}
	run, err := f.enter(c, p, t, probe)
	if err != nil {
		t.end(nil)
		t.close(true)
		return nil, err
	}
	return run, nil
}

// enter has a first process build the fence and start the command.
func (f *Fence) enter(c Command, p Profile, t *trace, probe bool) (*Run, error) {
	own := !p.Network.Open
	room, first, err := f.first(own)
	if err != nil {
		return nil, err
	}
	run := &Run{fence: f, room: room, first: first, trace: t, reader: newReader(c.Dir, t.plan), done: make(chan struct{})}
	order, err := f.order(c, p, t)
	if err != nil {
		run.abandon()
		return nil, err
	}
	var out []string
	if own {
		run.ticket = f.proxy.Admit(p.Network.Hosts, p.Network.Ask)
		out = way(room.port, run.ticket.Token())
	}
	order.Probe, order.Env = probe, environ(c.Env, p.Env, out)
	if err := run.enter(order, c); err != nil {
		run.abandon()
		return nil, err
	}
	return run, nil
}

// first returns a first process that waits for its order, and its room.
func (f *Fence) first(own bool) (*room, *first, error) {
	r, err := f.room(own, nil)
	if err != nil {
		return nil, nil, err
	}
	p, err := r.take()
	if err == nil || errors.As(err, new(*StepError)) {
		return r, p, err
	}
	// The room was killed, say for memory: a new one is as good.
	if r, err = f.room(own, r); err != nil {
		return nil, nil, err
	}
	p, err = r.take()
	return r, p, err
}

// room returns the room for a kind of network, another one than stale, which does not answer.
func (f *Fence) room(own bool, stale *room) (*room, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return nil, ErrClosed
	}
	r := f.rooms[own]
	if r != nil && r != stale {
		return r, nil
	}
	if r != nil {
		r.close()
		delete(f.rooms, own)
	}
	r, err := openRoom(own, f.proxy)
	if err != nil {
		return nil, err
	}
	f.rooms[own] = r
	return r, nil
}

// order writes down what a first process does.
func (f *Fence) order(c Command, p Profile, t *trace) (inside.Order, error) {
	arch := filter.Arch(runtime.GOARCH)
	program, err := filter.Program(arch, true)
	if err != nil || program == nil {
		return inside.Order{}, &StepError{Step: "set the list of system calls", Reason: "there is none for " + runtime.GOARCH, Err: err}
	}
	order := inside.Order{
		UID: os.Getuid(), GID: os.Getgid(), Mounts: t.plan.mounts, Forbid: t.plan.forbid,
		Path: c.Path, Args: c.Args, Dir: c.Dir,
		Processes: p.Processes, Filter: filter.Pack(program), Linger: f.options.Linger, Grace: f.options.Grace,
	}
	if order.Processes == 0 {
		order.Processes = defaultProcesses
	}
	for _, row := range filter.Rows {
		if row.Telling() {
			order.Telling = append(order.Telling, row.Number(arch))
		}
	}
	if p.Network.Open {
		// Sockets without a path belong to the network, which is the machine's here.
		order.Scopes = inside.ScopeSockets
	}
	return order, nil
}
