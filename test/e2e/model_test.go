package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"

	"parley/test/rig"
)

// A speaker is the server of a model that says what a test has it say, when it
// does, and nothing else: what happens meanwhile has all the time that it needs.
type speaker struct {
	says chan string // closed: that was all
}

// newSpeaker makes a home's model one that waits to be told what to say.
func newSpeaker(t *testing.T, home *rig.Home) *speaker {
	t.Helper()
	s := &speaker{says: make(chan string)}
	server := httptest.NewServer(s)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	configure(t, home, fmt.Sprintf(`{"model":"speaker/large","providers":{"speaker":{"type":"openai-chat","base_url":%q}}}`, server.URL))
	return s
}

// ServeHTTP answers one request to the model, in one piece for each that is said. Of its models it says nothing.
func (s *speaker) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	if q.URL.Path != "/v1/chat/completions" {
		http.NotFound(w, q)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	chunk := func(delta, finish string) {
		fmt.Fprintf(w, `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"large","choices":[{"index":0,"delta":%s,"finish_reason":%s}]}`+"\n\n", delta, finish)
		w.(http.Flusher).Flush()
	}
	for {
		select {
		case text, more := <-s.says:
			if !more {
				chunk("{}", `"stop"`)
				fmt.Fprint(w, "data: [DONE]\n\n")
				return
			}
			chunk(`{"content":`+strconv.Quote(text)+`}`, "null")
		case <-q.Context().Done():
			return
		}
	}
}

// say says a text so often.
func (s *speaker) say(text string, times int) {
	for range times {
		s.says <- text
	}
}

// end ends the answer.
func (s *speaker) end() { close(s.says) }
