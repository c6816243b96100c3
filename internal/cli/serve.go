package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/oklog/ulid/v2"
	"github.com/spf13/cobra"

	"parley/internal/agent"
	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/journal"
	"parley/internal/journal/memory"
	"parley/internal/journal/sqlite"
	"parley/internal/runtime"
	"parley/internal/scarce"
	"parley/internal/server"
	"parley/internal/session"
	"parley/internal/transport"
	"parley/internal/transport/unix"
	"parley/internal/wire"
	"parley/internal/wire/native"
)

// serveOptions are the flags that a daemon is started with.
type serveOptions struct {
	listen  []string
	store   string
	model   string
	allow   []string
	deny    []string
	auto    bool // started by a client: leaves when idle
	workdir string
	nous    *nousFlags // of the drop-in entry; nil: none
}

func (a *app) serve() *cobra.Command {
	var o serveOptions
	c := &cobra.Command{
		Use:   "serve",
		Short: "Run the daemon",
		Long: `Run the daemon in the foreground. It always listens on the native socket; --listen adds others,
each DIALECT+TRANSPORT:ADDRESS, such as nous+unix:/tmp/core.sock. Clients in a container or
behind the fence are refused, unless the address ends in ?peer=any.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return a.daemonize(c.Context(), o) },
	}
	f := c.Flags()
	f.StringArrayVar(&o.listen, "listen", nil, "also listen on DIALECT+TRANSPORT:ADDRESS (repeatable)")
	f.StringVar(&o.store, "store", "", "where sessions are kept: sqlite:`PATH` or memory:")
	f.StringVar(&o.model, "model", "", "`MODEL` where a client names none: as for run")
	f.StringArrayVar(&o.allow, "allow", nil, "permission `RULE` of listeners whose clients cannot be asked (repeatable)")
	f.StringArrayVar(&o.deny, "deny", nil, "permission `RULE` that refuses (repeatable)")
	f.StringVar(&o.workdir, "workdir", "", "workspace of clients that have none")
	f.BoolVar(&o.auto, "auto", false, "leave when idle, as a daemon does that a client started")
	if err := f.MarkHidden("auto"); err != nil {
		panic(err)
	}
	return c
}

// daemonize runs the daemon until a signal or a client ends it.
func (a *app) daemonize(ctx context.Context, o serveOptions) error {
	ctx, cancel := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer cancel()
	if o.auto {
		if err := a.takeSecrets(); err != nil {
			return err
		}
	}
	logger, closeLog, err := openLog(a.paths.Log, a.paths.Debug)
	if err != nil {
		return err
	}
	defer closeLog()
	where, socket := cmp.Or(o.store, a.paths.Store), cmp.Or(a.socket, a.paths.Socket)
	var store journal.Store
	if o.auto {
		store, err = acquireStore(ctx, where, socket)
	} else {
		store, err = openStore(where)
	}
	if err != nil || store == nil {
		return err
	}
	defer store.Close()
	resolving, err := a.resolving(o)
	if err != nil {
		return err
	}
	resolving.Private = []string{store.Path()}
	resolver := runtime.New(resolving)
	defer resolver.Close()
	d := &daemon{dir: resolving.Dir, store: store, logger: logger, cancel: cancel}
	if err := d.listen(a, o); err != nil {
		return err
	}
	defer d.close()
	d.server, err = server.New(ctx, server.Options{
		Store: store, Version: version, Build: build(), Listen: d.addresses(), Logger: logger, Prepare: resolver.Prepare,
		Models: resolver.Models, Tools: resolver.Tools, Summarize: agent.Summarize, Commands: o.commands(), Idle: a.idle(o), Leave: cancel,
		Busy: resolver.Busy, Removed: resolver.Forget, Fence: runtime.Fence,
	})
	if err != nil {
		return err
	}
	logger.Info("serving", "pid", os.Getpid(), "version", version, "store", store.Path(), "listen", d.addresses())
	if o.auto {
		if err := detach(); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(a.err, "parley %s serves %s on %s\n", version, store.Path(), strings.Join(d.addresses(), ", "))
	}
	d.serve(ctx)
	logger.Info("left")
	return nil
}

// resolving is what the daemon's runs are resolved with.
func (a *app) resolving(o serveOptions) (runtime.Options, error) {
	with := runtime.Options{Env: a.env, Dir: a.dir, Paths: a.paths, Model: o.model, Allow: o.allow, Deny: o.deny, Tools: a.tools, Providers: a.providers, Now: a.now}
	if o.demo() {
		with.Tools = append(with.Tools, echoTool())
	}
	if o.workdir == "" {
		return with, nil
	}
	var err error
	with.Dir, err = filepath.Abs(o.workdir)
	return with, err
}

func (o serveOptions) demo() bool { return o.nous != nil && o.nous.demo }

// commands are what clients can call by name.
func (o serveOptions) commands() map[string]func(context.Context, []byte) ([]byte, error) {
	if !o.demo() {
		return nil
	}
	return map[string]func(context.Context, []byte) ([]byte, error){"echo": echoCommand}
}

// idle is after how long without work a daemon leaves; 0: never.
func (a *app) idle(o serveOptions) time.Duration {
	if !o.auto {
		return 0
	}
	if cfg, _, err := a.loadConfig(); err == nil && cfg.Daemon.Idle > 0 {
		return time.Duration(cfg.Daemon.Idle)
	}
	return 30 * time.Minute
}

// openStore opens sqlite:PATH, a plain path, or memory:.
func openStore(where string) (journal.Store, error) {
	kind, path, ok := strings.Cut(where, ":")
	switch {
	case !ok:
		kind, path = "sqlite", where
	case kind == "memory":
		return memory.New(journal.Options{}), nil
	}
	if kind != "sqlite" || path == "" {
		return nil, usage("--store %s: it is sqlite:PATH or memory:", where)
	}
	store, err := sqlite.Open(path, journal.Options{})
	var held *journal.Held
	if errors.As(err, &held) {
		return nil, exit{1, held}
	}
	return store, err
}

// daemon is the listeners of a server.
type daemon struct {
	dir       string // of clients that have none
	store     journal.Store
	server    *server.Server
	logger    *slog.Logger
	cancel    context.CancelFunc
	listeners []listener
	open      atomic.Int64 // connections
	cache     wire.Cache
}

type listener struct {
	transport.Listener
	dialect *wire.Dialect
	client  session.Client               // what holds where a client says nothing of itself
	host    func(*server.Host) wire.Host // nil: the server's own
	timeout time.Duration                // of an answer; 0: none
}

// listen opens every socket before anything is served, so that a mistake in one
// leaves nothing behind.
func (d *daemon) listen(a *app, o serveOptions) (err error) {
	defer func() {
		if err != nil {
			d.close()
		}
	}()
	socket := a.paths.Socket
	if a.socket != "" {
		socket = a.socket
	}
	where := []unix.Option{unix.Refused(d.refused)}
	if a.socket != "" {
		where = append(where, unix.Shared) // its place was chosen
	}
	l, err := unix.Listen(socket, transport.Lines{}, where...)
	if err != nil {
		return exit{1, fmt.Errorf("listen on %s: %w", socket, scarce.Explain(err))}
	}
	local := session.Client{Env: nil, Cwd: d.dir}
	d.listeners = append(d.listeners, listener{Listener: l, dialect: &native.Dialect, client: local})
	if o.nous != nil {
		more, err := listenNous(o.nous.socket, local, o.nous.timeout, unix.Refused(d.refused))
		if err != nil {
			return err
		}
		d.listeners = append(d.listeners, more...)
	}
	for _, spec := range o.listen {
		more, err := a.listenOn(spec, local, unix.Refused(d.refused))
		if err != nil {
			return err
		}
		d.listeners = append(d.listeners, more...)
	}
	if path := d.store.Path(); path != "" {
		if err := journal.Announce(path, journal.Holder{PID: os.Getpid(), Version: version, Listen: d.addresses()}); err != nil {
			// Who tries the store is told less; nobody is harmed.
			d.logger.Error("announce", "error", err)
		}
	}
	return nil
}

func (d *daemon) addresses() []string {
	out := make([]string, len(d.listeners))
	for i, l := range d.listeners {
		out[i] = l.dialect.Name + "+" + l.Addr()
	}
	return out
}

func (d *daemon) close() {
	for _, l := range d.listeners {
		if err := l.Close(); err != nil {
			d.logger.Error("close listener", "addr", l.Addr(), "error", err)
		}
	}
}

// serve takes connections in until ctx ends, then lets the pumps say goodbye.
func (d *daemon) serve(ctx context.Context) {
	var accepts, pumps sync.WaitGroup
	// Connections outlive the end of the runs, so that clients see it.
	lasting, hangUp := context.WithCancel(context.WithoutCancel(ctx))
	defer hangUp()
	for _, l := range d.listeners {
		accepts.Go(func() {
			for {
				conn, err := l.Accept(ctx)
				if err != nil && conn == nil {
					if ctx.Err() == nil {
						d.logger.Error("accept", "addr", l.Addr(), "error", err)
						d.cancel()
					}
					return
				}
				pumps.Go(func() { d.pump(lasting, l, conn, d.admit(err)) })
			}
		})
	}
	<-ctx.Done()
	d.close()
	accepts.Wait()
	d.server.Close()
	hangUp()
	pumps.Wait()
}

// admit counts a connection, and says why it is one too many: half of the files that the daemon may have open are kept for
// sessions and tools, so that those who are connected go on. The error is that of accepting it.
func (d *daemon) admit(err error) *command.Fault {
	n, most := d.open.Add(1), int64(mayOpen()/2)
	if err != nil {
		return command.Faultf(command.Limit, "the daemon cannot take a connection: %s", scarce.Words(err))
	}
	if n > most {
		return command.Faultf(command.Limit, "the daemon has %d connections open, and takes no more: close other clients, or raise its limit of open files (ulimit -n %d) and start it anew", n-1, mayOpen())
	}
	return nil
}

// mayOpen is how many files this process may have open at once.
func mayOpen() uint64 {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return math.MaxInt32
	}
	return min(uint64(limit.Cur), math.MaxInt32)
}

// helloTimeout is how long a connection may say nothing at first. Programs say
// hello at once; a person who types it by hand has time.
const helloTimeout = time.Minute

func (d *daemon) pump(ctx context.Context, l listener, conn transport.Conn, refused *command.Fault) {
	defer d.open.Add(-1)
	host := d.server.Host(l.client)
	defer host.Close()
	var seen wire.Host = host
	if l.host != nil {
		seen = l.host(host)
	}
	p := wire.Pump{Dialect: l.dialect, Host: seen, Refused: refused, Hello: helloTimeout, Deadline: l.timeout, Conn: conn, Client: event.ClientID("c-" + strings.ToLower(ulid.Make().String())), Cache: &d.cache, Log: d.logger}
	if err := p.Run(ctx); err != nil && ctx.Err() == nil {
		d.logger.Info("connection ended", "dialect", l.dialect.Name, "error", err)
	}
}

// listenOn opens what --listen names.
func (a *app) listenOn(spec string, local session.Client, options ...unix.Option) ([]listener, error) {
	kind, address, ok := strings.Cut(spec, ":")
	dialect, carrier, plus := strings.Cut(kind, "+")
	if !ok || !plus || address == "" {
		return nil, usage("--listen %s: it is DIALECT+TRANSPORT:ADDRESS, such as nous+unix:/tmp/core.sock", spec)
	}
	open := a.dialects[dialect].listen
	if open == nil || carrier != "unix" {
		return nil, usage("--listen %s: no such dialect or transport; there are %s", spec, strings.Join(a.listenable(), ", "))
	}
	if path, ok := strings.CutSuffix(address, anyPeer); ok {
		address = path
		options = append(options, unix.Contained)
		fmt.Fprintf(a.err, "parley: %s serves clients in containers too, and commands in a fence with them: those get out by it\n", path)
	}
	return open(address, local, options...)
}

// anyPeer at the end of an address lets clients in that are in a container.
const anyPeer = "?peer=any"

// refused writes down why somebody was not served.
func (d *daemon) refused(err error) { d.logger.Warn("refused", "error", err) }
