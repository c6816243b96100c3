package cli

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"slices"
	"time"

	"parley/internal/llm"
	"parley/internal/runtime"
)

// toy is a provider as a package below llm has it. It is all that the program is told of it; that this is enough is
// what testdata/script/new_provider.txtar shows.
var toy = llm.Provider{
	Type:    "toy",
	Servers: []llm.Server{{Name: "toys", KeyEnv: "TOY_TOKEN", BaseEnv: "TOY_HOST"}},
	Wire: &llm.Wire{
		Base: "https://toys.example", Version: "/v1", ListPath: "/shelf", ReadList: llm.ReadList,
		Authorize: func(h http.Header, key string) { h.Set("X-Toy", key) },
		Encode: func(r llm.Request, _ llm.Target) (llm.Post, error) {
			return llm.Post{Path: "/talk/" + r.Model, Body: []byte(r.Messages[len(r.Messages)-1].Role)}, nil
		},
		Decode: func(a *llm.Answer) llm.Decoder { return toyDecoder{a} },
	},
}

// toyDecoder takes events that are a text, or a command to run.
type toyDecoder struct{ answer *llm.Answer }

func (d toyDecoder) Event(data []byte) (bool, error) {
	if arguments, ok := bytes.CutPrefix(data, []byte("bash ")); ok {
		d.answer.Call(d.answer.Start("", "bash"), "bash", string(arguments))
	} else {
		d.answer.Text(string(data))
	}
	return false, nil
}

func (d toyDecoder) End() error { return nil }

// november is when the tests of this package play: what is known of models has a date.
func november() time.Time { return time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC) }

// played is the program's world on that day.
func played() *app {
	a := processApp(patient)
	a.now = november
	return a
}

// toyMain is the program with that provider and the dialect chat.
func toyMain() {
	a := played()
	a.providers = append(slices.Clone(runtime.Builtin), toy)
	a.dialects = maps.Clone(dialects)
	a.dialects["chat"] = dialect{listen: listenLines(&chat), print: &format{&chat, ""}}
	os.Exit(a.main(os.Args[1:]))
}

// serveToys is the server of the toys: first its model looks at its environment, then it says who it is.
func serveToys(w http.ResponseWriter, q *http.Request) {
	if q.Header.Get("X-Toy") != "planted-token" {
		refuse(w, q, "")
		return
	}
	switch q.URL.Path {
	case "/toys/v1/shelf":
		fmt.Fprint(w, `{"data":[{"id":"bear"},{"id":"duck"}]}`)
	case "/toys/v1/talk/bear":
		w.Header().Set("Content-Type", "text/event-stream")
		if role, _ := io.ReadAll(q.Body); string(role) == string(llm.Tool) {
			fmt.Fprint(w, "data: I am a\n\ndata: -bear.\n\n")
		} else {
			fmt.Fprint(w, `data: bash {"command": "env; tr '\\0' '\\n' </proc/$PPID/environ"}`+"\n\n")
		}
	default:
		http.NotFound(w, q)
	}
}
