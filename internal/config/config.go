package config

import (
	"fmt"
	"strings"
	"time"
)

// Config is the effective configuration, or one layer of it. The tags are the
// schema: names, texts, the values a field may have.
type Config struct {
	Schema     string              `json:"$schema,omitempty" jsonschema:"address of this schema, for editors"`
	Model      string              `json:"model,omitempty" jsonschema:"the model as provider/model; provider/default and provider/fast stand for the newest ones that suit"`
	Providers  map[string]Provider `json:"providers,omitempty" jsonschema:"servers of models by name; the built-in ones can be changed"`
	Permission Permission          `json:"permission,omitzero" jsonschema:"rules on tools, such as bash(git status:*), edit(src/**) or fetch(example.org)"`
	Mode       string              `json:"mode,omitempty" jsonschema:"which calls run without a question; ask: reading in the workspace; edits: changes in it too, and commands where the fence is full; all: everything that no rule denies" enum:"ask,edits,all"`
	Reasoning  string              `json:"reasoning,omitempty" jsonschema:"how hard the model thinks before it answers, or the nearest that it takes; by default its own choice" enum:"efforts"`
	// SystemPrompt and AppendSystemPrompt are about what the program itself tells the model, not about AGENTS.md.
	SystemPrompt       string  `json:"system_prompt,omitempty" jsonschema:"what the model is told first, in place of the program's own words; AGENTS.md, folder and date follow it"`
	AppendSystemPrompt string  `json:"append_system_prompt,omitempty" jsonschema:"what the model is told after the program's own words, or after system_prompt"`
	Context            Context `json:"context,omitzero" jsonschema:"what happens before the context window is full"`
	Limits             Limits  `json:"limits,omitzero" jsonschema:"when a run is stopped"`
	Daemon             Daemon  `json:"daemon,omitzero" jsonschema:"the background process that holds the sessions"`
	Fetch              Fetch   `json:"fetch,omitzero" jsonschema:"the tool that reads web pages"`
	Sandbox            Sandbox `json:"sandbox,omitzero" jsonschema:"the fence around the commands that the model runs"`
	UI                 UI      `json:"ui,omitzero" jsonschema:"the terminal"`

	kinds Kinds // that it was read with
}

// Provider is a server that has models.
type Provider struct {
	Type      string `json:"type,omitempty" jsonschema:"the protocol that it speaks" enum:"types"`
	BaseURL   string `json:"base_url,omitempty" jsonschema:"the address in front of the protocol's paths; by default the vendor's own" format:"url"`
	APIKeyEnv string `json:"api_key_env,omitempty" jsonschema:"the environment variable that holds the key; none: no key is sent"`
	// APIKeyCommand is run by a shell in the client's environment.
	APIKeyCommand string            `json:"api_key_command,omitempty" jsonschema:"a shell command that prints the key, or JSON with key and expires_at or expires_in; run again when the key has run out or was refused"`
	Headers       map[string]Secret `json:"headers,omitempty" jsonschema:"sent with each request; ${NAME} stands for an environment variable"`
	Models        map[string]Model  `json:"models,omitempty" jsonschema:"what you say of its models, over what is known of them; others work too"`
}

// Model is what the user says of a model. Zero fields say nothing.
type Model struct {
	Context   int    `json:"context,omitempty" jsonschema:"size of the context window in tokens" min:"1"`
	MaxOutput int    `json:"max_output,omitempty" jsonschema:"most tokens of one answer" min:"1"`
	Reasoning string `json:"reasoning,omitempty" jsonschema:"how hard this model thinks, over reasoning of all models" enum:"efforts"`
	Price     Price  `json:"price,omitzero" jsonschema:"what it costs, in US dollars for a million tokens"`
}

// Price is what a million tokens cost, in US dollars. Nil is not said.
type Price struct {
	Input       *float64 `json:"input,omitempty" jsonschema:"tokens sent" min:"0" max:"10000"`
	Output      *float64 `json:"output,omitempty" jsonschema:"tokens received" min:"0" max:"10000"`
	CachedRead  *float64 `json:"cached_read,omitempty" jsonschema:"tokens sent that are read from the provider's cache" min:"0" max:"10000"`
	CachedWrite *float64 `json:"cached_write,omitempty" jsonschema:"tokens sent that are written to the provider's cache" min:"0" max:"10000"`
}

// Permission holds rules as they are written; package permission reads them.
type Permission struct {
	Allow []string `json:"allow,omitempty" jsonschema:"calls that run without a question" format:"rule"`
	Deny  []string `json:"deny,omitempty" jsonschema:"calls that never run" format:"rule"`
	Ask   []string `json:"ask,omitempty" jsonschema:"calls that ask, though a broader rule allows them" format:"rule"`
}

// Context says how the history is kept below the size of the model's window.
type Context struct {
	Strategy  string  `json:"strategy,omitempty" jsonschema:"hybrid: old tool output goes first, then a summary replaces the oldest turns; off: the run ends when the window is full" enum:"hybrid,off"`
	Threshold float64 `json:"threshold,omitempty" jsonschema:"share of the window at which it begins" min:"0.1" max:"1"`
	Target    float64 `json:"target,omitempty" jsonschema:"share of the window that it makes room down to" min:"0.05" max:"1"`
}

// Limits stop a run that does not end by itself.
type Limits struct {
	Steps   int `json:"steps,omitempty" jsonschema:"answers of the model in one run" min:"1"`
	Repeats int `json:"repeats,omitempty" jsonschema:"how often the same calls with the same results may come around, one or several by turns, before you are asked; without you the model is told once, and then the run ends" min:"1"`
}

// Daemon is about the background process.
type Daemon struct {
	Idle Duration `json:"idle,omitempty" jsonschema:"how long a daemon that a client started stays without clients, runs and jobs, such as 30m"`
}

// Fetch is about the tool of that name.
type Fetch struct {
	Private bool `json:"private,omitempty" jsonschema:"also fetch from private and local addresses"`
}

// Sandbox is about the fence around commands.
type Sandbox struct {
	Fence   string   `json:"fence,omitempty" jsonschema:"auto: the best that the machine has; off: commands have all of your rights" enum:"auto,off"`
	Write   []string `json:"write,omitempty" jsonschema:"files and folders outside of the workspace that commands may change: absolute, or below ~/"`
	Network string   `json:"network,omitempty" jsonschema:"hosts: those that are listed, and others after a question; open: the network as it is" enum:"hosts,open"`
	Hosts   []string `json:"hosts,omitempty" jsonschema:"hosts that commands may connect to: NAME, *.NAME, an address or a network, with :PORT or for 80 and 443"`
}

// UI is about the terminal.
type UI struct {
	Color    string `json:"color,omitempty" jsonschema:"whether to use colours; auto: on a terminal" enum:"auto,always,never"`
	Thinking string `json:"thinking,omitempty" jsonschema:"whether the model's thinking is shown" enum:"show,hide"`
	Wrap     string `json:"wrap,omitempty" jsonschema:"who breaks finished lines; terminal: it does, at its edge, sets them anew when it is resized and copies them as one line; words: Parley does, between words, and they stay so" enum:"terminal,words"`
}

// Duration is a time.Duration that is written as text, such as 30m.
type Duration time.Duration

// String is the text that UnmarshalText reads, such as 2h or 1m30s.
func (d Duration) String() string {
	s := time.Duration(d).String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// MarshalText is [Duration.String].
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads a duration above zero, such as 90s or 1h30m.
func (d *Duration) UnmarshalText(b []byte) error {
	parsed, err := time.ParseDuration(string(b))
	if err != nil || parsed <= 0 {
		return fmt.Errorf("%q is not a duration; examples: 90s, 30m, 1h30m", b)
	}
	*d = Duration(parsed)
	return nil
}

// Clone returns a copy that shares nothing with c.
func (c Config) Clone() Config {
	out := c
	out.Providers = make(map[string]Provider, len(c.Providers))
	for name, p := range c.Providers {
		out.Providers[name] = p.clone()
	}
	out.Permission = Permission{
		Allow: append([]string(nil), c.Permission.Allow...),
		Deny:  append([]string(nil), c.Permission.Deny...),
		Ask:   append([]string(nil), c.Permission.Ask...),
	}
	out.Sandbox.Write = append([]string(nil), c.Sandbox.Write...)
	out.Sandbox.Hosts = append([]string(nil), c.Sandbox.Hosts...)
	return out
}

func (p Provider) clone() Provider {
	out := p
	out.Headers = make(map[string]Secret, len(p.Headers))
	for name, value := range p.Headers {
		out.Headers[name] = value
	}
	out.Models = make(map[string]Model, len(p.Models))
	for name, model := range p.Models {
		out.Models[name] = model
	}
	return out
}
