package runtime

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"sync"
	"time"

	"golang.org/x/net/http/httpproxy"

	"parley/internal/catalog"
	"parley/internal/config"
	"parley/internal/llm"
)

// Models answers which models there are: what servers list, what the catalog tells of them and the user says, and which
// one is meant by a name. All of its methods, and those of a [View], may be called at once.
//
// What servers said is kept for a short while. Nobody waits for a server longer than their View says; who gives up on
// one leaves it to answer for those who come after.
type Models struct {
	providers Providers
	path      string // of the refreshed catalog
	now       func() time.Time

	mu      sync.Mutex // of what follows
	clients map[string]*http.Client
	lists   map[string]*list
	windows map[string]told
	catalog *catalog.Catalog
	word    string // on the refreshed catalog
	stamp   string // of the file that catalog was made of
}

// NewModels returns the Models of some providers. path is where a refreshed catalog is; there need be none. now is the
// day by which a model has come to its end.
func NewModels(providers Providers, path string, now func() time.Time) *Models {
	return &Models{
		providers: providers, path: path, now: now,
		clients: make(map[string]*http.Client), lists: make(map[string]*list), windows: make(map[string]told),
	}
}

// A View is the models as a client sees them: with its configuration and its environment.
type View struct {
	m     *Models
	cfg   config.Config
	env   config.Env
	wait  time.Duration
	until time.Time // nobody waits for a server after it
}

// In returns the models as a client with that configuration and environment sees them. All that its methods ask of
// servers takes no longer than wait, counted from now.
func (m *Models) In(cfg config.Config, env config.Env, wait time.Duration) View {
	return View{m, cfg, env, wait, time.Now().Add(wait)}
}

// Catalog returns the catalog as it is now. word says, for people, why a refreshed one is not used.
func (m *Models) Catalog() (c *catalog.Catalog, word string) {
	stamp := ""
	if info, err := os.Stat(m.path); err == nil {
		stamp = fmt.Sprint(info.Size(), info.ModTime().UnixNano())
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.catalog == nil || stamp != m.stamp {
		m.catalog, m.word = catalog.Load(m.path)
		m.stamp = stamp
	}
	return m.catalog, m.word
}

// HTTP is a client that uses the proxies of an environment. It is kept, and so are its connections.
func (m *Models) HTTP(env config.Env) *http.Client {
	proxies := httpproxy.Config{
		HTTPProxy: cmp.Or(env["HTTP_PROXY"], env["http_proxy"]), HTTPSProxy: cmp.Or(env["HTTPS_PROXY"], env["https_proxy"]),
		NoProxy: cmp.Or(env["NO_PROXY"], env["no_proxy"]),
	}
	key := proxies.HTTPProxy + " " + proxies.HTTPSProxy + " " + proxies.NoProxy
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.clients[key]
	if c == nil {
		choose := proxies.ProxyFunc()
		c = llm.HTTP(func(r *http.Request) (*url.URL, error) { return choose(r.URL) })
		m.clients[key] = c
	}
	return c
}

// optionsOf say how a provider is called.
func optionsOf(p config.Resolved, client *http.Client, env config.Env) llm.Options {
	headers := make(map[string]string, len(p.Headers))
	for name, value := range p.Headers {
		headers[name] = value.Reveal()
	}
	return llm.Options{Provider: p.Name, BaseURL: p.BaseURL, Key: keysOf(p, env), Headers: headers, HTTP: client}
}
