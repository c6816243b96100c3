// Package anthropic speaks Anthropic's messages API, as Anthropic and compatible servers serve it.
//
// Thinking blocks, with their signatures, and redacted ones are kept as opaque data and given back whole, at their
// places. The prompt is cached at the end of the tools, of the system prompt, and of the last two user turns
// (https://platform.claude.com/docs/en/build-with-claude/prompt-caching). How an effort is asked for is the model's: those
// of today think as much as they see fit, older ones get a budget.
//
// It is written by hand (docs/adr/0005): what is sent is exactly what is here, and of what comes the members that
// matter are read. The package does not retry and reads no environment.
package anthropic

import (
	"net/http"

	"parley/internal/llm"
)

// Provider is the wire with Anthropic's server.
var Provider = llm.Provider{
	Type: "anthropic",
	Wire: &llm.Wire{
		Base: "https://api.anthropic.com", Version: "/v1", Authorize: authorize, Encode: encode, Decode: decode,
		Images:   images,
		ListPath: "/models?limit=1000", ReadList: llm.ReadList,
	},
	Servers: []llm.Server{{Name: "anthropic", KeyEnv: "ANTHROPIC_API_KEY", BaseEnv: "ANTHROPIC_BASE_URL"}},
}

// older are the models that are asked for thinking by a number of tokens
// (https://platform.claude.com/docs/en/build-with-claude/extended-thinking).
var older = llm.Thinker{Way: llm.Budget, Between: llm.Asked}

// images is what the API takes (https://platform.claude.com/docs/en/build-with-claude/vision#request-limits): 8,000 pixels a
// side, but 2,000 as soon as there are more than twenty pictures; 5 MB in base64 at the servers that take the least;
// models of today take more than 100. A request may have 32 MB.
var images = llm.ImageLimits{
	Types: []string{"image/jpeg", "image/png", "image/webp"},
	Edge:  2_000, Bytes: 5 << 20 / 4 * 3, Number: 100, Total: 20 << 20,
}

func authorize(h http.Header, key string) {
	// https://platform.claude.com/docs/en/api/versioning
	h.Set("Anthropic-Version", "2023-06-01")
	if key != "" {
		h.Set("X-Api-Key", key)
	}
}
