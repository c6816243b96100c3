package llmtest

import (
	"net/http"
	"strings"
	"testing"

	"parley/internal/llm"
)

// Fuzz feeds the wire any bytes as a stream: they are an answer that keeps the laws.
func Fuzz(f *testing.F, w Wire) {
	for _, body := range []string{w.Text, w.Calls} {
		f.Add(body)
		f.Add(strings.ReplaceAll(body, "\n", "\r\n"))
		f.Add(body[:len(body)/2])
		for _, e := range Events(body) {
			f.Add(e)
		}
	}
	f.Fuzz(func(t *testing.T, body string) {
		m := w.open(llm.Options{BaseURL: "http://host.invalid/v1", Key: llm.Secret(Secret), HTTP: &http.Client{Transport: canned(body)}})
		r := First()
		h, parts := Hear(m.Stream(t.Context(), r))
		if err := Laws(r, parts); err != nil {
			t.Errorf("%v in %#v", err, parts)
		}
		// What was heard can be asked again, whatever it was.
		Hear(m.Stream(t.Context(), Second(h)))
	})
}
