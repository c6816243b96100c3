package runtime

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"parley/internal/agent"
	"parley/internal/config"
	"parley/internal/llm/retry"
)

// A server that needs no key is asked for the model of a prompt as it is asked
// for everything else: below /v1 where its address has no version, with the
// headers of the configuration, and by way of the environment's proxy.
func TestKeylessServerIsAskedForModels(t *testing.T) {
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		asked = append(asked, q.Host+q.URL.Path+" "+q.Header.Get("X-Team"))
		if q.URL.Path != "/v1/models" || q.Header.Get("X-Team") != "blue" {
			http.NotFound(w, q)
			return
		}
		fmt.Fprint(w, `{"data":[{"id":"small"}]}`)
	}))
	defer server.Close()
	for _, c := range []struct {
		name, base string
		env        config.Env
	}{
		{"no version in the address", server.URL, config.Env{}},
		{"a version in the address", server.URL + "/v1", config.Env{}},
		{"a proxy", "http://models.example:8080", config.Env{"HTTP_PROXY": server.URL}},
	} {
		t.Run(c.name, func(t *testing.T) {
			asked = nil
			c.env["TEAM"] = "blue"
			cfg := config.Config{Providers: map[string]config.Provider{"mine": {
				Type: "openai-chat", BaseURL: c.base, Headers: map[string]config.Secret{"X-Team": config.NewSecret("${TEAM}")},
			}}}
			setup := &agent.Setup{}
			r := New(Options{Env: c.env, Providers: Builtin})
			r.wait = time.Hour // a machine may be slow
			if fault := r.setModel(setup, cfg, c.env, t.TempDir(), "", retry.Never); fault != nil {
				t.Fatalf("%s; asked: %q", fault.Message, asked)
			}
			if got := setup.Provider + "/" + setup.ModelName; got != "mine/small" {
				t.Errorf("%s; asked: %q", got, asked)
			}
		})
	}
}
