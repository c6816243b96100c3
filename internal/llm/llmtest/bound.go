package llmtest

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"parley/internal/llm"
	"parley/test/need"
)

// stretch finds the first event of a body that has one of the words, and what comes before it. The word becomes a longer
// one.
func stretch(body, word, longer string) (before, event string) {
	events := Events(body)
	for i, e := range events {
		if strings.Contains(e, word) {
			return strings.Join(events[:i], ""), strings.Replace(e, word, longer, 1)
		}
	}
	panic("no event has " + word)
}

// kinds are what an answer may be made of, without end: texts, thoughts and arguments.
func (w Wire) kinds(filler string) map[string][2]string {
	pair := func(before, event string) [2]string { return [2]string{before, event} }
	return map[string][2]string{
		"text":      pair(stretch(w.Text, Said[:5], filler)),
		"thinking":  pair(stretch(w.Text, Thought[:9], filler)),
		"arguments": pair(stretch(w.Calls, "path", filler)),
	}
}

// An answer has a bound, whatever it is made of: what fits is given out, the rest is not read.
func (w Wire) bound(t *testing.T) {
	const most = 10_000
	for kind, body := range w.kinds("wörter ") {
		t.Run(kind, func(t *testing.T) {
			s := Serve(t, Reply{Body: body[0] + strings.Repeat(body[1], 5_000), Hold: true})
			o := llm.Options{BaseURL: s.URL, Key: llm.Secret(Secret), HTTP: s.Client(), Longest: most}
			h, parts := Hear(w.open(o).Stream(t.Context(), First()))
			<-s.Left()
			w.check(t, parts)
			want := fmt.Sprintf("the answer is longer than %d bytes; the rest of it was not read", most)
			if f := h.End.Fault; f == nil || f.Code != llm.CodeLimit || f.Retryable || f.Message != want {
				t.Errorf("%+v", f)
			}
			size := len(h.Text) + len(h.Thinking)
			for _, c := range h.Calls {
				size += len(c.Arguments) + len(c.Malformed)
			}
			if size > most || kind != "arguments" && size < most-100 || !utf8.ValidString(h.Text+h.Thinking) {
				t.Errorf("%d bytes of %d", size, most)
			}
		})
	}
}

// An answer of 50 MB takes less than twice the bound, whatever it is made of.
func (w Wire) memory(t *testing.T) {
	need.Time(t)
	for kind, body := range w.kinds(strings.Repeat("many words ", 400)) {
		t.Run(kind, func(t *testing.T) {
			var mu sync.Mutex // guards the two below
			var peak uint64
			looked := 0
			live := func() uint64 {
				runtime.GC()
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				return m.HeapAlloc
			}
			before := live()
			s := Serve(t)
			s.Endless(body[0], body[1], 50<<20, func(sent int) {
				mu.Lock()
				defer mu.Unlock()
				if sent-looked > 1<<20 {
					looked = sent
					peak = max(peak, live())
				}
			})
			var end llm.End
			for p := range w.open(llm.Options{BaseURL: s.URL, Key: llm.Secret(Secret), HTTP: s.Client()}).Stream(t.Context(), First()) {
				if e, ok := p.(llm.End); ok {
					end = e
				}
			}
			mu.Lock() // the server may look once more
			defer mu.Unlock()
			if f := end.Fault; f == nil || f.Code != llm.CodeLimit {
				t.Errorf("%+v", f)
			}
			if looked < llm.Longest/2 {
				t.Errorf("looked until %d bytes", looked)
			}
			if peak > before+2*llm.Longest {
				t.Errorf("%d MiB more than before", (peak-before)>>20)
			}
			t.Logf("%d MiB more than before", (max(peak, before)-before)>>20)
		})
	}
}
