package cli

import (
	"archive/tar"
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"parley/internal/catalog/refresh"
)

// offers are what the servers of models of the scripts list, by the first part of their addresses. Those of vendors have
// no more than that; silent never answers when it is asked what it has, and unlisted has no list.
var offers = map[string][]string{
	"anthropic": {"claude-sonnet-5-5", "claude-sonnet-6", "claude-haiku-5-5", "claude-opus-5-5", "claude-embed-3"},
	"ended":     {"claude-sonnet-5-5"},
	"openai":    {"gpt-6.1-sol", "gpt-6-luna", "gpt-5", "claude-opus-5-5"},
	"silent":    nil,
	"unlisted":  nil,
	"home":      {"first", "second"},
}

// serveModels plays a server of models: it lists what it has, and each of its models says its name and how hard it was
// asked to think.
func serveModels(w http.ResponseWriter, q *http.Request) {
	server, path, _ := strings.Cut(strings.TrimPrefix(q.URL.Path, "/"), "/")
	var asked struct {
		Model  string
		Effort string                  `json:"reasoning_effort"`
		Config struct{ Effort string } `json:"output_config"`
	}
	switch path {
	case "v1/models":
		listModels(w, q, server)
		return
	case "v1/messages", "v1/chat/completions":
	default:
		http.NotFound(w, q)
		return
	}
	if err := json.NewDecoder(q.Body).Decode(&asked); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if has := offers[server]; has != nil && !slices.Contains(has, asked.Model) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprintf(w, `{"type":"error","error":{"type":"not_found_error","message":"model: %s"}}`, asked.Model)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	text := fmt.Sprintf("I am %s of %s, effort %s.", asked.Model, server, cmp.Or(asked.Effort, asked.Config.Effort, "unsaid"))
	if path == "v1/chat/completions" {
		fmt.Fprintf(w, "data: {\"model\":%q,\"choices\":[{\"index\":0,\"delta\":{\"content\":%q},\"finish_reason\":\"stop\"}]}\n\n", asked.Model, text)
		fmt.Fprint(w, "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":1000,\"completion_tokens\":100}}\n\ndata: [DONE]\n\n")
		return
	}
	for _, event := range []string{
		fmt.Sprintf(`{"type":"message_start","message":{"id":"m","model":%q,"usage":{"input_tokens":1000,"output_tokens":1}}}`, asked.Model),
		`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
		fmt.Sprintf(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":%q}}`, text),
		`{"type":"content_block_stop","index":0}`,
		`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":100}}`,
		`{"type":"message_stop"}`,
	} {
		fmt.Fprintf(w, "data: %s\n\n", event)
	}
}

func listModels(w http.ResponseWriter, q *http.Request, server string) {
	has, there := offers[server]
	if !there {
		http.NotFound(w, q)
		return
	}
	var entries []string
	for _, name := range has {
		entries = append(entries, fmt.Sprintf(`{"id":%q}`, name))
	}
	switch server {
	case "silent":
		<-q.Context().Done()
		return
	case "unlisted":
		http.NotFound(w, q)
		return
	case "home":
		entries[0] = `{"id":"first","max_model_len":32768}`
	}
	fmt.Fprintf(w, `{"data":[%s]}`, strings.Join(entries, ","))
}

// newest is the package that catalogs are made of, as a registry has it a month later: enough models of others, and one
// of Anthropic that is new.
var newest = sync.OnceValue(func() []byte {
	model := func(base, name string) string {
		return fmt.Sprintf(`"chat:%s":{"type":"chat","id":%[1]q,"baseUrl":%q,"reasoning":false,"input":["text"],"cost":{"input":3,"output":15,"cacheRead":0,"cacheWrite":0},"contextWindow":3000000,"maxTokens":100000}`, name, base)
	}
	var others []string
	for i := range 700 {
		others = append(others, model("https://api.together.ai/v1", fmt.Sprintf("open-%d", i)))
	}
	vendor := func(wire, base string, names ...string) string {
		var models []string
		for _, name := range names {
			models = append(models, model(base, name))
		}
		return fmt.Sprintf(`{%q:{%s}}`, wire, strings.Join(models, ","))
	}
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	files := tar.NewWriter(zip)
	for name, text := range map[string]string{
		"anthropic.json": vendor("anthropic-messages", "https://api.anthropic.com", "claude-sonnet-7", "claude-haiku-7"),
		"openai.json":    vendor("openai-responses", "https://api.openai.com/v1", "gpt-7-sol", "gpt-7-luna"),
		"google.json":    vendor("google-generative-ai", "https://generativelanguage.googleapis.com/v1beta", "gemini-7-pro", "gemini-7-flash"),
		"together.json":  fmt.Sprintf(`{"openai-completions":{%s}}`, strings.Join(others, ",")),
	} {
		_ = files.WriteHeader(&tar.Header{Name: "package/dist/providers/data/" + name, Mode: 0o644, Size: int64(len(text)), Typeflag: tar.TypeReg})
		_, _ = files.Write([]byte(text)) // into memory
	}
	_, _ = files.Close(), zip.Close()
	return out.Bytes()
})

// serveRegistry plays an npm registry that has that package; below /registry/broken its tarball is another than it says.
func serveRegistry(w http.ResponseWriter, q *http.Request) {
	if strings.HasSuffix(q.URL.Path, ".tgz") {
		tarball := newest()
		if strings.HasPrefix(q.URL.Path, "/registry/broken") {
			tarball = tarball[1:]
		}
		_, _ = w.Write(tarball) // the client may be gone
		return
	}
	at, found := strings.CutSuffix(q.URL.Path, "/"+refresh.Package)
	if !found {
		http.NotFound(w, q)
		return
	}
	sum := sha512.Sum512(newest())
	_ = json.NewEncoder(w).Encode(map[string]any{
		"dist-tags": map[string]string{"latest": "2.0.0"},
		"time":      map[string]string{"2.0.0": "2026-11-20T10:00:00Z"},
		"versions": map[string]any{"2.0.0": map[string]any{"license": "MIT", "dist": map[string]string{
			"integrity": "sha512-" + base64.StdEncoding.EncodeToString(sum[:]), "tarball": "http://" + q.Host + at + "/-/p.tgz"}}},
	})
}
