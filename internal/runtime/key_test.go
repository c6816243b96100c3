package runtime

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/internal/config"
	"parley/internal/event"
	"parley/internal/llm/retry"
)

// A command gives out the key: in the client's environment, again when the server refused what it gave, and without a word
// of what it says beside.
func TestKeyOfACommand(t *testing.T) {
	count := filepath.Join(t.TempDir(), "count")
	env := config.Env{"PATH": os.Getenv("PATH"), "COUNT": count, "TEAM": "blue"}
	keys := keysOf(config.Resolved{Name: "mine", KeyCommand: `echo x >>"$COUNT"; echo "$TEAM-$(grep -c x "$COUNT")"; echo secret >&2`}, env)
	for _, c := range []struct{ refused, want string }{{"", "blue-1"}, {"", "blue-1"}, {"blue-1", "blue-2"}, {"blue-1", "blue-2"}, {"", "blue-2"}} {
		if got, err := keys(t.Context(), c.refused); got != c.want || err != nil {
			t.Errorf("refused %q: %q, %v; want %q", c.refused, got, err, c.want)
		}
	}
	for command, want := range map[string]string{
		"exit 3": "exit status 3; run it yourself", "true": "it printed no key", "echo '{\"token\": \"secret\"}'": "without a key",
		"yes secret | head -c 100000": "more than a key", "echo one; echo secret": "it printed no key",
	} {
		_, err := keysOf(config.Resolved{Name: "mine", KeyCommand: command}, env)(t.Context(), "")
		if err == nil || !strings.HasPrefix(err.Error(), "the api_key_command of mine: ") || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", command, err)
		}
	}
	if got, err := keysOf(config.Resolved{Key: config.NewSecret("plain")}, nil)(t.Context(), "plain"); got != "plain" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

// What a prompt says of patience is how its model is asked again.
func TestPatience(t *testing.T) {
	for _, c := range []struct {
		patience *event.Patience
		want     retry.Policy
	}{
		{nil, retry.Forever}, {&event.Patience{}, retry.Never}, {&event.Patience{MS: -1, Retries: -1}, retry.Never},
		{&event.Patience{MS: 60_000}, retry.Policy{Patience: time.Minute}}, {&event.Patience{Retries: 3}, retry.Policy{Attempts: 3}},
		{&event.Patience{MS: 1500, Retries: 3}, retry.Policy{Patience: 1500 * time.Millisecond, Attempts: 3}},
	} {
		if got := policyOf(c.patience); got != c.want {
			t.Errorf("%+v: %+v, want %+v", c.patience, got, c.want)
		}
	}
}
