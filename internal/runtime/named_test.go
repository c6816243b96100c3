package runtime

import (
	"testing"
	"time"

	"parley/internal/config"
)

// What a text that names a model means: the words default and fast by what the servers list, a name alone where one
// provider has it, nothing at all the first that is ready. What cannot be found is said with what is near.
func TestFind(t *testing.T) {
	own := `{"providers": {
		"home": {"type": "openai-chat", "base_url": "http://home/v1"},
		"work": {"type": "openai-chat", "base_url": "http://work/v1", "api_key_env": "WORK_KEY", "models": {"b": {}, "a": {}, "fast": {}}},
	}}`
	servers := web{
		openaiHost:    lists("gpt-6-sol", "gpt-6.1-sol", "gpt-7-sol", "gpt-6-luna", "text-embedding-3-large", "house"),
		anthropicHost: lists("claude-sonnet-5-5", "claude-haiku-4-5-20251001"),
		googleHost:    lists("gemini-2.5-pro", "gemini-3.8-flash"),
		ollamaHost:    lists("qwen3:8b", "gpt-6-sol", "llama4:latest"),
		"home":        lists("first", "second"),
		"work":        lists("b", "house"),
	}
	for _, c := range []struct {
		what, config string
		env          config.Env
		text, beside string
		want         string
	}{
		{"nothing", "", keys, "", "", "openai/gpt-7-sol (default, the newest gpt-sol that the server lists)"},
		{"an alias", "", keys, "anthropic/default", "", "anthropic/claude-sonnet-5-5 (default, the newest claude-sonnet that the server lists)"},
		{"a dated name", "", keys, "anthropic/fast", "", "anthropic/claude-haiku-4-5-20251001 (fast, the newest claude-haiku that the server lists)"},
		{"not what is retired", "", keys, "gemini/default", "", "gemini/gemini-3.8-flash (default, the newest gemini-flash that the server lists)"},
		{"an alias alone", "", keys, "fast", "", "openai/gpt-6-luna (fast, the newest gpt-luna that the server lists)"},
		{"an alias beside a provider", "", keys, "fast", "anthropic", "anthropic/claude-haiku-4-5-20251001 (fast, the newest claude-haiku that the server lists)"},
		{"an alias of the configured provider", `{"model": "gemini/x"}`, keys, "fast", "", "gemini/gemini-3.8-flash (fast, the newest gemini-flash that the server lists)"},
		{"an alias beside what has none", `{"model": "script/x"}`, keys, "fast", "script", "openai/gpt-6-luna (fast, the newest gpt-luna that the server lists)"},
		{"configured", `{"model": "anthropic/default"}`, keys, "", "", "anthropic/claude-sonnet-5-5 (default, the newest claude-sonnet that the server lists)"},
		{"a name that nobody lists", "", keys, "openai/made-up", "", "openai/made-up"},
		{"a file", "", nil, "script/dir/a.ndjson", "", "script/dir/a.ndjson"},
		{"a server at home", "", nil, "", "", "ollama/qwen3:8b (default, the first that the server lists)"},
		{"one's own comes first", own, keys, "", "", "home/first (default, the first that the server lists)"},
		{"one's own with a key", own, config.Env{"WORK_KEY": "x"}, "work/default", "", "work/b (default, the first of those in the configuration)"},
		{"a model that is called so", own, config.Env{"WORK_KEY": "x"}, "work/fast", "", "work/fast"},
		{"a name alone", "", keys, "claude-sonnet-5-5", "", "anthropic/claude-sonnet-5-5"},
		{"a name alone without its date", "", keys, "claude-haiku-4-5", "", "anthropic/claude-haiku-4-5"},
		{"a name alone of a tag", "", nil, "llama4", "", "ollama/llama4"},
		{"a name of two at one address", "", config.Env{"OPENAI_API_KEY": "a", "OLLAMA_HOST": "nowhere"}, "gpt-6.1-sol", "", "openai/gpt-6.1-sol"},
		{"a name of two", "", keys, "gpt-6-sol", "", `"gpt-6-sol" is a model of 2 providers: name one of openai/gpt-6-sol, ollama/gpt-6-sol`},
		{"a name of one without a key", "", config.Env{"GEMINI_API_KEY": "c"}, "claude-opus-5-5", "", "claude-opus-5-5 is a model of anthropic, which has no key: set ANTHROPIC_API_KEY"},
		{"a slip", "", keys, "claude-sonet-5-5", "", `no provider that is ready has a model "claude-sonet-5-5"; near to it: anthropic/claude-sonnet-5-5`},
		{"near to nothing", "", keys, "wizard", "", `no provider that is ready has a model "wizard": name one as provider/model, such as openai/default; 'parley models' lists them`},
		{"a provider", "", keys, "anthropic", "", "anthropic is a provider: name a model of it, such as anthropic/default"},
		{"no provider", "", keys, "opnai/x", "", `there is no provider "opnai": did you mean "openai"? There are: openai, openai-chat, anthropic, gemini, ollama, script`},
		{"half a name", "", keys, "openai/", "", `"openai/" does not name a model: write provider/model, such as openai/default`},
		{"an alias without a key", "", nil, "anthropic/default", "", "provider anthropic has no key: set ANTHROPIC_API_KEY"},
		{"nothing is ready", "", config.Env{"OLLAMA_HOST": "nowhere"}, "", "", "no model: set OPENAI_API_KEY, ANTHROPIC_API_KEY or GEMINI_API_KEY, start ollama, or name one with --model provider/model"},
	} {
		t.Run(c.what, func(t *testing.T) {
			cfg := configured(t, c.config)
			if host := c.env["OLLAMA_HOST"]; host != "" {
				p := cfg.Providers["ollama"]
				p.BaseURL = "http://" + host
				cfg.Providers["ollama"] = p
			}
			n, fault := at(servers).In(cfg, c.env, time.Hour).Find(t.Context(), c.text, c.beside)
			got := n.String()
			switch {
			case fault != nil:
				got = fault.Message
			case n.Alias != "":
				got += " (" + n.Alias + ", " + n.Why + ")"
			}
			if got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}
