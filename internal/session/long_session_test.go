package session_test

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"parley/internal/agent"
	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/llm"
	"parley/internal/llm/llmtest"
	"parley/internal/llm/openaichat"
	"parley/internal/tool"
	"parley/internal/transcript"
	"parley/test/need"
)

// counting is a server of a model with a window, a cache and a tokenizer of its own. It makes one call a step, and when it
// is asked for a summary it writes down the facts that stand at the beginning and at the end of what it sees.
type counting struct {
	*httptest.Server
	t      testing.TB
	steps  int
	window int

	mu      sync.Mutex
	known   map[string]int // tokens of a message, by its bytes
	before  []string       // the messages of the request before
	made    int
	refused int
	asked   []asking
	facts   []string // that it means to remember
}

// asking is one request as the server counted it.
type asking struct {
	summary          bool
	messages, same   int // same: from the beginning as in the request before
	tokens, cached   int
	earlier, reserve int // messages of the request before; the longest answer
	text             string
}

// count is the server's own way: three letters a token, and each sign that is none is one.
func count(text string) (n int) {
	letters := 0
	for _, r := range text {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z':
			if letters++; letters%3 == 1 {
				n++
			}
		case r == ' ':
			letters = 0
		default:
			letters = 0
			n++
		}
	}
	return n
}

var factWord = regexp.MustCompile(`fact-\d+-[0-9a-f]{8}`)

// fact is what only a result says.
func fact(n int) string {
	h := fnv.New32a()
	fmt.Fprintf(h, "fact %d", n)
	return fmt.Sprintf("fact-%d-%08x", n, h.Sum32())
}

func newCounting(t testing.TB, steps, window int) *counting {
	m := &counting{t: t, steps: steps, window: window, known: map[string]int{}}
	m.Server = httptest.NewServer(m)
	t.Cleanup(m.Close)
	return m
}

// ServeHTTP answers a chat request.
func (m *counting) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	body, err := io.ReadAll(q.Body)
	if err != nil {
		return
	}
	var asked struct {
		Messages  []json.RawMessage `json:"messages"`
		Tools     json.RawMessage   `json:"tools"`
		MaxTokens int               `json:"max_tokens"`
	}
	if err := json.Unmarshal(body, &asked); err != nil || len(asked.Messages) == 0 {
		m.t.Errorf("%v: %.200s", err, body)
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(asked.Tools) < 10 {
		m.t.Error("a request without tools") // gateways refuse it where there are calls
	}
	a := m.tokens(string(asked.Tools), asked.Messages)
	a.reserve = asked.MaxTokens
	if a.tokens+a.reserve > m.window {
		m.refused++
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprintf(w, `{"error":{"message":"input length and max_tokens exceed context limit: %d + %d > %d"}}`, a.tokens, a.reserve, m.window)
		return
	}
	last := string(asked.Messages[len(asked.Messages)-1])
	a.summary = strings.Contains(last, "Summarise the conversation above")
	a.text = string(body)
	m.asked = append(m.asked, a)
	w.Header().Set("Content-Type", "text/event-stream")
	say := func(delta, finish string) {
		fmt.Fprintf(w, "data: {\"choices\":[{\"delta\":%s,\"finish_reason\":%q}],\"usage\":{\"prompt_tokens\":%d,\"completion_tokens\":20,\"prompt_tokens_details\":{\"cached_tokens\":%d}}}\n\ndata: [DONE]\n\n",
			delta, finish, a.tokens, a.cached)
	}
	switch {
	case a.summary:
		say(fmt.Sprintf(`{"content":%q}`, m.summary(a.text)), "stop")
	case m.made == m.steps:
		say(`{"content":"Finished."}`, "stop")
	default:
		m.made++
		say(fmt.Sprintf(`{"content":"Step %d, as planned.","tool_calls":[{"index":0,"id":"call_%d","function":{"name":"look","arguments":"{\"n\":%d}"}}]}`, m.made, m.made, m.made), "tool_calls")
	}
}

// tokens counts a request, and what of it the cache has: the messages that begin it as they began the one before.
func (m *counting) tokens(tools string, messages []json.RawMessage) (a asking) {
	all := []string{tools}
	for _, text := range messages {
		all = append(all, string(text))
	}
	same := true
	for i, text := range all {
		n, ok := m.known[text]
		if !ok {
			n = count(text)
			m.known[text] = n
		}
		a.tokens += n
		if same = same && i < len(m.before) && m.before[i] == text; same {
			a.same++
			a.cached += n
		}
	}
	a.messages, a.earlier = len(all), len(m.before)
	m.before = all
	return a
}

// summary keeps what was kept before, the oldest fact, and the newest.
func (m *counting) summary(seen string) string {
	found := factWord.FindAllString(seen, -1)
	for _, f := range []string{found[0], found[len(found)-1]} {
		if !slices.Contains(m.facts, f) {
			m.facts = append(m.facts, f)
		}
	}
	for _, f := range m.facts {
		if !strings.Contains(seen, f) {
			m.t.Errorf("the model is asked for a summary and cannot see %s any more", f)
		}
	}
	return "## Task\nLook at everything.\n## Decisions\nTo look in order.\n## Files\nNone.\n## Open work\nThe rest.\n## What failed\nNothing.\n" + strings.Join(m.facts, "\n")
}

type lookArgs struct {
	N int `json:"n"`
}

// look is a tool whose results hold a fact each, which nothing else says.
var look = tool.Definition[lookArgs]{
	Spec:    tool.Spec{Name: "look", Description: "looks", ReadOnly: true, Schema: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}}}`)},
	Targets: func(tool.World, lookArgs) (tool.Targets, error) { return tool.Targets{}, nil },
	Run: func(_ context.Context, _ tool.World, _ tool.Call, a lookArgs, _ tool.Grow) tool.Result {
		return tool.Result{Status: tool.Success, Text: fact(a.N) + " " + strings.Repeat("The quick brown fox. ", 38)}
	},
}.Tool()

// outputs is where whole outputs are kept.
func outputs(dir string) func(string) (io.WriteCloser, string, error) {
	return func(name string) (io.WriteCloser, string, error) {
		path := filepath.Join(dir, name+".txt")
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		return f, path, err
	}
}

func countingBed(t *testing.T, m *counting, window int) (*bed, string) {
	b, dir := newBed(t, `{"stop":"stop"}`), t.TempDir()
	model := llmtest.Open(openaichat.Provider, llm.Options{BaseURL: m.URL, HTTP: m.Client()})
	b.setup = func() *agent.Setup {
		return &agent.Setup{Model: model, Provider: "mine", ModelName: "counting", ContextLimit: window, MaxOutput: 4000, Tools: tool.NewSet(look),
			World: tool.World{Spill: outputs(dir)}, Steps: 10_000, System: "You are Parley.\nAlways run the tests.", Threshold: 0.8, Target: 0.5}
	}
	return b, dir
}

// A session of 1,000 steps goes through 20 compactions and more against a server that counts its own way: it is never
// refused, nearly all of it comes out of the cache, the summaries too, and each of its facts can still be read: what the user
// said at the start, and what the model saw just before each cut, in the request itself; all others in files that it names.
func TestThousandStepsInASmallWindow(t *testing.T) {
	steps, window := 1000, 24_000
	if need.Long() {
		steps, window = 5000, 64_000
	}
	m := newCounting(t, steps, window)
	b, dir := countingBed(t, m, window)
	b.must(command.Prompt{Text: "Look at everything, and remember the word marzipan."})
	s := transcript.New()
	var cuts []event.ContextCompacted
	summaries := 0
	for e, err := range b.log.After(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		for _, violation := range transcript.Check(s, e) {
			t.Errorf("%d %s: %s", e.Seq, e.Kind(), violation.Error())
		}
		s.Apply(e)
		switch b := e.Body.(type) {
		case event.ContextCompacted:
			cuts = append(cuts, b)
			if b.Entry != "" {
				summaries++
			}
		case event.NoteAdded:
			t.Errorf("%+v", b)
		case event.FaultRaised:
			t.Errorf("%+v", b)
		}
		if e.Kind() == "run.ended" {
			break
		}
	}
	if m.refused > 0 || m.made != steps || len(cuts) < 20 || summaries < 5 {
		t.Fatalf("%d refused, %d steps, %d compactions, %d summaries", m.refused, m.made, len(cuts), summaries)
	}
	checkCuts(t, cuts, window)
	checkCache(t, m, len(cuts))
	checkFacts(t, m, dir, steps)
	t.Logf("%d steps, %d compactions, %d summaries, %d files", steps, len(cuts), summaries, len(glob(t, dir)))
}

// checkCuts holds each compaction to the target, and to what it says.
func checkCuts(t *testing.T, cuts []event.ContextCompacted, window int) {
	for i, c := range cuts {
		kept := 0
		for _, k := range c.Kept {
			kept += k.Tokens
		}
		if c.TokensAfter > window/2 || c.TokensAfter < window/4 || c.TokensBefore < window*6/10 || kept != c.TokensAfter {
			t.Errorf("compaction %d: %d to %d tokens of %d, kept %+v", i, c.TokensBefore, c.TokensAfter, window, c.Kept)
		}
		if c.Entry != "" && (c.File == "" || len(c.Elided) > 0) || c.Entry == "" && len(c.Files) != len(c.Elided) {
			t.Errorf("compaction %d cannot be read again: %d elided, %d files, %q", i, len(c.Elided), len(c.Files), c.File)
		}
	}
}

// checkCache holds each request to begin with all of the one before, except where something was cut.
func checkCache(t *testing.T, m *counting, cuts int) {
	tokens, cached, broken := 0, 0, 0
	for i, a := range m.asked {
		tokens, cached = tokens+a.tokens, cached+a.cached
		if i > 0 && a.same < a.earlier {
			if broken++; a.summary {
				t.Errorf("request %d: the summary is asked for with %d of the %d messages of the request before", i, a.same, a.earlier)
			}
		}
	}
	if broken > cuts {
		t.Errorf("the prefix changed %d times, and there were %d compactions", broken, cuts)
	}
	if share := float64(cached) / float64(tokens); share < 0.9 {
		t.Errorf("%.1f %% of %d tokens came out of the cache", 100*share, tokens)
	} else {
		t.Logf("%.1f %% of %d tokens came out of the cache", 100*share, tokens)
	}
}

// checkFacts holds the last request to what was planted.
func checkFacts(t *testing.T, m *counting, dir string, steps int) {
	last := m.asked[len(m.asked)-1].text
	for _, want := range append([]string{"Always run the tests.", "marzipan"}, m.facts...) {
		if !strings.Contains(last, want) {
			t.Errorf("the last request does not have %q any more", want)
		}
	}
	readable := last
	for _, file := range glob(t, dir) {
		if strings.Contains(last, file) || strings.Contains(last, "conversation-*.txt") && strings.HasPrefix(filepath.Base(file), "conversation-") {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			readable += string(text)
		}
	}
	for n := 1; n <= steps; n++ {
		if !strings.Contains(readable, fact(n)) {
			t.Errorf("fact %d can be read nowhere", n)
		}
	}
}

func glob(t *testing.T, dir string) []string {
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}
