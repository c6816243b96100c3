package fetch_test

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/permission"
	"parley/internal/tool"
	"parley/internal/tool/fetch"
	"parley/internal/tool/tooltest"
)

// public is an address that fetch may connect to; the tests' Dial leads it to a server here.
const public = "93.184.215.14:80"

// serve starts a server and returns a World in which every name resolves to an address, which is judged and
// then led to the server.
func serve(t testing.TB, handler http.HandlerFunc, resolve func(name string) string) tool.World {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	w := tooltest.World(t, t.TempDir())
	w.Dial = func(ctx context.Context, network, address string, control tool.Control) (net.Conn, error) {
		if control != nil {
			if err := control(network, resolve(address), nil); err != nil {
				return nil, err
			}
		}
		var d net.Dialer
		return d.DialContext(ctx, network, server.Listener.Addr().String())
	}
	return w
}

func always(address string) func(string) string { return func(string) string { return address } }

func get(t testing.TB, ctx context.Context, w tool.World, url string) tool.Result {
	t.Helper()
	text, err := json.Marshal(map[string]string{"url": url})
	if err != nil {
		t.Fatal(err)
	}
	r := fetch.New().Run(ctx, w, tool.Call{ID: "call-1", Name: "fetch", Arguments: text}, nil)
	tooltest.Check(t, r, "")
	return r
}

func TestSuite(t *testing.T) {
	tooltest.Run(t, tooltest.Suite{
		Tool: fetch.New(), Calls: []string{`{"url":"http://site.test/page"}`},
		World: func(t testing.TB, _ string) tool.World {
			return serve(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello") }, always(public))
		},
	})
}

func FuzzArguments(f *testing.F) {
	tooltest.Fuzz(f, fetch.New(), `{"url":"https://a.test:8080/b?c#d"}`)
}

// A page of HTML reads like a text, with its shape, and without what is no content.
func TestHTML(t *testing.T) {
	page, err := os.ReadFile("testdata/page.html")
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("testdata/page.txt")
	if err != nil {
		t.Fatal(err)
	}
	w := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Write(page)
	}, always(public))
	r := get(t, context.Background(), w, "http://site.test/docs/index")
	if d := cmp.Diff(string(want), r.Text); d != "" {
		t.Error(d)
	}
}

// What a server answers, and what becomes of it.
func TestContentTypes(t *testing.T) {
	for _, tt := range []struct {
		name, kind, body, want string
		code                   int
		status                 tool.Status
	}{
		{"text", "text/plain", "a  b\n", "a  b\n", 200, tool.Success},
		{"json", "application/json", `{"a":1}`, `{"a":1}`, 200, tool.Success},
		{"a kind of json", "application/problem+json; charset=utf-8", `{}`, `{}`, 200, tool.Success},
		{"no kind", "", "just text", "just text", 200, tool.Success},
		{"bytes that are text", "application/octet-stream", "just text", "just text", 200, tool.Success},
		{"markdown", "text/markdown", "# A\n", "# A\n", 200, tool.Success},
		{"nothing", "text/html", "", "(the page has no text)", 200, tool.Success},
		{"latin", "text/plain; charset=iso-8859-1", "caf\xe9", "café", 200, tool.Success},
		{"latin by meta", "text/html", "<meta charset=windows-1252><p>caf\xe9", "café\n", 200, tool.Success},
		{"unlabelled utf-8", "text/html", "<p>café", "café\n", 200, tool.Success},
		{"byte order mark", "text/plain", "\ufeffa", "a", 200, tool.Success},
		{"picture", "image/png", "\x89PNG", "http://site.test/x is image/png (4 bytes), which cannot be shown as text", 200, tool.Error},
		{"lies", "text/plain", "a\x00b", "http://site.test/x is text/plain (3 bytes), which cannot be shown as text", 200, tool.Error},
		{"not found", "text/plain", "no such page", "The server answered 404 Not Found.\n\nno such page", 404, tool.Error},
		{"error page", "text/html", "<h1>Sorry</h1>", "The server answered 503 Service Unavailable.\n\n# Sorry\n", 503, tool.Error},
	} {
		w := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Content-Type"] = nil
			if tt.kind != "" {
				w.Header().Set("Content-Type", tt.kind)
			}
			w.WriteHeader(tt.code)
			io.WriteString(w, tt.body)
		}, always(public))
		r := get(t, context.Background(), w, "http://site.test/x")
		if d := cmp.Diff([]string{string(tt.status), tt.want}, []string{string(r.Status), r.Text}); d != "" {
			t.Errorf("%s: %s", tt.name, d)
		}
	}
}

// The request carries nothing but itself.
func TestRequest(t *testing.T) {
	var got http.Header
	var uri string
	w := serve(t, func(w http.ResponseWriter, r *http.Request) {
		got, uri = r.Header, r.Method+" "+r.Host+r.RequestURI
		http.SetCookie(w, &http.Cookie{Name: "a", Value: "b"})
		if r.URL.Path == "/one" {
			http.Redirect(w, r, "/two?x=1", http.StatusFound)
		}
	}, always(public))
	w.Env = append(w.Env, "HTTP_PROXY=http://127.0.0.1:1")
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	if r := get(t, context.Background(), w, "http://site.test/one#part"); r.Status != tool.Success {
		t.Fatal(r.Text)
	}
	want := http.Header{
		"User-Agent": {"parley"}, "Accept-Encoding": {"gzip"}, "Connection": {"close"},
		"Accept": {"text/html, text/markdown, text/plain, application/json;q=0.9, */*;q=0.5"},
	}
	if d := cmp.Diff(want, got); d != "" || uri != "GET site.test/two?x=1" {
		t.Error(d, uri)
	}
}

// URLs that are none, or hold what they must not, are refused before anything happens.
func TestURLs(t *testing.T) {
	w := tooltest.World(t, t.TempDir())
	w.Dial = nil
	for url, want := range map[string]string{
		"site.test":                 "must begin with http:// or https://",
		"file:///etc/passwd":        "must begin with http:// or https://",
		"ftp://site.test/":          "must begin with http:// or https://",
		"http://":                   "has no host",
		"http://:80/":               "has no host",
		"http://user:pw@site.test/": "must not hold a user or a password",
		"http://user@site.test/":    "must not hold a user or a password",
		"http://a b/":               "malformed",
		"http://site.test/%zz":      "malformed",
		"http://site.test:99999/":   "malformed",
		"http://[fe80::1%25eth0]/":  "zone",
		"http://1.2.3.256/":         "malformed",
	} {
		r := get(t, context.Background(), w, url)
		if r.Status != tool.Error || !strings.Contains(r.Text, want) || strings.Contains(r.Text, "pw") {
			t.Errorf("%s: %q", url, r.Text)
		}
	}
	got, err := fetch.New().Targets(w, tool.Call{Arguments: json.RawMessage(`{"url":" HTTPS://Site.Test.:8443/A?b#c"}`)})
	if d := cmp.Diff(tool.Targets{URL: "https://site.test:8443/A?b", Host: "site.test:8443"}, got); d != "" || err != nil {
		t.Error(d, err)
	}
}

// A deny rule with a port had no effect, and one on localhost none on its full-width spelling, which is dialled all the same.
// What permission is told, and what is dialled, is one spelling.
func TestDeniedHostInEverySpelling(t *testing.T) {
	grammar := permission.Grammar{"fetch": {Kind: permission.KindHost}}
	for rule, urls := range map[string][]string{
		"fetch(localhost)": {"http://localhost/", "http://LOCALHOST./", "https://localhost:8443", "http://ｌｏｃａｌｈｏｓｔ/", "http://%EF%BD%8Cocalhost/",
			"http://local%C2%ADhost/"},
		"fetch(ｌｏｃａｌｈｏｓｔ)":      {"http://localhost/"},
		"fetch(localhost:80)":   {"http://localhost/", "http://localhost:80/", "http://localhost:080/"},
		"fetch(localhost:443)":  {"https://localhost/"},
		"fetch(localhost:8080)": {"http://localhost.:8080/", "https://LocalHost:8080"},
		"fetch(127.0.0.1)":      {"http://127.1/", "http://2130706433/", "http://0x7f.0.0.1:99/", "http://0177.1/", "http://[::ffff:127.0.0.1]/", "http://１２７。1/"},
		"fetch(0x7f.1:80)":      {"http://127.0.0.1/"},
		"fetch([::1]:443)":      {"https://[0:0::0:1]/"},
		"fetch(::1)":            {"https://[0:0::0:1]:9/"},
		"fetch(*.bücher.de)":    {"https://www.xn--bcher-kva.de/", "https://A.BÜCHER.de./"},
	} {
		deny, err := grammar.Rule(rule)
		if err != nil {
			t.Fatal(rule, err)
		}
		p := permission.Policy{Default: permission.EffectAllow}.With(permission.Scoped{Rule: deny, Effect: permission.EffectDeny})
		for _, url := range urls {
			arguments, _ := json.Marshal(map[string]string{"url": url})
			targets, err := fetch.New().Targets(tool.World{}, tool.Call{Arguments: arguments})
			if err != nil {
				t.Error(url, err)
				continue
			}
			c := permission.Call{Tool: "fetch", Kind: permission.KindHost, Host: targets.Host}
			if v, ok := permission.Decide(p, c).(permission.Deny); !ok {
				t.Errorf("%s does not deny %s, which is dialled as %s: %#v", rule, url, targets.Host, v)
			}
		}
	}
	for rule, url := range map[string]string{"fetch(localhost:8080)": `{"url":"http://localhost/"}`, "fetch(localhost)": `{"url":"http://xlocalhost/"}`} {
		deny, _ := grammar.Rule(rule)
		p := permission.Policy{Default: permission.EffectAllow}.With(permission.Scoped{Rule: deny, Effect: permission.EffectDeny})
		targets, _ := fetch.New().Targets(tool.World{}, tool.Call{Arguments: json.RawMessage(url)})
		if v, ok := permission.Decide(p, permission.Call{Tool: "fetch", Kind: permission.KindHost, Host: targets.Host}).(permission.Allow); !ok {
			t.Errorf("%s denies %s: %#v", rule, url, v)
		}
	}
}

// addresses are what a name can turn out to be; only the public ones are connected to.
var addresses = map[string]bool{
	"93.184.215.14:80": true, "[2606:2800:21f:cb07:6820:80da:af6b:8b2c]:443": true, "8.8.8.8:443": true,
	"[64:ff9b::808:808]:80": true, "[2002:808:808::1]:80": true, "172.32.0.1:80": true, "100.128.0.1:80": true,
	"127.0.0.1:80": false, "127.255.255.254:80": false, "[::1]:80": false, "0.0.0.0:80": false, "[::]:80": false,
	"10.1.2.3:80": false, "172.16.0.1:80": false, "172.31.255.255:80": false, "192.168.0.1:80": false,
	"169.254.169.254:80": false, "[fe80::1]:80": false, "[fe80::1%eth0]:80": false, "100.64.0.1:80": false,
	"100.127.255.255:80": false, "[fd00:ec2::254]:80": false, "[fc00::1]:80": false, "224.0.0.1:80": false, "[ff02::1]:80": false,
	"255.255.255.255:80": false, "240.0.0.1:80": false, "192.0.2.1:80": false, "198.18.0.1:80": false, "203.0.113.9:80": false,
	"[::ffff:127.0.0.1]:80": false, "[::ffff:10.0.0.1]:80": false, "[::ffff:169.254.169.254]:80": false, "[::127.0.0.1]:80": false,
	"[64:ff9b::7f00:1]:80": false, "[64:ff9b::a9fe:a9fe]:80": false, "[2002:7f00:1::]:80": false, "[2002:a00:1::]:80": false,
	"[2001::1]:80": false, "[2001:db8::1]:80": false, "[fec0::1]:80": false, "not an address": false, "": false,
}

// The address that is dialled decides, whatever the name was; FetchPrivate opens the others.
func TestAddresses(t *testing.T) {
	ok := func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "ok") }
	for address, allowed := range addresses {
		r := get(t, context.Background(), serve(t, ok, always(address)), "http://site.test/")
		if (r.Status == tool.Success) != allowed {
			t.Errorf("%s: %s %q", address, r.Status, r.Text)
		}
	}
	r := get(t, context.Background(), serve(t, ok, always("127.0.0.1:80")), "http://site.test/")
	if want := "127.0.0.1 is a private or local address, which fetch does not connect to"; r.Text != want {
		t.Errorf("%q", r.Text)
	}
	server := httptest.NewServer(http.HandlerFunc(ok))
	defer server.Close()
	w := tooltest.World(t, t.TempDir())
	if r := get(t, context.Background(), w, server.URL); !strings.Contains(r.Text, "private or local") {
		t.Errorf("the real Dial connected: %+v", r)
	}
	w.FetchPrivate = true
	if r := get(t, context.Background(), w, server.URL); r.Text != "ok" {
		t.Errorf("%+v", r)
	}
}

// Redirects: a few on the same host are followed, each dialled and judged anew; another host is reported.
func TestRedirects(t *testing.T) {
	var dials atomic.Int32
	// The name turns to a private address after the first connection, as in DNS rebinding.
	rebinding := func(string) string {
		if dials.Add(1) > 1 {
			return "192.168.1.1:80"
		}
		return public
	}
	hop := func(w http.ResponseWriter, r *http.Request) {
		var n int
		if _, err := fmt.Sscanf(r.URL.Path, "/hop/%d", &n); err == nil && n > 0 {
			http.Redirect(w, r, fmt.Sprintf("/hop/%d", n-1), http.StatusMovedPermanently)
			return
		}
		switch to := r.URL.Query().Get("to"); {
		case to != "":
			http.Redirect(w, r, to, http.StatusFound)
		default:
			fmt.Fprint(w, "arrived at ", r.URL)
		}
	}
	for _, tt := range []struct {
		name, url, want string
		status          tool.Status
		resolve         func(string) string
	}{
		{"five", "http://site.test/hop/5", "arrived at /hop/0", tool.Success, always(public)},
		{"six", "http://site.test/hop/6", "more than 5 redirects", tool.Error, always(public)},
		{"rebinding", "http://site.test/hop/1", "192.168.1.1 is a private or local address, which fetch does not connect to", tool.Error, rebinding},
		{"elsewhere", "http://site.test/?to=https://other.test/x", "The page has moved to another host, https://other.test/x. " +
			"Nothing was fetched from there; fetch that URL if it is the right one.", tool.Success, always(public)},
		{"inside", "http://site.test/?to=http://127.0.0.1/", "The page has moved to another host, http://127.0.0.1/. " +
			"Nothing was fetched from there; fetch that URL if it is the right one.", tool.Success, always(public)},
		{"scheme", "http://site.test/?to=file:///etc/passwd", "bad redirect: the URL must begin with http:// or https://", tool.Error, always(public)},
		{"credentials", "http://site.test/?to=http://u:p@site.test/", "bad redirect: the URL must not hold a user or a password", tool.Error, always(public)},
		{"other case", "http://site.test/?to=http://SITE.test./x", "arrived at /x", tool.Success, always(public)},
	} {
		r := get(t, context.Background(), serve(t, hop, tt.resolve), tt.url)
		if d := cmp.Diff([]string{string(tt.status), tt.want}, []string{string(r.Status), r.Text}); d != "" {
			t.Errorf("%s: %s", tt.name, d)
		}
	}
}

// A page that is long keeps its beginning, the whole is in a file; one without end, packed or not, is cut.
func TestLongPageIsCut(t *testing.T) {
	line := strings.Repeat("word ", 20) + "\n"
	handler := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		var out io.Writer = w
		if r.URL.Path == "/bomb" {
			w.Header().Set("Content-Encoding", "gzip")
			packed := gzip.NewWriter(w)
			defer packed.Close()
			out = packed
		}
		n := 2000
		if r.URL.Path != "/long" {
			n = 1_000_000
		}
		for range n {
			if _, err := io.WriteString(out, line); err != nil {
				return
			}
		}
	}
	w := serve(t, handler, always(public))
	r := get(t, context.Background(), w, "http://site.test/long")
	whole, err := os.ReadFile(r.File)
	if err != nil || string(whole) != strings.Repeat(line, 2000) {
		t.Errorf("%d bytes, %v", len(whole), err)
	}
	if !strings.HasSuffix(r.Text, " of 202000 bytes shown; the whole text is in "+r.File+", read it with offset and limit]") {
		t.Errorf("%q", r.Text[len(r.Text)-200:])
	}
	for _, path := range []string{"/endless", "/bomb"} {
		r := get(t, context.Background(), w, "http://site.test"+path)
		if whole, err := os.ReadFile(r.File); err != nil || !strings.HasSuffix(string(whole), "[The page is longer than 5 MB; the rest was not fetched.]") {
			t.Errorf("%s: %d bytes, %v", path, len(whole), err)
		}
	}
	w.Spill = nil
	if r := get(t, context.Background(), w, "http://site.test/long"); !strings.HasSuffix(r.Text, "the whole text could not be kept]") || r.File != "" {
		t.Errorf("%q", r.Text[len(r.Text)-200:])
	}
}

// An abort ends the request at the server as well.
func TestAbort(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	gone := make(chan struct{})
	w := serve(t, func(w http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
		close(gone)
	}, always(public))
	if r := get(t, ctx, w, "http://site.test/"); r.Status != tool.Aborted || r.Text != "Aborted." {
		t.Errorf("%+v", r)
	}
	<-gone
}

// A server that says nothing is given up after the time limit.
func TestTimeLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := tool.World{Dial: func(context.Context, string, string, tool.Control) (net.Conn, error) {
			here, there := net.Pipe()
			go io.Copy(io.Discard, there)
			return here, nil
		}}
		start := time.Now()
		r := get(t, context.Background(), w, "http://site.test/")
		if r.Status != tool.Error || r.Text != "no whole answer within 30s" || time.Since(start) != 30*time.Second {
			t.Errorf("%+v after %s", r, time.Since(start))
		}
	})
}

// Any page becomes text that keeps the contract.
func FuzzHTML(f *testing.F) {
	page, err := os.ReadFile("testdata/page.html")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(page)
	f.Add([]byte("<table><td><pre>a<li><h1><a href=b>" + strings.Repeat("<div>", 600)))
	var body []byte
	w := serve(f, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Write(body)
	}, always(public))
	f.Fuzz(func(t *testing.T, page []byte) {
		body = page
		if r := get(t, context.Background(), w, "http://site.test/"); strings.Contains(r.Text, "broke:") {
			t.Fatal(r.Text)
		}
	})
}
