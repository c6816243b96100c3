package runtime

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/config"
)

// A server that needs no key is asked for the model of a prompt as it is asked for everything else: below /v1 where its
// address has no version, with the headers of the configuration, and by way of the environment's proxy.
func TestKeylessServerIsAskedForModels(t *testing.T) {
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		asked = append(asked, q.Host+q.URL.Path+" "+q.Header.Get("X-Team"))
		if q.URL.Path != "/v1/models" || q.Header.Get("X-Team") != "blue" {
			http.NotFound(w, q)
			return
		}
		lists("small")(w, q)
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
			n, fault := NewModels(Builtin, "", today).In(cfg, c.env, time.Hour).Find(t.Context(), "", "") // a machine may be slow
			if fault != nil || n.String() != "mine/small" {
				t.Errorf("%s, %v; asked: %q", n, fault, asked)
			}
		})
	}
}

// No server delays a prompt for longer than its bound, all that it may ask taken together; the catalog gives the model
// then. Who was slow serves the next prompt, and a vendor's list is taken from what it was while it is asked anew.
func TestSlowList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var requests atomic.Int32
		answer := 3 * time.Second
		models := lists("claude-sonnet-9")
		m := at(web{anthropicHost: func(w http.ResponseWriter, q *http.Request) {
			requests.Add(1)
			time.Sleep(answer)
			models(w, q)
		}, "home": func(w http.ResponseWriter, q *http.Request) { time.Sleep(answer); lists("small")(w, q) }})
		cfg := configured(t, `{"providers": {"home": {"type": "openai-chat", "base_url": "http://home"}}}`)
		env := config.Env{"ANTHROPIC_API_KEY": "x"}
		find := func(want string, took time.Duration) {
			t.Helper()
			begun := time.Now()
			n, fault := m.In(cfg, env, promptWait).Find(t.Context(), "", "")
			if fault != nil || n.String() != want || time.Since(begun) != took {
				t.Errorf("%s after %s (%v), want %s after %s", n, time.Since(begun), fault, want, took)
			}
			synctest.Wait() // whoever it left asking has begun
		}
		later := func(d time.Duration) { time.Sleep(d); synctest.Wait() }
		find("anthropic/claude-sonnet-5-5", promptWait) // of the catalog; the one at home is not known to be there
		find("anthropic/claude-sonnet-5-5", 0)          // who waited as long as one waits does not wait again
		later(answer)
		answer = 0
		find("home/small", 0)
		delete(cfg.Providers, "home")
		find("anthropic/claude-sonnet-9", 0)
		if n := requests.Load(); n != 1 {
			t.Errorf("%d requests", n)
		}

		models = lists("claude-sonnet-10")
		later(listedFor)
		answer = 3 * time.Second
		find("anthropic/claude-sonnet-9", 0)
		later(answer)
		find("anthropic/claude-sonnet-10", 0)

		// A vendor that is down takes its list from nobody; it is asked again soon.
		models = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }
		later(listedFor)
		find("anthropic/claude-sonnet-10", 0)
		later(answer)
		models = lists("claude-sonnet-11")
		later(unlistedFor)
		find("anthropic/claude-sonnet-10", 0)
		later(answer)
		find("anthropic/claude-sonnet-11", 0)
	})
}

// A client that goes away while a server is asked is not waited for, and leaves the answer to the next.
func TestListOfOneWhoLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := at(web{ollamaHost: func(w http.ResponseWriter, q *http.Request) { time.Sleep(time.Second); lists("small")(w, q) }})
		cfg := configured(t, "")
		ctx, leave := context.WithCancel(t.Context())
		leave()
		if _, fault := m.In(cfg, nil, time.Hour).Find(ctx, "", ""); fault == nil {
			t.Error("a model was found")
		}
		time.Sleep(2 * time.Second)
		if n, fault := m.In(cfg, nil, 0).Find(t.Context(), "", ""); fault != nil || n.Name != "small" {
			t.Errorf("%s, %v", n, fault)
		}
	})
}
