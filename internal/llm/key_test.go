package llm_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/llm"
)

// A key is asked for once, and anew when it has run out or was refused.
func TestRenewed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		keys := llm.Renewed(func(context.Context) (llm.Lease, error) {
			n++
			return llm.Lease{Key: strings.Repeat("k", n), Until: time.Now().Add(time.Hour)}, nil
		}, llm.Clock{})
		ask := func(refused, want string) {
			t.Helper()
			if got, err := keys(t.Context(), refused); got != want || err != nil {
				t.Errorf("%q %v, want %q", got, err, want)
			}
		}
		ask("", "k")
		time.Sleep(59 * time.Minute)
		ask("", "k")
		time.Sleep(time.Minute)
		ask("", "kk")
		ask("kk", "kkk")
		ask("kk", "kkk") // another request had the same one refused
		ask("", "kkk")
	})
}

// Requests that want a key at the same time share one answer; one that is cancelled does not wait for it.
func TestRenewedTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		keys := llm.Renewed(func(ctx context.Context) (llm.Lease, error) {
			asked++
			time.Sleep(time.Minute)
			return llm.Lease{Key: "k"}, nil
		}, llm.Clock{})
		var all sync.WaitGroup
		for range 5 {
			all.Go(func() {
				if key, err := keys(t.Context(), ""); key != "k" || err != nil {
					t.Errorf("%q %v", key, err)
				}
			})
		}
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		if _, err := keys(ctx, ""); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != time.Second {
			t.Errorf("%v after %v", err, time.Since(start))
		}
		all.Wait()
		if asked != 1 {
			t.Errorf("asked %d times", asked)
		}
	})
}

// A failure to give out a key is said, and asked again the next time.
func TestRenewedFails(t *testing.T) {
	fail := true
	keys := llm.Renewed(func(context.Context) (llm.Lease, error) {
		if fail {
			return llm.Lease{}, errors.New("the vault is closed")
		}
		return llm.Lease{Key: "k"}, nil
	}, llm.Clock{})
	if _, err := keys(t.Context(), ""); err == nil {
		t.Error("no error")
	}
	m, _ := toy.Model(llm.Options{Key: keys}, "")
	for p := range m.Stream(t.Context(), llm.Request{}) {
		if f := p.(llm.End).Fault; f.Code != llm.CodeDenied || f.Message != "there is no key: the vault is closed" || f.Retryable {
			t.Errorf("%+v", f)
		}
	}
	fail = false
	if key, err := keys(t.Context(), ""); key != "k" || err != nil {
		t.Errorf("%q %v", key, err)
	}
}

// What a command may print, and that no error repeats it.
func TestParseLease(t *testing.T) {
	now := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	for text, want := range map[string]llm.Lease{
		"sk-a\n": {Key: "sk-a"}, " sk-a ": {Key: "sk-a"}, `{"key":"sk-a"}`: {Key: "sk-a"},
		`{"key":"sk-a","expires_in":90}`:                      {Key: "sk-a", Until: now.Add(90 * time.Second)},
		`{"key":"sk-a","expires_at":"2030-01-01T01:00:00Z"}`:  {Key: "sk-a", Until: now.Add(time.Hour)},
		`{"key":"sk-a","expires_in":-1,"other":["x"]}` + "\n": {Key: "sk-a"},
	} {
		if got, err := llm.ParseLease([]byte(text), now); err != nil || got.Key != want.Key || !got.Until.Equal(want.Until) {
			t.Errorf("%q: %+v %v", text, got, err)
		}
	}
	for _, text := range []string{"", "\n", "Logging in…\nsk-secret", `{"token":"sk-secret"}`, `{"key":"sk-secret"`, `{"key":"sk-secret","expires_at":"soon"}`, `{"key":""}`, `{"key":"sk-\nsecret"}`} {
		if got, err := llm.ParseLease([]byte(text), now); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %+v %v", text, got, err)
		}
	}
}
