package llm

import (
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// overflowCodes are the codes and types of errors that say that a request is larger than the model's window, whatever
// their words are.
var overflowCodes = map[string]bool{
	"context_length_exceeded":          true, // https://platform.openai.com/docs/guides/error-codes; Groq, Cerebras, Azure
	"string_above_max_length":          true, // OpenAI, of a single text: https://github.com/BerriAI/litellm/issues/12158
	"request_too_large":                true, // https://platform.claude.com/docs/en/api/errors
	"exceed_context_size_error":        true, // llama.cpp, tools/server/README.md
	"model_max_prompt_tokens_exceeded": true, // Copilot: https://github.com/anomalyco/opencode/issues/14064
	"model_context_window_exceeded":    true, // z.ai: https://github.com/earendil-works/pi/blob/main/packages/ai/src/utils/overflow.ts
	"tokens_limit_reached":             true, // GitHub Models: https://github.com/eslint/tsc-meetings/pull/593
	"1261":                             true, // Zhipu: https://github.com/NousResearch/hermes-agent/pull/1877
	"ContextWindowExceededError":       true, // LiteLLM: https://docs.litellm.ai/docs/exception_mapping
}

// phrase is words that servers use. In a pattern, <limit>, <prompt>, <reserved> and <requested> are numbers of tokens: the
// most, the request's, those kept for the answer, and both together.
type phrase struct {
	pattern string
	// server and source say whose words they are.
	server, source string
}

const piList = "https://github.com/earendil-works/pi/blob/main/packages/ai/src/utils/overflow.ts"

// overflowWords are those of a request that is larger than the window, tried in this order. They count where neither the
// status nor the code tells.
var overflowWords = []phrase{
	{"prompt is too long: <requested> tokens > <limit> maximum", "Anthropic, also at Bedrock", "https://github.com/aaif-goose/goose/pull/7504"},
	{"prompt is too long: <prompt>, model maximum context length: <limit>", "Fireworks", "https://github.com/fw-ai/cookbook/issues/134"},
	{"prompt is too long", "Anthropic and many gateways", piList},
	{"input length and `?max_tokens`? exceed context limit: <prompt> \\+ <reserved> > <limit>", "Anthropic", "https://github.com/anthropics/claude-code/issues/228"},
	{"request (?:size )?exceeds the maximum (?:allowed )?(?:size|number of bytes)", "Anthropic", piList},
	{"maximum context length is <limit> tokens?.*?requested <reserved> output tokens.*?at least <prompt> input tokens(?:, for a total of at least <requested> tokens)?",
		"vLLM from 0.11, Cloudflare", "https://github.com/AIDotNet/OpenCowork/issues/82"},
	{"passed <prompt> input tokens and requested <reserved> output tokens.*?context length is only <limit> tokens", "vLLM", "https://github.com/vllm-project/vllm/pull/31632"},
	{"prompt \\((?:total )?length <prompt>\\) is longer than the maximum model length of <limit>", "vLLM from 0.8", "https://github.com/xorbitsai/inference/issues/3785"},
	{"prompt \\((?:total )?length <prompt>\\) is too long to fit into the model \\(context length <limit>\\)", "vLLM 0.6", "https://github.com/vllm-project/vllm/issues/12165"},
	{"maximum context length is <limit> tokens?.*?requested (?:about )?<requested> tokens \\(<prompt> (?:in the messages|in your prompt)[,;] <reserved> (?:in|for) the completion\\)",
		"DeepSeek, vLLM, OpenAI until 2023", "https://github.com/vllm-project/vllm/issues/20409"},
	{"maximum context length is <limit> tokens?.*?requested (?:about )?<requested> tokens", "OpenRouter, DeepSeek", "https://github.com/refly-ai/refly/issues/1177"},
	{"maximum context length is <limit> tokens?.*?resulted in <prompt> tokens", "OpenAI, Azure", "https://github.com/huggingface/smolagents/issues/1719"},
	{"input tokens exceed the configured limit of <limit> tokens.*?resulted in <prompt> tokens", "OpenAI", "https://github.com/archi-physics/archi/issues/497"},
	{"maximum context length of <limit> tokens.*?total of <requested> tokens: <prompt> tokens from the input messages and <reserved> tokens",
		"SGLang, Cloudflare", "https://github.com/anomalyco/models.dev/pull/4422"},
	{"input length \\(<prompt>(?: tokens)?\\) exceeds (?:the |model's )?(?:maximum allowed length|maximum context length) \\(<limit>(?: tokens)?\\)",
		"SGLang, LiteLLM", "https://github.com/sgl-project/sglang/issues/4048"},
	{"input \\(<prompt> tokens\\) is longer than the model's context length \\(<limit> tokens\\)", "SGLang, Together", "https://github.com/sgl-project/sglang/issues/8096"},
	{"exceeds (?:the )?(?:model'?s )?maximum context length(?: of)?(?: \\(?<limit>)?", "LiteLLM", piList},
	{"input length <prompt> exceeds the maximum allowed input length of <limit> tokens", "Poolside at OpenRouter", piList},
	{"`inputs` tokens \\+ `max_new_tokens` must be <= <limit>. Given: <prompt> `inputs` tokens and <reserved> `max_new_tokens`", "Together, TGI", "https://github.com/BerriAI/litellm/issues/4934"},
	{"input token count \\(?<prompt>\\)? exceeds the maximum number of tokens allowed \\(?<limit>", "Gemini", "https://github.com/google-gemini/gemini-cli/issues/4692"},
	{"input token count exceeds the maximum number of tokens allowed \\(?<limit>", "Gemini, Vertex", "https://github.com/warpdotdev/warp/issues/15662"},
	{"input token count is <prompt> but model only supports up to <limit>", "Vertex", "https://github.com/langchain-ai/langchain-google/issues/300"},
	{"maximum prompt length is <limit> but the request contains <prompt> tokens", "xAI", piList},
	{"reduce the length of the messages or completion. Current length is <requested> while limit is <limit>", "Cerebras", "https://github.com/cline/cline/issues/5140"},
	{"reduce the length of the messages", "Groq", "https://github.com/OpenHands/OpenHands/issues/1902"},
	{"prompt token count of <prompt> exceeds the limit of <limit>", "Copilot", piList},
	{"request \\(<prompt> tokens\\) exceeds the available context size \\(<limit> tokens\\)", "llama.cpp from b6000", "https://github.com/ggml-org/llama.cpp/blob/master/tools/server/server-context.cpp"},
	{"exceeds the available context size", "llama.cpp", piList},
	{"context size has been exceeded", "llama.cpp, in the middle of an answer", "https://github.com/ggml-org/llama.cpp/blob/master/tools/server/server-context.cpp"},
	{"keep the first <prompt> tokens when context the overflows.*?context length of only <limit> tokens", "LM Studio", "https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/546"},
	{"tokens to keep from the initial prompt is greater than the context length(?: \\(n_keep: ?<prompt> ?>= ?n_ctx: ?<limit>\\))?", "LM Studio", "https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/2256"},
	{"reached context length of <limit> tokens", "LM Studio", "https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/1251"},
	{"exceeded model token limit: <limit> \\(requested: <requested>\\)", "Kimi", piList},
	{"context window exceeds limit", "MiniMax", piList},
	{"prompt contains <prompt> tokens.*?too large for model with <limit> maximum context length", "Mistral", piList},
	{"prompt too long; exceeded (?:max )?context length", "Ollama", piList},
	{"input (?:length )?exceeds (?:the )?(?:maximum )?context length", "Ollama", "https://github.com/ITSpecialist111/ai_automation_suggester/issues/37"},
	{"prompt exceeds max length", "Zhipu", "https://github.com/NousResearch/hermes-agent/pull/1877"},
	{"reached its context window limit", "z.ai", "https://github.com/modu-ai/moai-adk/issues/676"},
	{"range of input length should be \\[1, ?<limit>\\]", "DashScope", "https://github.com/QwenLM/qwen-code/issues/98"},
	{"input is too long for requested model", "Bedrock", "https://github.com/aws-samples/bedrock-chat/issues/95"},
	{"request body too large for .*?max size: <limit> tokens", "GitHub Models", "https://github.com/eslint/tsc-meetings/pull/593"},
	{"exceeds? the context window", "OpenAI", piList},
	{"context[_ ]length[_ ]exceeded", "gateways that pass a code on as words", piList},
	{"model_context_window_exceeded", "gateways that pass a code on as words", piList},
}

// rateWords are those of a rate or a quota: a request that says so fits, but not now. They are looked for first, because
// some have the words of an overflow in them.
var rateWords = []phrase{
	{"rate limit reached.*?: limit <limit>, used [0-9,]+, requested <requested>", "OpenAI", "https://github.com/openai/codex/issues/231"},
	{"request too large for .*?: limit <limit>, requested <requested>", "OpenAI, Groq", "https://github.com/continuedev/continue/issues/10218"},
	{"tokens per (?:min|minute|day)|\\b(?:TPM|TPD|RPM|RPD)\\b", "OpenAI, Groq", "https://github.com/openai/codex/issues/797"},
	{"too many tokens, please wait|too many tokens per day", "Bedrock", piList},
	{"throttl(?:ed|ing)", "Bedrock", piList},
	{"rate[ _-]?limit", "everybody", piList},
	{"too many requests", "everybody", piList},
	{"exceeded your current quota|quota exceeded", "Gemini, OpenAI", "https://ai.google.dev/gemini-api/docs/rate-limits"},
}

var number = regexp.MustCompile(`<(limit|prompt|reserved|requested)>`)

// compiled are the patterns of phrases, made when the first error asks for them.
func compiled(phrases []phrase) func() []*regexp.Regexp {
	return sync.OnceValue(func() []*regexp.Regexp {
		out := make([]*regexp.Regexp, len(phrases))
		for i, p := range phrases {
			out[i] = regexp.MustCompile("(?is)" + number.ReplaceAllString(p.pattern, `(?P<$1>[0-9][0-9,]*)`))
		}
		return out
	})
}

var (
	overflowPatterns = compiled(overflowWords)
	ratePatterns     = compiled(rateWords)
)

// says tells whether a message has one of the words, and takes the numbers that they hold.
func (f *Fault) says(message string, patterns []*regexp.Regexp) bool {
	for _, p := range patterns {
		found := p.FindStringSubmatch(message)
		if found == nil {
			continue
		}
		said := func(name string) int {
			if i := p.SubexpIndex(name); i >= 0 {
				n, _ := strconv.Atoi(strings.ReplaceAll(found[i], ",", ""))
				return n
			}
			return 0
		}
		f.count(said("limit"), said("requested"), said("prompt"), said("reserved"))
		return true
	}
	return false
}

// count notes numbers of tokens. Where the whole is not said it is the sum of its parts.
func (f *Fault) count(limit, requested, prompt, reserved int) {
	if requested == 0 {
		requested = prompt + reserved
	}
	f.Limit, f.Requested, f.Reserved = limit, requested, reserved
}

// classify tells a request that is too large from one that comes too soon: by the status, then by the code, then by words.
// A rate is never taken for an overflow, whatever it says.
func (f *Fault) classify(c *complaint) {
	is := func(codes map[string]bool) bool {
		return slices.ContainsFunc(c.codes, func(code string) bool { return codes[code] })
	}
	tooLarge := f.Status == http.StatusRequestEntityTooLarge
	switch {
	case f.Status == http.StatusTooManyRequests, is(rateCodes):
		f.says(c.message, ratePatterns())
		f.rate(c, is(spentCodes))
	case is(overflowCodes):
		f.overflow(c)
	case f.says(c.message, ratePatterns()):
		f.rate(c, is(spentCodes))
	case f.Code == CodeDenied, f.Code == CodeNotFound, f.Status == http.StatusPaymentRequired:
	case tooLarge, f.says(c.message, overflowPatterns()):
		f.overflow(c)
	}
}

// overflow makes the fault one of a request that is too large: it stays so, however often it is sent.
func (f *Fault) overflow(c *complaint) {
	f.Code, f.Overflow, f.Retryable, f.Retry = CodeInvalid, true, false, 0
	f.says(c.message, overflowPatterns())
	if f.Limit == 0 && c.limit > 0 {
		f.count(c.limit, 0, c.prompt, 0)
	}
}

// rateCodes and spentCodes are those of a rate, and of an account that has nothing left, which waiting does not help.
var (
	rateCodes = map[string]bool{
		"rate_limit_exceeded": true, "rate_limit_error": true, "RESOURCE_EXHAUSTED": true, "ThrottlingException": true,
		"tokens": true, "requests": true, // types of OpenAI and Groq
	}
	spentCodes = map[string]bool{
		"insufficient_quota": true, "billing_hard_limit_reached": true, "billing_not_active": true,
	}
)

// rate makes the fault one of a limit. A request that is larger than all there is in a minute never gets through.
func (f *Fault) rate(c *complaint, spent bool) {
	switch {
	case f.Status == 0, f.Status == http.StatusRequestEntityTooLarge:
		f.Code, f.Retryable = CodeLimit, true
	case f.Status == http.StatusTooManyRequests, f.Status >= 500:
		f.Code = CodeLimit
	}
	if spent || f.Limit > 0 && f.Requested > f.Limit {
		f.Retryable, f.Retry = false, 0
	}
	if f.Retry == 0 && f.Retryable {
		f.Retry = waitIn(c.message)
	}
}
