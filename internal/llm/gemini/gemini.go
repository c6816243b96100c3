// Package gemini speaks Google's Gemini API (generativelanguage, v1beta), as Google and compatible servers serve it.
//
// It is written by hand; docs/adr/0002 says why. Calls mostly come without ids: those get ids here and are given back
// without. Thought signatures are kept as opaque data and go back in the part they came in
// (https://ai.google.dev/gemini-api/docs/thought-signatures); a call that another model made gets the documented
// stand-in for one. Thinking is read, and never given back.
//
// The package does not retry and reads no environment.
package gemini

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"parley/internal/llm"
)

// Provider is the wire with Google's server.
var Provider = llm.Provider{
	Type: "gemini",
	Wire: &llm.Wire{
		Base: "https://generativelanguage.googleapis.com", Version: "/v1beta", Authorize: authorize, Encode: encode, Decode: decode,
		Images:   images,
		ListPath: "/models?pageSize=1000", ReadList: list,
	},
	Servers: []llm.Server{{Name: "gemini", KeyEnv: "GEMINI_API_KEY", BaseEnv: "GOOGLE_GEMINI_BASE_URL"}},
}

// second are the models of the second generation: they are asked for thinking by a number of tokens.
var second = llm.Thinker{Way: llm.Budget}

// images is what the API takes (https://ai.google.dev/gemini-api/docs/image-understanding, and for the size of one file
// https://docs.cloud.google.com/vertex-ai/generative-ai/docs/multimodal/image-understanding): 20 MB in a request with
// base64. It scales what is larger than 3,072 pixels.
var images = llm.ImageLimits{
	Types: []string{"image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"},
	Edge:  3_072, Bytes: 7_000_000, Number: 900, Total: 14 << 20,
}

func authorize(h http.Header, key string) {
	if key != "" {
		// In a header, because addresses end up in logs.
		h.Set("X-Goog-Api-Key", key)
	}
}

// list finds the models that write in {"models":[{"name":"models/…"}]}.
func list(body []byte) (names []string, ok bool) {
	var sent struct {
		Models []struct {
			Name    string   `json:"name"`
			Methods []string `json:"supportedGenerationMethods"`
		} `json:"models"`
	}
	if json.Unmarshal(body, &sent) != nil || sent.Models == nil {
		return nil, false
	}
	for _, m := range sent.Models {
		if m.Methods == nil || slices.Contains(m.Methods, "generateContent") {
			names = append(names, strings.TrimPrefix(m.Name, "models/"))
		}
	}
	return names, true
}
