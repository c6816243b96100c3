package config

import (
	"encoding/json"
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

// envSettings are what the environment says: other addresses for the built-in providers, and that there are no colours.
func envSettings(env Env, kinds Kinds) []setting {
	var out []setting
	set := func(variable, value string, path ...string) {
		out = append(out, setting{path: path, value: value, origin: Origin{Layer: LayerEnvironment, Name: variable}})
	}
	for _, s := range kinds.servers() {
		value := env[s.BaseEnv]
		if value == "" {
			continue
		}
		if s.ReadBase != nil {
			value = s.ReadBase(value)
		}
		set(s.BaseEnv, value, "providers", s.Name, "base_url")
	}
	// https://no-color.org
	if env["NO_COLOR"] != "" {
		set("NO_COLOR", "never", "ui", "color")
	}
	return out
}

// flagSettings reads flags as if they stood in a file.
func flagSettings(flags []Flag, g grammar) ([]setting, Problems) {
	var settings []setting
	var problems Problems
	for _, f := range flags {
		got, wrong := parse(flagText(f), Origin{Layer: LayerFlag, Name: f.Name}, g)
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
			for _, f := range fieldsOf(t) {
				if f.name == name {
					next = f.kind
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
