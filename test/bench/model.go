package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A model is a server of chat-completions on 127.0.0.1. The name of the model
// that is asked for is the answer: KIND-N is N deltas at once, KIND-N-RATE as
// many a second. The kinds are words, prose a word a delta; lines, a line a
// delta; and hello, three words.
type model struct {
	http http.Server
	base string // what ends with /v1

	mu   sync.Mutex // guards the fields below
	made map[string]answer
}

// An answer is rendered once.
type answer struct {
	text  int // bytes
	head  []byte
	chunk [][]byte
	tail  []byte
}

func newModel() (*model, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	m := &model{base: "http://" + l.Addr().String() + "/v1", made: make(map[string]answer)}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", m.complete)
	m.http.Handler = mux
	go func() { _ = m.http.Serve(l) }()
	return m, nil
}

func (m *model) Close() error { return m.http.Close() }

// env is what makes Parley use it.
func (m *model) env() []string { return []string{"OPENAI_API_KEY=bench", "OPENAI_BASE_URL=" + m.base} }

func (m *model) complete(w http.ResponseWriter, r *http.Request) {
	var q struct {
		Model string `json:"model"`
	}
	if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	kind, n, pace, err := parseModel(q.Model)
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	a := m.answer(kind, n)
	w.Header().Set("Content-Type", "text/event-stream")
	flush := http.NewResponseController(w).Flush
	write := func(b []byte) bool { _, err := w.Write(b); return err == nil }
	write(a.head)
	begin := time.Now()
	for i, c := range a.chunk {
		if pace > 0 {
			if wait := time.Until(begin.Add(time.Duration(i) * time.Second / time.Duration(pace))); wait > 0 {
				time.Sleep(wait)
			}
		}
		if !write(c) || pace > 0 && flush() != nil {
			return
		}
	}
	write(a.tail)
}

func parseModel(name string) (kind string, n, pace int, err error) {
	parts := strings.Split(name, "-")
	numbers := make([]int, 3)
	for i, p := range parts[1:] {
		if i > 1 {
			return "", 0, 0, fmt.Errorf("no model %q", name)
		}
		if numbers[i], err = strconv.Atoi(p); err != nil {
			return "", 0, 0, fmt.Errorf("no model %q", name)
		}
	}
	return parts[0], numbers[0], numbers[1], nil
}

func (m *model) answer(kind string, n int) answer {
	key := fmt.Sprint(kind, "-", n)
	m.mu.Lock()
	defer m.mu.Unlock()
	if a, ok := m.made[key]; ok {
		return a
	}
	var a answer
	event := func(delta, finish string) []byte {
		return fmt.Appendf(nil, `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1790000000,"model":%q,"choices":[{"index":0,"delta":%s,"finish_reason":%s}]}`+"\n\n", kind, delta, finish)
	}
	a.head = event(`{"role":"assistant","content":""}`, "null")
	for _, text := range deltas(kind, n) {
		quoted, err := json.Marshal(text)
		if err != nil {
			panic(err) // a string
		}
		a.text += len(text)
		a.chunk = append(a.chunk, event(`{"content":`+string(quoted)+`}`, "null"))
	}
	a.tail = event("{}", `"stop"`)
	a.tail = fmt.Appendf(a.tail, `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1790000000,"model":%q,"choices":[],"usage":{"prompt_tokens":40,"completion_tokens":%d,"total_tokens":%d}}`+"\n\ndata: [DONE]\n\n", kind, n, n+40)
	m.made[key] = a
	return a
}

// vocabulary is prose enough: words of one to eleven letters, none with an
// upper-case letter.
var vocabulary = strings.Fields(`the handler reads a request and looks for its session before it answers so that no
event is lost when the connection breaks in the middle of an answer which happens more often than one would think
each of the readers has a position of its own and comes back to it after a pause the writer never waits for them`)

// deltas is the text of an answer in pieces.
func deltas(kind string, n int) []string {
	var out []string
	switch kind {
	case "lines":
		for i := range n {
			out = append(out, fmt.Sprintf("%s %s %d\n", vocabulary[i%len(vocabulary)], vocabulary[i*7%len(vocabulary)], i))
		}
	case "hello":
		out = []string{"hello ", "to ", "you."}
	default:
		// Paragraphs of eighty words, each with a sentence's end.
		for i := range n {
			word := vocabulary[(i*i+i/3)%len(vocabulary)]
			switch {
			case i == n-1:
				word += "."
			case i%80 == 79:
				word += ".\n\n"
			case i%16 == 15:
				word += ". "
			default:
				word += " "
			}
			out = append(out, word)
		}
	}
	return out
}
