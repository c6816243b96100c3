package proxy

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"parley/internal/address"
	"parley/internal/host"
)

// Outside is the network as the proxy uses it.
type Outside struct {
	// Resolve finds the addresses of a name.
	Resolve func(ctx context.Context, name string) ([]netip.Addr, error)
	// Dial connects to one address.
	Dial func(ctx context.Context, to netip.AddrPort) (net.Conn, error)
}

// Machine is the network of this machine.
func Machine() Outside {
	dialer := net.Dialer{Timeout: 10 * time.Second}
	return Outside{
		Resolve: func(ctx context.Context, name string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", name)
		},
		Dial: func(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
			return dialer.DialContext(ctx, "tcp", to.String())
		},
	}
}

// The name of the machine's own loopback is not looked up.
const local = "localhost"

var loopback = []netip.Addr{netip.MustParseAddr("127.0.0.1"), netip.IPv6Loopback()}

// Proxy serves commands on any number of listeners.
type Proxy struct {
	outside Outside
	server  http.Server
	mu      sync.Mutex
	tickets map[string]*Ticket
}

// most is how many connections a ticket may have at a time.
const most = 256

// New returns a proxy, which serves nobody yet.
func New(o Outside) *Proxy {
	p := &Proxy{outside: o, tickets: make(map[string]*Ticket)}
	p.server = http.Server{
		Handler: p, ReadHeaderTimeout: time.Minute, IdleTimeout: time.Minute, MaxHeaderBytes: 64 << 10,
		// What commands send wrong is theirs to notice.
		ErrorLog: log.New(io.Discard, "", 0),
	}
	return p
}

// Serve takes connections from l until it or the proxy is closed.
func (p *Proxy) Serve(l net.Listener) { _ = p.server.Serve(l) }

// Close ends every connection and closes every listener.
func (p *Proxy) Close() {
	_ = p.server.Close()
	p.mu.Lock()
	all := p.tickets
	p.tickets = make(map[string]*Ticket)
	p.mu.Unlock()
	for _, t := range all {
		t.Close()
	}
}

// Ask decides about a host that is not listed, while the connection waits; ctx ends with the ticket.
type Ask func(ctx context.Context, h Host) bool

// Admit makes a ticket for hosts. Where ask is nil, what is not listed is refused.
func (p *Proxy) Admit(hosts Hosts, ask Ask) *Ticket {
	ctx, cancel := context.WithCancel(context.Background())
	t := &Ticket{token: rand.Text(), proxy: p, hosts: hosts, ask: ask, ctx: ctx, cancel: cancel, room: make(chan struct{}, most), asked: make(map[Host]*verdict)}
	p.mu.Lock()
	p.tickets[t.token] = t
	p.mu.Unlock()
	return t
}

// ServeHTTP serves one request of a command.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	t := p.ticket(r)
	if t == nil {
		w.Header().Set("Proxy-Authenticate", `Basic realm="the fence"`)
		http.Error(w, "parley: this proxy serves the command whose HTTP_PROXY names it, with what stands before the @", http.StatusProxyAuthRequired)
		return
	}
	if !t.enter() {
		http.Error(w, fmt.Sprintf("parley: a command may have %d connections at a time", most), http.StatusServiceUnavailable)
		return
	}
	defer t.leave()
	if r.Method == http.MethodConnect {
		t.connect(w, r)
		return
	}
	t.forward(w, r)
}

// ticket finds whose request this is.
func (p *Proxy) ticket(r *http.Request) *Ticket {
	kind, code, _ := strings.Cut(r.Header.Get("Proxy-Authorization"), " ")
	text, err := base64.StdEncoding.DecodeString(code)
	if !strings.EqualFold(kind, "basic") || err != nil {
		return nil
	}
	token, _, _ := strings.Cut(string(text), ":")
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.tickets[token]
}

// target reads the host of a request.
func target(s, standard string) (Host, error) {
	name, port, err := net.SplitHostPort(s)
	if err != nil && standard != "" {
		name, port, err = strings.Trim(s, "[]"), standard, nil
	}
	if err != nil {
		return Host{}, fmt.Errorf("%q is no HOST:PORT", s)
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || n == 0 {
		return Host{}, fmt.Errorf("%q has no usable port", s)
	}
	if name, err = host.Name(name); err != nil {
		return Host{}, err
	}
	return Host{name, int(n)}, nil
}

// dial connects to a host that the list has, at an address that it may have.
func (t *Ticket) dial(ctx context.Context, h Host) (net.Conn, error) {
	if !t.permits(ctx, h) {
		return nil, refusal{h, "it is not among the hosts that this command may reach"}
	}
	addresses, err := t.proxy.resolve(ctx, h.Name)
	if err != nil {
		return nil, fmt.Errorf("find %s: %w", h.Name, err)
	}
	var errs []error
	for _, a := range addresses {
		if a = a.Unmap(); !address.Public(a) && !t.hosts.Address(a, h.Port) {
			errs = append(errs, t.refuse(h, fmt.Sprintf("it leads to %s, which is private or local and not listed itself", a)))
			continue
		}
		conn, err := t.proxy.outside.Dial(ctx, netip.AddrPortFrom(a, uint16(h.Port)))
		if err == nil {
			return conn, nil
		}
		errs = append(errs, err)
	}
	if len(errs) == 0 {
		return nil, fmt.Errorf("%s has no address", h.Name)
	}
	return nil, errors.Join(errs...)
}

func (p *Proxy) resolve(ctx context.Context, name string) ([]netip.Addr, error) {
	if a, err := netip.ParseAddr(name); err == nil {
		return []netip.Addr{a}, nil
	}
	if name == local || strings.HasSuffix(name, "."+local) {
		return slices.Clone(loopback), nil
	}
	return p.outside.Resolve(ctx, name)
}

// refusal is an error of ours, not of the network.
type refusal struct {
	host Host
	why  string
}

func (r refusal) Error() string { return fmt.Sprintf("%s: %s", r.host, r.why) }
