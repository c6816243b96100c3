package nous_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley/internal/agent"
	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/journal"
	"parley/internal/journal/memory"
	"parley/internal/llm/script"
	"parley/internal/permission"
	"parley/internal/server"
	"parley/internal/session"
	"parley/internal/tool"
	"parley/internal/tool/glob"
	"parley/internal/tool/local"
	"parley/internal/tool/ls"
	"parley/internal/tool/read"
	"parley/internal/transcript"
	"parley/internal/transport"
	"parley/internal/transport/unix"
	"parley/internal/wire"
	"parley/internal/wire/nous"
	"parley/internal/workspace"
)

// daemon is a whole daemon but for its model: a store in memory, sessions, real
// tools in a real folder, the family, both sockets.
type daemon struct {
	t        testing.TB
	path     string // of the command socket
	dir      string // the workspace
	gate     chan struct{}
	told     chan struct{} // a connection that is told of every run is so from here
	contract contract
	stop     func()
	store    journal.Store
}

// A wait is what the sessions of a daemon wait by. A held prompt waits for a
// client that connects: at most for a moment, or for as long as that takes.
type wait func(time.Duration) <-chan time.Time

func forNobody(time.Duration) <-chan time.Time {
	over := make(chan time.Time)
	close(over)
	return over
}

func forClient(time.Duration) <-chan time.Time { return nil }

func start(t testing.TB, lines string) *daemon {
	t.Helper()
	return startOn(t, memory.New(journal.Options{}), forNobody, lines)
}

func startOn(t testing.TB, store journal.Store, wait wait, lines string) *daemon {
	t.Helper()
	base, err := os.MkdirTemp("", "n") // a socket's path is short
	if err != nil {
		t.Fatal(err)
	}
	d := &daemon{t: t, path: filepath.Join(base, "sock"), dir: t.TempDir(), gate: make(chan struct{}), told: make(chan struct{}), contract: document(t), store: store}
	model, err := script.Parse("test.ndjson", strings.NewReader(lines))
	if err != nil {
		t.Fatal(err)
	}
	root, err := workspace.Open(d.dir)
	if err != nil {
		t.Fatal(err)
	}
	tools := tool.NewSet(read.New(), ls.New(), glob.New(), d.gateTool())
	prepare := func(context.Context, journal.Log, *transcript.State, session.Client, command.Prompt) (*agent.Setup, *command.Fault) {
		setup := &agent.Setup{Model: model, Provider: "script", ModelName: "test", ContextLimit: 128000, Tools: tools, Steps: 20, Repeats: 5,
			World: local.World(local.Options{Root: root, Seen: tool.NewSeen()})}
		for _, r := range []string{"gate", "read", "ls", "glob"} {
			setup.Policy = setup.Policy.With(permission.Scoped{Rule: agent.Grammar(tools).MustRule(r), Effect: permission.EffectAllow, Scope: permission.ScopeFlag})
		}
		return setup, nil
	}
	srv, err := server.New(t.Context(), server.Options{Store: d.store, Prepare: prepare, Wait: wait,
		Tools: func(*transcript.State) []command.ToolEntry {
			return []command.ToolEntry{{Name: "read"}, {Name: "ls"}, {Name: "glob"}, {Name: "gate"}}
		},
		Commands: map[string]func(context.Context, []byte) ([]byte, error){"echo": echo}})
	if err != nil {
		t.Fatal(err)
	}
	d.serve(srv, base)
	return d
}

func echo(_ context.Context, arguments []byte) ([]byte, error) {
	var a struct{ Text string }
	if err := json.Unmarshal(arguments, &a); err != nil {
		return nil, err
	}
	return json.Marshal(map[string]string{"echo": a.Text})
}

// gateTool waits until the test lets it go.
func (d *daemon) gateTool() tool.Tool {
	return tool.Definition[struct{}]{
		Spec:    tool.Spec{Name: "gate", Description: "waits", Schema: json.RawMessage(`{"type":"object","properties":{}}`)},
		Targets: func(tool.World, struct{}) (tool.Targets, error) { return tool.Targets{}, nil },
		Run: func(ctx context.Context, _ tool.World, _ tool.Call, _ struct{}, _ tool.Grow) tool.Result {
			select {
			case <-ctx.Done():
				return tool.Result{Status: tool.Aborted, Text: "stopped at the gate"}
			case d.gate <- struct{}{}:
				return tool.Result{Status: tool.Success, Text: "through the gate"}
			}
		},
	}.Tool()
}

// A subscriber says when it has begun to follow the catalog. The protocol has no
// word for that.
type subscriber struct {
	wire.Host
	told chan struct{}
}

func (s subscriber) Catalog(ctx context.Context) ([]command.Listing, iter.Seq2[event.Event, error]) {
	listings, events := s.Host.Catalog(ctx)
	select {
	case s.told <- struct{}{}:
	case <-ctx.Done():
	}
	return listings, events
}

// serve opens both sockets and gives each connection its pump.
func (d *daemon) serve(srv *server.Server, base string) {
	d.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	family, cache := nous.NewFamily("nous"), new(wire.Cache)
	var n atomic.Int64
	var running sync.WaitGroup
	for path, dialect := range map[string]*wire.Dialect{d.path: &nous.Commands, d.path + ".events": &nous.Events} {
		l, err := unix.Listen(path, transport.Lines{Max: 1 << 20}, unix.Shared)
		if err != nil {
			d.t.Fatal(err)
		}
		running.Go(func() {
			defer l.Close()
			for {
				conn, err := l.Accept(ctx)
				if err != nil {
					return
				}
				running.Go(func() {
					host := srv.Host(session.Client{Cwd: d.dir})
					defer host.Close()
					p := &wire.Pump{Dialect: dialect, Host: subscriber{family.Host(host), d.told}, Conn: conn, Client: event.ClientID(fmt.Sprintf("c%d", n.Add(1))), Cache: cache}
					_ = p.Run(ctx)
				})
			}
		})
	}
	d.stop = sync.OnceFunc(func() {
		cancel()
		srv.Close()
		running.Wait()
		os.RemoveAll(base)
	})
	d.t.Cleanup(d.stop)
}

// testTimeout is how long a test waits for what must come.
const testTimeout = 5 * time.Minute

// conn is a connection to one of the sockets.
type conn struct {
	t testing.TB
	d *daemon
	c net.Conn
	r *bufio.Reader

	open map[string]int // events: what was started and not ended
}

func (d *daemon) dial(suffix string) *conn {
	d.t.Helper()
	c, err := net.Dial("unix", d.path+suffix)
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { c.Close() })
	if err := c.SetDeadline(time.Now().Add(testTimeout)); err != nil {
		d.t.Fatal(err)
	}
	if suffix != "" {
		<-d.told
	}
	return &conn{d.t, d, c, bufio.NewReader(c), make(map[string]int)}
}

// line reads one line, which keeps the contract.
func (c *conn) line() map[string]any {
	c.t.Helper()
	b, err := c.r.ReadBytes('\n')
	if err != nil {
		c.t.Fatalf("read: %v", err)
	}
	if err := c.d.contract.line(b); err != nil {
		c.t.Errorf("%v in %s", err, b)
	}
	var m map[string]any
	if err := json.Unmarshal(b, &m); err != nil {
		c.t.Fatal(err)
	}
	return m
}

func (c *conn) send(kind, payload string) {
	c.t.Helper()
	if _, err := fmt.Fprintf(c.c, `{"v":"1","id":"%s-1","type":"%s","payload":%s}`+"\n", kind, kind, payload); err != nil {
		c.t.Fatal(err)
	}
}

// ask sends a command on a connection of its own, as the protocol's clients do,
// and returns the payload of its answer.
func (d *daemon) ask(kind, payload string) map[string]any {
	d.t.Helper()
	m := d.try(kind, payload)
	if m["ok"] != true {
		d.t.Fatalf("%s %s: %v", kind, payload, m)
	}
	return m["payload"].(map[string]any)
}

func (d *daemon) try(kind, payload string) map[string]any {
	d.t.Helper()
	c := d.dial("")
	defer c.c.Close()
	c.send(kind, payload)
	return c.line()
}

// event reads an event and checks its place in the life of its run: updates
// inside, one start and one end.
func (c *conn) event() (kind string, payload map[string]any) {
	c.t.Helper()
	m := c.line()
	kind, p := m["type"].(string), m["payload"].(map[string]any)
	key := fmt.Sprint(" ", p["run_id"], p["turn_id"], p["message_id"], p["tool_call_id"])
	switch what, stage, _ := strings.Cut(kind, "_"); {
	case kind == "status" || kind == "warning" || kind == "error":
	case strings.HasSuffix(stage, "start"):
		if c.open[what+key]++; c.open[what+key] != 1 {
			c.t.Errorf("started twice: %v", m)
		}
	case c.open[what+key] != 1:
		c.t.Errorf("%v, which is not open", m)
	case strings.HasSuffix(stage, "end"):
		delete(c.open, what+key)
	}
	return kind, p
}

// until reads events up to one that reads so.
func (c *conn) until(want string) {
	c.t.Helper()
	for kind, p := c.event(); short(kind, p) != want; {
		kind, p = c.event()
	}
}

// eventsOf reads events until that run has ended. Then nothing is open. In how many
// pieces a text comes is nobody's to know.
func (c *conn) eventsOf(run string) []string {
	c.t.Helper()
	var out []string
	for {
		kind, p := c.event()
		if last := len(out) - 1; kind == "message_update" && last >= 0 && strings.HasPrefix(out[last], kind) {
			out[last] += p["delta"].(string)
		} else {
			out = append(out, short(kind, p))
		}
		if kind == "agent_end" && p["run_id"] == run {
			break
		}
	}
	if len(c.open) > 0 {
		c.t.Errorf("open after %s: %v", run, c.open)
	}
	return out
}

// short is an event in a few words.
func short(kind string, p map[string]any) string {
	words := []string{kind}
	for _, key := range []string{"role", "tool_name", "delta", "code", "message", "cause"} {
		if v, ok := p[key]; ok {
			words = append(words, fmt.Sprint(v))
		}
	}
	if kind == "turn_start" || kind == "turn_end" {
		words = append(words, fmt.Sprint(p["turn_id"]))
	}
	if kind == "agent_start" || kind == "agent_end" {
		words = append(words, fmt.Sprint(p["run_id"]))
	}
	return strings.Join(words, " ")
}
