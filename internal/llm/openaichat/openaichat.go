// Package openaichat speaks OpenAI's chat completions, as OpenAI and every compatible server serve them: Ollama, vLLM,
// llama.cpp, OpenRouter, LM Studio, DeepSeek and many more.
//
// It is written by hand (docs/adr/0005): what is sent is exactly what is here, and of what comes the members that
// matter are read. Compatible servers differ in small ways; the differences that are taken are listed at [chunk] and
// [calls]. Thinking is read from reasoning_content, reasoning, and content parts of type thinking; it is given back
// only to the server that sent it, in the field it used, and only within the run of calls it belongs to, or as
// reasoning_details, where the server sends those.
//
// The system prompt has the role system, which every server knows. The package does not retry and reads no
// environment.
package openaichat

import (
	"net"
	"net/url"
	"strings"

	"parley/internal/llm"
)

// Provider is the wire with OpenAI's server and Ollama's.
var Provider = llm.Provider{
	Type: "openai-chat",
	Wire: &llm.Wire{
		Base: "https://api.openai.com/v1", Version: "/v1", Authorize: llm.Bearer, Encode: encode, Decode: decode,
		Images:   images,
		ListPath: "/models", ReadList: llm.ReadList,
	},
	Servers: []llm.Server{
		{Name: "openai-chat", KeyEnv: "OPENAI_API_KEY", BaseEnv: "OPENAI_BASE_URL"},
		{Name: "ollama", BaseURL: "http://127.0.0.1:11434/v1", BaseEnv: "OLLAMA_HOST", ReadBase: ollamaURL},
	},
}

// images is what most servers of the wire take. What is said of it differs: Groq reads five pictures of 3 MB
// (https://console.groq.com/docs/vision), OpenAI 500; llama.cpp and Ollama read no WebP
// (https://github.com/nothings/stb/blob/master/stb_image.h). Where one takes fewer, it says so.
var images = llm.ImageLimits{Types: []string{"image/png", "image/jpeg"}, Edge: 2_048, Bytes: 3_000_000, Total: 36 << 20}

// ollamaURL reads OLLAMA_HOST as the Ollama client does: an address, or a host or a port alone; the address to listen
// on at all interfaces means this host.
func ollamaURL(text string) string {
	text = strings.TrimSpace(text)
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	u, err := url.Parse(text)
	if err != nil {
		return text
	}
	host, port := u.Hostname(), u.Port()
	switch host {
	case "", "0.0.0.0", "::":
		host = "127.0.0.1"
	}
	if port == "" && u.Scheme == "http" {
		port = "11434"
	}
	u.Host = host
	if port != "" {
		u.Host = net.JoinHostPort(host, port)
	}
	if path := strings.TrimRight(u.Path, "/"); !strings.HasSuffix(path, "/v1") {
		u.Path = path + "/v1"
	}
	return u.String()
}
