package window

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"parley/internal/catalog"
)

// Each file of testdata is a server: what it answers to which path, the model that is asked for, and its window.
func TestAsk(t *testing.T) {
	for _, file := range servers(t) {
		t.Run(file.name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, ok := file.parts[r.URL.Path]
				if r.Header.Get("Authorization") != "Bearer k" {
					t.Errorf("%s was asked without the key", r.URL.Path)
				}
				if sent, err := io.ReadAll(r.Body); err != nil || r.URL.Path == "/api/show" && !strings.Contains(string(sent), file.parts["ask"]) {
					t.Errorf("%s was asked of %q (%v)", r.URL.Path, sent, err)
				}
				if !ok || (r.Method == http.MethodPost) != (r.URL.Path == "/api/show") {
					http.NotFound(w, r)
					return
				}
				_, _ = io.WriteString(w, body) // a client that has what it wants hangs up
			}))
			defer server.Close()
			for _, base := range []string{server.URL, server.URL + "/v1", server.URL + "/v1/"} {
				s := Server{HTTP: server.Client(), Base: base, Authorize: func(h http.Header) { h.Set("Authorization", "Bearer k") }}
				if got := Ask(t.Context(), s, file.parts["ask"], time.Minute).String(); got != file.parts["want"] {
					t.Errorf("%s: got %s, want %s", base, got, file.parts["want"])
				}
			}
		})
	}
}

type server struct {
	name  string
	parts map[string]string
}

func servers(t testing.TB) []server {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatal("no servers", err)
	}
	var out []server
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		s := server{strings.TrimSuffix(filepath.Base(name), ".txtar"), map[string]string{}}
		for _, f := range txtar.Parse(text).Files {
			s.parts[f.Name] = strings.TrimSpace(string(f.Data))
		}
		out = append(out, s)
	}
	return out
}

// silent is a server that never answers, and counts who still waits for it.
type silent struct{ waiting chan struct{} }

func (s silent) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	s.waiting <- struct{}{}
	return nil, r.Context().Err()
}

// A server that does not answer is waited for until the deadline, and no longer; no question goes on behind it.
func TestDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := silent{make(chan struct{}, len(questions))}
		begun := time.Now()
		got := Ask(context.Background(), Server{HTTP: &http.Client{Transport: s}, Base: "http://127.0.0.1"}, "m", 2*time.Second)
		if took := time.Since(begun); took != 2*time.Second || got != (catalog.Window{}) || len(s.waiting) != len(questions) {
			t.Errorf("got %v after %v; %d questions had ended", got, took, len(s.waiting))
		}
	})
}

// A redirect is not followed: the key stays with the server that it is for.
func TestRedirect(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("it was followed") }))
	defer elsewhere.Close()
	server := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusTemporaryRedirect))
	defer server.Close()
	if got := Ask(t.Context(), Server{HTTP: server.Client(), Base: server.URL}, "m", time.Minute); got != (catalog.Window{}) {
		t.Errorf("got %v", got)
	}
}

// Whatever a server answers, a window is known to be of a size that is believed, or is not known.
func FuzzAnswers(f *testing.F) {
	for _, s := range servers(f) {
		for path, body := range s.parts {
			if strings.HasPrefix(path, "/") {
				f.Add([]byte(body), s.parts["ask"])
			}
		}
	}
	f.Fuzz(func(t *testing.T, body []byte, name string) {
		for _, q := range questions {
			w := q.read(body, name)
			if w != (catalog.Window{}) && (w.Tokens < Least || w.Tokens > Most || w.Source == catalog.Nobody || w.Of == "") {
				t.Errorf("%s: %#v", q.path, w)
			}
		}
	})
}
