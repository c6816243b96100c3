package llm

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// pictureCodes are the codes of a picture that is not taken.
var pictureCodes = map[string]bool{
	"invalid_image": true, "invalid_image_format": true, "invalid_image_url": true, "invalid_image_file": true,
	"image_parse_error": true, "image_too_large": true, "image_too_small": true, "image_file_too_large": true,
	"unsupported_image_media_type": true, "invalid_base64_image": true, "empty_image_file": true,
	// https://github.com/openai/openai-python/blob/main/src/openai/types/responses/response_error.py
}

// pictureWords are those of a picture that is not taken, blindWords those of a model that takes none, and crowdWords those
// of too many: their number is the most.
var (
	pictureWords = []phrase{
		{"could not process image|image dimensions exceed|image exceeds .* maximum|specified using the image/\\S+ media type", "Anthropic", "https://github.com/anthropics/claude-code/issues/4778"},
		{"\\.image\\.source\\b", "Anthropic, of a part of the request", "https://github.com/earendil-works/pi/issues/8808"},
		{"(?:invalid|unsupported) image|does not represent a valid image", "OpenAI, Ollama", "https://github.com/ollama/ollama/issues/7247"},
		{"unable to process input image|provided image is not valid|inline_data", "Gemini", "https://github.com/google-gemini/gemini-cli/issues/5064"},
		{"(?:failed|unable|cannot) (?:to )?(?:load|decode|parse|identify|process) (?:the )?(?:input )?image|cannot identify image file", "llama.cpp, vLLM", "https://github.com/ggml-org/llama.cpp/blob/master/tools/server/server-common.cpp"},
	}
	blindWords = []phrase{
		{"no endpoints found that support image input", "OpenRouter", "https://github.com/nexu-io/nexu/issues/875"},
		{"(?:does not|doesn't|do not) support (?:image|vision|multi-?modal)", "Ollama", "https://github.com/ollama/ollama/issues/17301"},
		{"image input is not supported|image_url is (?:only|not) supported", "llama.cpp, OpenAI", "https://github.com/vllm-project/vllm/issues/11629"},
		{"is not a multi-?modal model|requires multimodal endpoint", "vLLM, xLLM", "https://github.com/xLLM-AI/xllm/issues/801"},
		{"unknown variant `image_url`", "DeepSeek", "https://api-docs.deepseek.com/api/create-chat-completion"},
	}
	crowdWords = []phrase{
		{"at most <limit> images?(?:\\(s\\))? may be provided", "vLLM", "https://github.com/vllm-project/vllm/blob/main/vllm/entrypoints/chat_utils.py"},
		{"too many images.*?(?:up to|at most|maximum of|limit of|>) <limit>", "Anthropic, Groq", "https://console.groq.com/docs/vision"},
	}
	picturePatterns = compiled(pictureWords)
	blindPatterns   = compiled(blindWords)
	crowdPatterns   = compiled(crowdWords)
)

// blame returns err, or the Fault that names the pictures where they are the cause.
func (f fitted) blame(err error, body []byte) error {
	var r *refusal
	if len(f.attached) == 0 || !errors.As(err, &r) || r.Overflow || r.Retryable && r.Status < 500 {
		return err
	}
	var guilty []attached
	said := func(patterns []*regexp.Regexp) bool {
		return slices.ContainsFunc(patterns, func(p *regexp.Regexp) bool { return p.MatchString(r.message) })
	}
	switch {
	case r.Code == CodeDenied, r.Status == http.StatusPaymentRequired:
		return err
	case said(blindPatterns()):
		guilty = f.attached
	case said(crowdPatterns()):
		guilty = f.crowd(r.message)
	case slices.ContainsFunc(r.codes, func(code string) bool { return pictureCodes[code] }), said(picturePatterns()):
		guilty = f.suspects(r.param+" "+r.message, body)
	default:
		return err
	}
	fault := *r.Fault
	fault.Code, fault.Retryable, fault.Retry = CodeInvalid, false, 0
	for _, g := range guilty {
		fault.Pictures = append(fault.Pictures, g.picture())
	}
	return &fault
}

// crowd is all but the newest pictures, of which so many are taken as the message says.
func (f fitted) crowd(message string) []attached {
	for _, p := range crowdPatterns() {
		if found := p.FindStringSubmatch(message); found != nil {
			most, _ := strconv.Atoi(found[p.SubexpIndex("limit")])
			return f.attached[:max(1, len(f.attached)-most)]
		}
	}
	return f.attached
}

// place finds where in a request something is: messages.7.content.2.image, input[3].content[1], contents[0].parts[2].
var place = regexp.MustCompile(`\b(?:messages|input|contents)[.\[][\w.\[\]]*`)

// suspects are the pictures that a message may mean: those at the place that it names, else those that came since the last
// answer, else all; the newest first.
func (f fitted) suspects(message string, body []byte) (out []attached) {
	if at := element(body, place.FindString(message)); at != nil {
		for _, s := range f.attached {
			if bytes.Contains(at, []byte(base64.StdEncoding.EncodeToString(s.sent))) {
				out = append(out, s)
			}
		}
	}
	if len(out) == 0 {
		out = f.attached[f.old():]
	}
	if len(out) == 0 {
		out = f.attached
	}
	out = slices.Clone(out)
	slices.Reverse(out)
	return out
}

// old is the number of pictures that are sent with the messages up to the last answer: the server took them before.
func (f fitted) old() int {
	last := 0
	for i, m := range f.Messages {
		if m.Role == Assistant {
			last = i
		}
	}
	n := 0
	for _, m := range f.Messages[:last] {
		for _, c := range m.Parts {
			switch c := c.(type) {
			case Image:
				n++
			case ToolResult:
				n += len(c.Images)
			}
		}
	}
	return min(n, len(f.attached))
}

// element is what a path in a request leads to, as far as it leads; nil where it leads nowhere.
func element(body []byte, path string) json.RawMessage {
	at, moved := json.RawMessage(body), false
	for _, step := range strings.FieldsFunc(path, func(r rune) bool { return strings.ContainsRune(".[]", r) }) {
		var object map[string]json.RawMessage
		var list []json.RawMessage
		n, err := strconv.Atoi(step)
		switch {
		case err == nil && json.Unmarshal(at, &list) == nil && n < len(list):
			at, moved = list[n], true
		case json.Unmarshal(at, &object) == nil && object[step] != nil:
			at = object[step]
		default:
			if !moved {
				return nil
			}
			return at
		}
	}
	if !moved {
		return nil
	}
	return at
}
