// Package openairesponses speaks OpenAI's responses API, as OpenAI and Azure serve it.
//
// Nothing is stored at the server: store is false, every request carries the whole conversation, and reasoning goes
// back as the encrypted items that came (https://platform.openai.com/docs/guides/reasoning#encrypted-reasoning-items).
// The phase of an assistant's message goes back with it. A tool spec with the name image_generation is the server's
// own image tool, whose picture comes as an llm.Image.
//
// It is written by hand (docs/adr/0005): what is sent is exactly what is here, and of what comes the members that
// matter are read. The package does not retry and reads no environment.
package openairesponses

import (
	"parley/internal/llm"
)

// ImageTool is the name of a tool spec that stands for the server's own image generation.
const ImageTool = "image_generation"

// Provider is the wire with OpenAI's server.
var Provider = llm.Provider{
	Type: "openai-responses",
	Wire: &llm.Wire{
		Base: "https://api.openai.com/v1", Version: "/v1", Authorize: llm.Bearer, Encode: encode, Decode: decode,
		Images:   images,
		ListPath: "/models", ReadList: llm.ReadList,
	},
	Servers: []llm.Server{{Name: "openai", KeyEnv: "OPENAI_API_KEY", BaseEnv: "OPENAI_BASE_URL"}},
}

// images is what the API takes (https://platform.openai.com/docs/guides/images-vision#image-input-requirements): 500
// pictures and 50 MB in a request, of which base64 is a third. It scales what is larger than 2,048 pixels, and its models of
// today read up to 6,000 where they are asked to, which they are not.
var images = llm.ImageLimits{
	Types: []string{"image/png", "image/jpeg", "image/webp"},
	Edge:  2_048, Bytes: 15 << 20, Number: 500, Total: 36 << 20,
}
