package proxy_test

import (
	"bufio"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"parley/internal/fence/proxy"
)

func TestMain(m *testing.M) {
	// The server waits half a second for whoever was told an error to read it.
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("net/http.(*conn).closeWriteAndWait"))
}

// web is a network in memory: names have addresses, addresses have servers.
type web struct {
	mu     sync.Mutex
	names  map[string][]string
	dialed []string
	serve  func(to string, c net.Conn)
}

func (w *web) outside() proxy.Outside {
	return proxy.Outside{
		Resolve: func(_ context.Context, name string) ([]netip.Addr, error) {
			w.mu.Lock()
			defer w.mu.Unlock()
			list := w.names[name]
			if list == nil {
				return nil, errors.New("no such name")
			}
			var out []netip.Addr
			for _, a := range list {
				out = append(out, netip.MustParseAddr(a))
			}
			return out, nil
		},
		Dial: func(_ context.Context, to netip.AddrPort) (net.Conn, error) {
			w.mu.Lock()
			w.dialed = append(w.dialed, to.String())
			w.mu.Unlock()
			near, far := net.Pipe()
			go w.serve(to.String(), far)
			return near, nil
		},
	}
}

// greet says which server was reached, then echoes.
func greet(to string, c net.Conn) {
	defer c.Close()
	fmt.Fprintf(c, "here is %s\n", to)
	io.Copy(c, c)
}

// open starts a proxy and returns its address.
func open(t *testing.T, w *web) (*proxy.Proxy, string) {
	t.Helper()
	if w.serve == nil {
		w.serve = greet
	}
	p := proxy.New(w.outside())
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go p.Serve(l)
	t.Cleanup(p.Close)
	return p, l.Addr().String()
}

func hosts(t testing.TB, list ...string) proxy.Hosts {
	t.Helper()
	h, err := proxy.ParseHosts(list)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// ask sends a request's head and returns the connection with the answer's first line.
func ask(t *testing.T, proxy, head string) (net.Conn, *bufio.Reader, string) {
	t.Helper()
	c, err := net.Dial("tcp", proxy)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	io.WriteString(c, strings.ReplaceAll(head, "\n", "\r\n")+"\r\n\r\n")
	r := bufio.NewReader(c)
	line, _ := r.ReadString('\n')
	return c, r, strings.TrimSpace(line)
}

func basic(token string) string {
	return "\nProxy-Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte(token+":"))
}

// What is connected to is listed, at an address that may be connected to; all else is refused and named.
func TestConnect(t *testing.T) {
	w := &web{names: map[string][]string{
		"ok.test": {"1.1.1.1"}, "sub.ok.test": {"1.1.1.2"}, "private.test": {"10.1.2.3"}, "mixed.test": {"127.0.0.1", "::1", "1.1.1.3"},
		"mapped.test": {"::ffff:127.0.0.1"}, "meta.test": {"169.254.169.254"}, "other.test": {"1.1.1.4"}, "corp.test": {"10.9.9.9"},
	}}
	p, address := open(t, w)
	ticket := p.Admit(hosts(t, "ok.test", "*.ok.test:8443", "private.test", "mixed.test", "mapped.test", "meta.test", "corp.test", "10.9.0.0/16", "localhost:3000", "1.0.0.1:*", "gone.test"), nil)
	for _, tt := range []struct{ to, status, reached string }{
		{"ok.test:443", "200", "1.1.1.1:443"}, {"OK.Test.:80", "200", "1.1.1.1:80"}, {"ok.test:22", "403", ""},
		{"sub.ok.test:8443", "200", "1.1.1.2:8443"}, {"sub.ok.test:443", "403", ""}, {"xok.test:8443", "403", ""}, {"ok.test.evil:443", "403", ""},
		{"private.test:443", "403", ""}, {"mapped.test:443", "403", ""}, {"meta.test:80", "403", ""}, {"mixed.test:443", "200", "1.1.1.3:443"},
		{"other.test:443", "403", ""}, {"corp.test:443", "200", "10.9.9.9:443"}, {"10.9.1.1:443", "200", "10.9.1.1:443"}, {"10.8.1.1:443", "403", ""},
		{"localhost:3000", "200", "127.0.0.1:3000"}, {"localhost:3001", "403", ""}, {"127.0.0.1:3000", "200", "127.0.0.1:3000"}, {"[::1]:3000", "200", "[::1]:3000"},
		{"[::ffff:127.0.0.1]:3000", "200", "127.0.0.1:3000"}, {"127.0.0.2:3000", "403", ""}, {"1.0.0.1:22", "200", "1.0.0.1:22"},
		{"gone.test:443", "502", ""}, {"ok.test", "400", ""}, {"ok.test:0", "400", ""}, {"ok.test:99999", "400", ""}, {"ok.test@evil:443", "400", ""}, {"ök.test:443", "400", ""},
		{"0177.0.0.1:3000", "200", "127.0.0.1:3000"}, {"2130706433:3001", "403", ""},
	} {
		w.dialed = nil
		_, r, line := ask(t, address, "CONNECT "+tt.to+" HTTP/1.1\nHost: "+tt.to+basic(ticket.Token()))
		if !strings.HasPrefix(line, "HTTP/1.1 "+tt.status) {
			t.Errorf("%s: %q, want %s", tt.to, line, tt.status)
			continue
		}
		if tt.reached == "" {
			if len(w.dialed) > 0 {
				t.Errorf("%s: dialed %q", tt.to, w.dialed)
			}
			continue
		}
		_, _ = r.ReadString('\n')
		if said, _ := r.ReadString('\n'); said != "here is "+tt.reached+"\n" {
			t.Errorf("%s: %q", tt.to, said)
		}
	}
	ticket.Close()
	var refused []string
	for _, h := range ticket.Refused() {
		refused = append(refused, h.String())
	}
	want := strings.Fields("ok.test:22 sub.ok.test:443 xok.test:8443 ok.test.evil:443 private.test:443 mapped.test:443 meta.test:80 mixed.test:443 other.test:443 10.8.1.1:443 localhost:3001 127.0.0.2:3000 127.0.0.1:3001")
	if d := cmp.Diff(want, refused); d != "" {
		t.Error(d)
	}
}

// Without the token of a command that runs there is no way out.
func TestTicket(t *testing.T) {
	p, address := open(t, &web{names: map[string][]string{"ok.test": {"1.1.1.1"}, "more.test": {"1.1.1.2"}}})
	one, two := p.Admit(hosts(t, "ok.test"), nil), p.Admit(hosts(t, "ok.test", "more.test"), nil)
	for head, want := range map[string]string{
		"CONNECT ok.test:443 HTTP/1.1\nHost: x":                                                 "407",
		"CONNECT ok.test:443 HTTP/1.1\nHost: x" + basic("wrong"):                                "407",
		"CONNECT ok.test:443 HTTP/1.1\nHost: x" + basic(""):                                     "407",
		"CONNECT ok.test:443 HTTP/1.1\nHost: x\nProxy-Authorization: Bearer " + one.Token():     "407",
		"CONNECT ok.test:443 HTTP/1.1\nHost: x" + basic(one.Token()):                            "200",
		"CONNECT more.test:443 HTTP/1.1\nHost: x" + basic(one.Token()):                          "403",
		"CONNECT more.test:443 HTTP/1.1\nHost: x" + basic(two.Token()):                          "200",
		"GET / HTTP/1.1\nHost: ok.test" + basic(one.Token()):                                    "400",
		"GET https://ok.test/ HTTP/1.1\nHost: ok.test" + basic(one.Token()):                     "400",
		"GET ftp://ok.test/ HTTP/1.1\nHost: ok.test" + basic(one.Token()):                       "400",
		"GET http://more.test/ HTTP/1.1\nHost: ok.test" + basic(one.Token()):                    "403",
		"GET http://ok.test:1/ HTTP/1.1\nHost: ok.test" + basic(one.Token()):                    "403",
		"CONNECT ok.test:443 HTTP/1.1\nHost: x\nX: " + strings.Repeat("x", 80<<10) + basic("x"): "431",
	} {
		if _, _, line := ask(t, address, head); !strings.HasPrefix(line, "HTTP/1.1 "+want) {
			t.Errorf("%.120q: %q, want %s", head, line, want)
		}
	}
	one.Close()
	if _, _, line := ask(t, address, "CONNECT ok.test:443 HTTP/1.1\nHost: x"+basic(one.Token())); !strings.HasPrefix(line, "HTTP/1.1 407") {
		t.Error(line)
	}
}

// A tunnel carries bytes both ways, half-closes, and ends with its ticket.
func TestTunnel(t *testing.T) {
	w := &web{names: map[string][]string{"ok.test": {"1.1.1.1"}}}
	p, address := open(t, w)
	ticket := p.Admit(hosts(t, "ok.test"), nil)
	c, r, _ := ask(t, address, "CONNECT ok.test:443 HTTP/1.1\nHost: x"+basic(ticket.Token()))
	_, _ = r.ReadString('\n')
	_, _ = r.ReadString('\n')
	fmt.Fprintln(c, "there and back")
	if said, _ := r.ReadString('\n'); said != "there and back\n" {
		t.Errorf("%q", said)
	}
	ticket.Close()
	if rest, err := io.ReadAll(r); len(rest) > 0 {
		t.Errorf("%q %v", rest, err)
	}
	ticket.Close()
}

// A plain request goes to the host of its address, with what belongs to the proxy taken out.
func TestForward(t *testing.T) {
	var seen http.Header
	var host string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen, host = r.Header.Clone(), r.Host
		fmt.Fprint(w, "answered ", r.URL)
	}))
	defer server.Close()
	w := &web{names: map[string][]string{"ok.test": {"1.1.1.1"}}, serve: func(_ string, c net.Conn) {
		s, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			return
		}
		go func() { io.Copy(s, c); s.(*net.TCPConn).CloseWrite() }()
		io.Copy(c, s)
		c.Close()
		s.Close()
	}}
	p, address := open(t, w)
	ticket := p.Admit(hosts(t, "ok.test"), nil)
	defer ticket.Close()
	_, r, line := ask(t, address, "GET http://ok.test/a?b HTTP/1.1\nHost: evil.test\nConnection: close, X-Mine\nX-Mine: 1\nX-Kept: 2"+basic(ticket.Token()))
	body, _ := io.ReadAll(r)
	if !strings.HasPrefix(line, "HTTP/1.1 200") || !strings.HasSuffix(string(body), "answered /a?b") || host != "ok.test" {
		t.Errorf("%q %q %q", line, body, host)
	}
	for _, name := range []string{"Proxy-Authorization", "X-Mine", "X-Forwarded-For", "Via"} {
		if seen.Get(name) != "" {
			t.Errorf("%s: %s", name, seen.Get(name))
		}
	}
	if seen.Get("X-Kept") != "2" {
		t.Error(seen)
	}
}

// A host that is not listed is asked about once, while all who want it wait; the end of the command ends
// the wait.
func TestAsk(t *testing.T) {
	p, address := open(t, &web{names: map[string][]string{"yes.test": {"1.1.1.1"}, "no.test": {"1.1.1.2"}}})
	asked, answers := make(chan proxy.Host, 10), make(chan bool)
	ticket := p.Admit(proxy.Hosts{}, func(ctx context.Context, h proxy.Host) bool {
		asked <- h
		select {
		case yes := <-answers:
			return yes
		case <-ctx.Done():
			return false
		}
	})
	var group sync.WaitGroup
	try := func(to, want string) {
		group.Go(func() {
			if _, _, line := ask(t, address, "CONNECT "+to+" HTTP/1.1\nHost: x"+basic(ticket.Token())); !strings.Contains(line, want) {
				t.Errorf("%s: %q", to, line)
			}
		})
	}
	for range 3 {
		try("yes.test:443", "200")
	}
	if h := <-asked; h != (proxy.Host{Name: "yes.test", Port: 443}) {
		t.Error(h)
	}
	answers <- true
	group.Wait()
	try("no.test:443", "403")
	<-asked
	answers <- false
	group.Wait()
	try("no.test:443", "403")
	try("yes.test:443", "200")
	group.Wait()
	try("other.test:443", "")
	<-asked
	ticket.Close()
	group.Wait()
	if len(asked) > 0 {
		t.Error("asked again")
	}
	if d := cmp.Diff([]proxy.Host{{Name: "no.test", Port: 443}, {Name: "other.test", Port: 443}}, ticket.Refused()); d != "" {
		t.Error(d)
	}
}

// A list has the one meaning it is documented with, and what is no host is an error.
func TestParseHosts(t *testing.T) {
	for _, bad := range []string{"", "a b", "http://x.test", "x.test/", "*.", "*x.test", "a.*.test", "x..test", "x.test:", "x.test:0", "x.test:70000", "x.test:web", "[::1", "[::1]x", "[::1]:", "10.0.0.0/33", "*.10.0.0.1", "x.*"} {
		if h, err := proxy.ParseHosts([]string{"ok.test", bad}); err == nil {
			t.Errorf("%q: %+v", bad, h)
		}
	}
	h := hosts(t, "*", "[fd00::1]:5432", "fd01::/16")
	for to, want := range map[string]bool{"any.test:443": true, "any.test:22": false, "1.1.1.1:80": true, "[fd00::1]:5432": true, "[fd01::9]:443": true} {
		name, port, err := net.SplitHostPort(to)
		if err != nil {
			t.Fatal(err)
		}
		var n int
		fmt.Sscan(port, &n)
		if got := h.Name(proxy.Host{Name: name, Port: n}); got != want {
			t.Errorf("%s: %v", to, got)
		}
	}
	if h.Address(netip.MustParseAddr("10.0.0.1"), 443) {
		t.Error("every name is not every private address")
	}
}

// No request makes the proxy dial what its list does not have.
func TestLaw(t *testing.T) {
	w := &web{names: map[string][]string{"ok.test": {"1.1.1.1", "10.0.0.1", "127.0.0.1", "fe80::1"}, "bad.test": {"1.1.1.2"}}, serve: func(_ string, c net.Conn) { c.Close() }}
	p, address := open(t, w)
	ticket := p.Admit(hosts(t, "ok.test"), nil)
	defer ticket.Close()
	rapid.Check(t, func(r *rapid.T) {
		part := rapid.SampledFrom([]string{"ok.test", "bad.test", ":443", ":80", ":22", "127.0.0.1", "10.0.0.1", "[::1]", "@", "/", "http://", "https://", "%", ".", "#", "?", "\\", " ", "0x7f.1"})
		to := strings.Join(rapid.SliceOfN(part, 1, 5).Draw(r, "to"), "")
		method := rapid.SampledFrom([]string{"CONNECT", "GET", "POST"}).Draw(r, "method")
		w.mu.Lock()
		w.dialed = nil
		w.mu.Unlock()
		c, _, _ := ask(t, address, method+" "+to+" HTTP/1.1\nHost: "+to+basic(ticket.Token()))
		c.Close()
		w.mu.Lock()
		defer w.mu.Unlock()
		for _, d := range w.dialed {
			if d != "1.1.1.1:443" && d != "1.1.1.1:80" {
				r.Fatalf("%s %s: dialed %s", method, to, d)
			}
		}
	})
}
