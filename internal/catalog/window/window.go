// Package window learns from a server how large the window of one of its models is. Hosted models are in the catalog;
// those of a server at home are not, and how much of its window a model gets there is a matter of how it was loaded.
//
// [Ask] puts the questions that Ollama, llama.cpp, vLLM and LM Studio answer, and takes the answer that is most to be
// believed. The other functions read one answer each; they are pure, take anything, and return the zero window for what
// tells nothing. The sizes they return are from [Least] to [Most].
//
// Asking loads no model, changes nothing at the server and is over at the deadline. The package does not decide whom to
// ask, and it does not guess: see [catalog.Best] and [catalog.Guess].
package window

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"parley/internal/catalog"
)

// Least and Most are the sizes in tokens that are believed.
const (
	Least = 256
	Most  = 100_000_000
)

// size is a number of tokens as servers write it; whatever else stands there is 0.
type size int

// UnmarshalJSON never fails: what is no number tells nothing, and the rest of the answer still counts.
func (s *size) UnmarshalJSON(text []byte) error {
	*s = 0
	if n, err := strconv.Atoi(string(text)); err == nil && n >= Least && n <= Most {
		*s = size(n)
	}
	return nil
}

func (s size) window(source catalog.Source, of string) catalog.Window {
	if s == 0 {
		return catalog.Window{}
	}
	return catalog.Window{Tokens: int(s), Source: source, Of: of}
}

// List reads the list of models of a server, GET /v1/models, for the model of that name. The fields of an entry:
//
//   - max_model_len: vLLM, https://docs.vllm.ai/en/stable/api/vllm/entrypoints/openai/models/protocol (ModelCard)
//   - meta.n_ctx_train: llama.cpp, https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md (GET /v1/models)
//   - context_length: OpenRouter, https://openrouter.ai/docs/api-reference/list-available-models
//   - context_window: Groq, https://console.groq.com/docs/api-reference#models-list
//
// A list of one is that of a server with one model, whatever it is asked for: llama.cpp gives it the name of its file.
func List(body []byte, name string) catalog.Window {
	var sent struct {
		Data []struct {
			ID      string
			MaxLen  size `json:"max_model_len"`
			Length  size `json:"context_length"`
			Window  size `json:"context_window"`
			Trained struct {
				Context size `json:"n_ctx_train"`
			} `json:"meta"`
		}
	}
	if json.Unmarshal(body, &sent) != nil {
		return catalog.Window{}
	}
	for _, m := range sent.Data {
		if m.ID == name || len(sent.Data) == 1 {
			return catalog.Best(
				m.MaxLen.window(catalog.Listed, "max_model_len"),
				m.Length.window(catalog.Listed, "context_length"),
				m.Window.window(catalog.Listed, "context_window"),
				m.Trained.Context.window(catalog.Trained, "n_ctx_train"),
			)
		}
	}
	return catalog.Window{}
}

// LlamaProps reads what llama.cpp's server says of itself, GET /props: the window of one of its slots
// (https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md, GET /props).
func LlamaProps(body []byte) catalog.Window {
	var sent struct {
		Settings struct {
			Context size `json:"n_ctx"`
		} `json:"default_generation_settings"`
	}
	if json.Unmarshal(body, &sent) != nil {
		return catalog.Window{}
	}
	return sent.Settings.Context.window(catalog.Loaded, "n_ctx of llama.cpp")
}

// OllamaShow reads what Ollama says of a model, POST /api/show: num_ctx among its parameters is what it will be loaded
// with, and context_length of its architecture what it was trained for
// (https://github.com/ollama/ollama/blob/main/docs/api.md#show-model-information). Without num_ctx Ollama loads it with
// as little as 4,096 (https://github.com/ollama/ollama/blob/main/docs/context-length.mdx), and does not say so here.
func OllamaShow(body []byte) catalog.Window {
	var sent struct {
		Parameters string
		Info       map[string]json.RawMessage `json:"model_info"`
	}
	if json.Unmarshal(body, &sent) != nil {
		return catalog.Window{}
	}
	var set, trained size
	for line := range strings.Lines(sent.Parameters) {
		if f := strings.Fields(line); len(f) == 2 && f[0] == "num_ctx" {
			_ = set.UnmarshalJSON([]byte(f[1]))
		}
	}
	var architecture string
	_ = json.Unmarshal(sent.Info["general.architecture"], &architecture) // another kind of value: no such key
	_ = trained.UnmarshalJSON(sent.Info[architecture+".context_length"])
	return catalog.Best(set.window(catalog.Listed, "num_ctx of Ollama"), trained.window(catalog.Trained, "context_length of Ollama"))
}

// OllamaRunning reads which models Ollama has loaded, GET /api/ps, and with which window
// (https://github.com/ollama/ollama/blob/main/docs/api.md#list-running-models). A name without a tag is its latest.
func OllamaRunning(body []byte, name string) catalog.Window {
	var sent struct {
		Models []struct {
			Name, Model string
			Context     size `json:"context_length"`
		}
	}
	if json.Unmarshal(body, &sent) != nil {
		return catalog.Window{}
	}
	names := []string{name, name + ":latest"}
	for _, m := range sent.Models {
		if slices.Contains(names, m.Name) || slices.Contains(names, m.Model) {
			return m.Context.window(catalog.Loaded, "context_length of Ollama")
		}
	}
	return catalog.Window{}
}

// LMStudio reads LM Studio's own list of models, GET /api/v0/models: loaded_context_length of one that is loaded, and
// max_context_length of any (https://lmstudio.ai/docs/developer/rest/endpoints).
func LMStudio(body []byte, name string) catalog.Window {
	var sent struct {
		Data []struct {
			ID     string
			Loaded size `json:"loaded_context_length"`
			Most   size `json:"max_context_length"`
		}
	}
	if json.Unmarshal(body, &sent) != nil {
		return catalog.Window{}
	}
	for _, m := range sent.Data {
		if m.ID == name {
			return catalog.Best(
				m.Loaded.window(catalog.Loaded, "loaded_context_length of LM Studio"),
				m.Most.window(catalog.Trained, "max_context_length of LM Studio"),
			)
		}
	}
	return catalog.Window{}
}
