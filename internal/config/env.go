package config

import (
	"encoding/json"
	"net"
	"net/url"
	"reflect"
	"slices"
	"strings"
)

// Env is an environment. An empty variable counts as none.
type Env map[string]string

// NewEnv makes an Env of NAME=VALUE texts, as os.Environ returns them; of a
// name that comes twice the last counts.
func NewEnv(environ []string) Env {
	env := make(Env, len(environ))
	for _, text := range environ {
		if name, value, ok := strings.Cut(text, "="); ok && name != "" {
			env[name] = value
		}
	}
	return env
}

// variables are the environment variables that set a key, with the change that
// is made to their value.
var variables = []struct {
	name  string
	path  []string
	value func(string) string
}{
	{"OPENAI_BASE_URL", []string{"providers", "openai", "base_url"}, nil},
	{"OPENAI_BASE_URL", []string{"providers", "openai-chat", "base_url"}, nil},
	{"ANTHROPIC_BASE_URL", []string{"providers", "anthropic", "base_url"}, nil},
	{"GOOGLE_GEMINI_BASE_URL", []string{"providers", "gemini", "base_url"}, nil},
	{"OLLAMA_HOST", []string{"providers", "ollama", "base_url"}, ollamaURL},
	// https://no-color.org
	{"NO_COLOR", []string{"ui", "color"}, func(string) string { return "never" }},
}

// keyVariables hold the keys of the built-in providers.
var keyVariables = []string{"OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"}

// Variables are the names of the environment variables that the built-in
// configuration looks at, those with keys of providers first.
func Variables() []string {
	names := slices.Clone(keyVariables)
	seen := map[string]bool{}
	for _, v := range variables {
		if !seen[v.name] {
			names = append(names, v.name)
		}
		seen[v.name] = true
	}
	return names
}

func envSettings(env Env) []setting {
	var out []setting
	for _, v := range variables {
		value := env[v.name]
		if value == "" {
			continue
		}
		if v.value != nil {
			value = v.value(value)
		}
		out = append(out, setting{path: v.path, value: value, origin: Origin{Layer: LayerEnvironment, Name: v.name}})
	}
	return out
}

// ollamaURL reads OLLAMA_HOST as the Ollama client does: an address, or a host
// or a port alone; the address to listen on at all interfaces means this host.
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

// flagSettings reads flags as if they stood in a file.
func flagSettings(flags []Flag, rule func(string) error) ([]setting, Problems) {
	var settings []setting
	var problems Problems
	for _, f := range flags {
		got, wrong := parse(flagText(f), Origin{Layer: LayerFlag, Name: f.Name}, rule)
		for _, w := range wrong {
			w.Line, w.Column = 0, 0
			w.Text = strings.TrimPrefix(w.Text, f.Key+": ")
			problems = append(problems, w)
		}
		for _, s := range got {
			// Of a flag that comes twice the last counts.
			settings = slices.DeleteFunc(settings, func(old setting) bool { return !old.many && old.key() == s.key() })
			settings = append(settings, s)
		}
	}
	return settings, problems
}

// flagText is a file that says what the flag does.
func flagText(f Flag) []byte {
	names := strings.Split(f.Key, ".")
	text := f.Value
	switch kind := fieldOf(names).Kind(); {
	case kind == reflect.Slice:
		text = "[" + jsonText(f.Value) + "]"
	case kind != reflect.Bool && kind != reflect.Int && kind != reflect.Float64, !json.Valid([]byte(f.Value)):
		text = jsonText(f.Value)
	}
	for _, name := range slices.Backward(names) {
		text = "{" + jsonText(name) + ":" + text + "}"
	}
	return []byte(text)
}

// fieldOf is the type of the value at a path; of an unknown one, a text.
func fieldOf(names []string) reflect.Type {
	t := reflect.TypeFor[Config]()
	for _, name := range names {
		var next reflect.Type
		switch t.Kind() {
		case reflect.Map:
			next = t.Elem()
		case reflect.Struct:
			for i := range t.NumField() {
				if tag, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); tag == name {
					next = t.Field(i).Type
				}
			}
		}
		if next == nil {
			return reflect.TypeFor[string]()
		}
		t = next
	}
	return t
}

// jsonText is a JSON string.
func jsonText(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		return `""` // strings always marshal
	}
	return string(b)
}
