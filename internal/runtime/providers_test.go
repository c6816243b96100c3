package runtime

import (
	"flag"
	"os"
	"testing"

	"parley/internal/config"
	"parley/internal/llm"
)

var update = flag.Bool("update", false, "rewrite the generated documents")

// docs/config.schema.json is what the types of the configuration and of the providers say.
func TestConfigSchemaDocument(t *testing.T) {
	const name = "../../docs/config.schema.json"
	want, err := config.Schema(Builtin.Kinds())
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(name, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(name)
	if err != nil || string(got) != string(want) {
		t.Errorf("%s is not what the types say; go test ./internal/runtime -run Schema -update writes it (%v)", name, err)
	}
}

// Each built-in provider says one thing of itself, and all of it.
func TestBuiltinProvidersAreComplete(t *testing.T) {
	types, servers := map[string]bool{}, map[string]bool{}
	for _, p := range Builtin {
		if p.Type == "" || types[p.Type] {
			t.Errorf("type %q is empty, or twice there", p.Type)
		}
		types[p.Type] = true
		if (p.Wire == nil) == (p.Local == nil) {
			t.Errorf("%s has a wire and is local, or neither", p.Type)
		}
		for _, s := range p.Servers {
			if s.Name == "" || servers[s.Name] {
				t.Errorf("%s: server %q has no name, or is twice there", p.Type, s.Name)
			}
			servers[s.Name] = true
		}
	}
	c, _, err := config.Load(config.Sources{Kinds: Builtin.Kinds()})
	if err != nil {
		t.Error(err)
	}
	for name := range servers {
		p, err := c.Provider(name, nil)
		if err != nil || p.BaseURL == "" && !p.Local {
			t.Errorf("%s: %+v, %v", name, p, err)
		}
		if _, err := NewModels(Builtin, "", today).In(c, nil, 0).alias(p, "default", llm.Listing{}); p.KeyEnv != "" && err != nil {
			t.Errorf("%s/default stands for nothing where its server does not answer: %v", name, err)
		}
	}
}
