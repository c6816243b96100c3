package llmtest

import (
	_ "embed" // the file of words
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"parley/internal/llm"
)

//go:embed testdata/words.txt
var words string

// Saying is what a server answers, and what has to come of it, in the words of the file.
type Saying struct {
	Server string
	Status int
	Body   string
	Want   string
}

// Sayings are what servers answer to a request that is too large, and what only sounds like it: the file of words, in
// blocks of three lines.
func Sayings() (out []Saying) {
	for block := range strings.SplitSeq(words, "\n\n") {
		var lines []string
		for line := range strings.Lines(block) {
			if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
				lines = append(lines, line)
			}
		}
		if len(lines) == 0 {
			continue
		}
		status, body, _ := strings.Cut(lines[1], " ")
		n, err := strconv.Atoi(status)
		if err != nil || len(lines) != 3 {
			panic(fmt.Sprintf("words.txt: %q", lines))
		}
		out = append(out, Saying{lines[0], n, body, lines[2]})
	}
	return out
}

// verdict is a fault in the file's words.
func verdict(f *llm.Fault) string {
	var out []string
	number := func(name string, n int) {
		if n > 0 {
			out = append(out, fmt.Sprintf("%s=%d", name, n))
		}
	}
	switch {
	case f == nil:
		return "no fault"
	case f.Overflow:
		out = append(out, "overflow")
	case f.Code == llm.CodeLimit:
		out = append(out, "limit")
	default:
		return "other"
	}
	if f.Retryable {
		out = append(out, "retry")
	}
	if f.Retry > 0 {
		out = append(out, "wait="+f.Retry.String())
	}
	number("limit", f.Limit)
	number("requested", f.Requested)
	number("reserved", f.Reserved)
	return strings.Join(out, " ")
}

// What servers say of a request that is too large is told from a rate and from everything else, as the answer to the
// request and inside of the stream.
func (w Wire) words(t *testing.T) {
	for _, s := range Sayings() {
		t.Run(s.Server, func(t *testing.T) {
			kind := "application/json"
			if s.Body[0] == '<' {
				kind = "text/html"
			}
			got, parts := w.ask(Serve(t, Reply{Status: s.Status, Type: kind, Body: s.Body}), First())
			w.check(t, parts)
			if v := verdict(got.End.Fault); v != s.Want {
				t.Errorf("%s, want %s: %+v", v, s.Want, got.End.Fault)
			}
			message, code := spoken(s.Body)
			if message == "" || s.Status == 403 {
				return // the status alone tells
			}
			got, parts = w.ask(Serve(t, Reply{Body: w.Error(message, code)}), First())
			w.check(t, parts)
			if v := verdict(got.End.Fault); !inStream(s.Want, v) {
				t.Errorf("in the stream %s, want %s: %+v", v, s.Want, got.End.Fault)
			}
		})
	}
}

// spoken is an error's words and its code, where it has one that is no number.
func spoken(body string) (message, code string) {
	var b struct {
		Error struct{ Message, Code, Type string }
	}
	if json.Unmarshal([]byte(body), &b) != nil || b.Error.Message == "" {
		return "", ""
	}
	for _, code := range []string{b.Error.Code, b.Error.Type} {
		if _, err := strconv.Atoi(code); err != nil && code != "" {
			return b.Error.Message, code
		}
	}
	return b.Error.Message, "some_error"
}

// inStream tells whether two verdicts agree as far as words and codes go: a stream has neither status nor details.
func inStream(want, got string) bool {
	first := func(s string) string { word, _, _ := strings.Cut(s, " "); return word }
	return first(want) == first(got)
}
