package config

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"parley/internal/regular"
	"parley/internal/scarce"
)

//go:embed defaults.jsonc
var defaults []byte

// Sources are what [Load] reads from. The zero value gives the built-in
// configuration.
type Sources struct {
	// Env is the environment of the client that the configuration is for.
	Env Env
	// User is the path of the user's file; empty: none. See [Paths].
	User string
	// Root is the absolute root of the workspace and Dir a folder in it, from
	// which workspace files are looked for upwards; empty: none are.
	Root, Dir string
	// Flags are the values of the command line, in its order.
	Flags []Flag
	// Trusted says whether the user trusts a workspace file of that path and
	// [File.Sum]; nil: no file is. See [Store.Trusted].
	Trusted func(path, sum string) (bool, error)
	// Kinds are the types of providers that there are, with those that are built in.
	Kinds Kinds
	// Rule says what is wrong with the text of a permission rule; nil: nothing.
	Rule func(text string) error
}

// Flag is a value of the command line.
type Flag struct {
	Name  string // as it is typed, such as --model
	Key   string // of the configuration, such as model
	Value string
}

// Dir and name of a workspace file.
const workspaceFile = ".parley/config.jsonc"

// Load reads all layers and merges them. The error is of type [Problems] if
// something is wrong with what they say; the Config then holds what is right,
// but nothing should run with it.
func Load(s Sources) (Config, Origins, error) {
	var origins Origins
	var problems Problems
	g := grammar{kinds: s.Kinds, rule: s.Rule}
	builtin, wrong := parse(defaults, Origin{Layer: LayerBuiltin}, g)
	builtin = append(builtin, s.Kinds.settings()...)
	problems = append(problems, wrong...)

	var userFile File
	var user []setting
	if s.User != "" {
		userFile, user, wrong = readFile(s.User, LayerUser, s)
		problems = append(problems, wrong...)
	}
	flags, wrong := flagSettings(s.Flags, g)
	problems = append(problems, wrong...)

	layers := [][]setting{flags, envSettings(s.Env, s.Kinds)} // the strongest first
	for _, path := range workspaceFiles(s.Root, s.Dir) {
		file, settings, wrong := readFile(path, LayerWorkspace, s)
		problems = append(problems, wrong...)
		if file.Found && !file.Trusted {
			var held []setting
			settings, held = narrow(settings, s.Kinds.served(builtin, user))
			origins.Withheld = append(origins.Withheld, entries(held)...)
		}
		origins.Files = append(origins.Files, file)
		layers = append(layers, settings)
	}
	if s.User != "" {
		origins.Files = append(origins.Files, userFile)
	}
	layers = append(layers, user, builtin)

	merged := merge(layers)
	origins.Entries = entries(merged)
	c, err := build(merged)
	if err != nil {
		return Config{}, origins, err
	}
	c.kinds = s.Kinds
	if len(problems) == 0 {
		problems = c.incomplete(origins)
	}
	if len(problems) > 0 {
		return c, origins, problems
	}
	return c, origins, nil
}

// workspaceFiles lists where workspace files may be, the nearest to dir first.
func workspaceFiles(root, dir string) []string {
	if root == "" {
		return nil
	}
	root = filepath.Clean(root)
	dir = filepath.Clean(dir)
	if rel, err := filepath.Rel(root, dir); err != nil || rel == ".." || strings.HasPrefix(rel, "../") {
		dir = root
	}
	var files []string
	for {
		files = append(files, filepath.Join(dir, workspaceFile))
		if dir == root || dir == filepath.Dir(dir) {
			return files
		}
		dir = filepath.Dir(dir)
	}
}

func readFile(path string, layer Layer, s Sources) (File, []setting, Problems) {
	file := File{Path: path, Layer: layer, Trusted: layer == LayerUser}
	text, err := contents(path)
	if errors.Is(err, fs.ErrNotExist) {
		return file, nil, nil
	}
	if err != nil {
		return file, nil, Problems{{Place: path, Text: Reason(err)}}
	}
	file.Found = true
	file.Sum = Sum(text)
	var problems Problems
	if layer == LayerWorkspace && s.Trusted != nil {
		if file.Trusted, err = s.Trusted(path, file.Sum); err != nil {
			file.Trusted = false
			problems = Problems{{Place: path, Text: "whether it is trusted is not known: " + Reason(err)}}
		}
	}
	settings, wrong := parse(text, Origin{Layer: layer, File: path}, grammar{s.Kinds, s.Rule, !file.Trusted})
	return file, settings, append(problems, wrong...)
}

// Sum is the fingerprint by which a file is trusted: SHA-256, in hexadecimal
// digits.
func Sum(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// contents reads a file that a repository may have made: a pipe, a device or
// something endless is refused.
func contents(path string) ([]byte, error) {
	return regular.Read(path, maxFile+1)
}

// Reason is an error without its path and system call, for where the path stands
// before it already.
func Reason(err error) string {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		err = scarce.Explain(pathErr.Err)
	}
	return err.Error()
}

// narrow splits the settings of a file that is not trusted into those that
// count and those that are withheld. It may choose a model only of the
// providers that are there without it and have a server: a file would let the
// repository play the model itself.
func narrow(settings []setting, providers map[string]bool) (counted, withheld []setting) {
	for _, s := range settings {
		text, _ := s.value.(string)
		provider, _, _ := strings.Cut(text, "/")
		switch key := s.key(); {
		case key == "$schema", key == "permission.deny", key == "permission.ask",
			key == "model" && providers[provider]:
			counted = append(counted, s)
		default:
			withheld = append(withheld, s)
		}
	}
	return counted, withheld
}

// served names the providers of some layers that have a server.
func (k Kinds) served(layers ...[]setting) map[string]bool {
	names := map[string]bool{}
	for _, s := range slices.Concat(layers...) {
		if s.path[0] == "providers" {
			names[s.path[1]] = true
		}
	}
	for _, s := range slices.Concat(layers...) {
		if text, ok := s.value.(string); ok && s.path[0] == "providers" && s.path[len(s.path)-1] == "type" && k.local(text) {
			delete(names, s.path[1])
		}
	}
	return names
}

// merge keeps of each key the strongest setting, and of lists all of them.
func merge(layers [][]setting) []setting {
	var merged []setting
	set := map[string]bool{}
	for _, layer := range layers {
		for _, s := range layer {
			switch key := s.key(); {
			case s.many:
				merged = append(merged, s)
			case !set[key]:
				set[key] = true
				merged = append(merged, s)
			}
		}
	}
	return merged
}

// build makes the Config that the settings describe.
func build(settings []setting) (Config, error) {
	tree := map[string]any{}
	for _, s := range settings {
		at := tree
		for _, name := range s.path[:len(s.path)-1] {
			inner, ok := at[name].(map[string]any)
			if !ok {
				inner = map[string]any{}
				at[name] = inner
			}
			at = inner
		}
		last := s.path[len(s.path)-1]
		switch value := s.value.(type) {
		case map[string]any:
			if at[last] == nil {
				at[last] = map[string]any{}
			}
		default:
			if s.many {
				list, _ := at[last].([]any)
				at[last] = append(list, value)
			} else {
				at[last] = value
			}
		}
	}
	var c Config
	b, err := json.Marshal(tree)
	if err == nil {
		err = json.Unmarshal(b, &c)
	}
	if err != nil {
		return Config{}, fmt.Errorf("build the configuration: %w", err)
	}
	return c, nil
}

// incomplete reports what only shows once all layers are merged.
func (c Config) incomplete(o Origins) Problems {
	var problems Problems
	add := func(origin Origin, format string, args ...any) {
		problems = append(problems, Problem{Place: origin.String(), Text: fmt.Sprintf(format, args...)})
	}
	for _, name := range c.Names() {
		if c.Providers[name].Type == "" {
			prefix := Key("providers", name)
			at := slices.IndexFunc(o.Entries, func(e Entry) bool { return e.Key == prefix || strings.HasPrefix(e.Key, prefix+".") })
			origin := Origin{Layer: LayerBuiltin}
			if at >= 0 {
				origin = o.Entries[at].Origin
			}
			add(origin, "%s has no type, and is not one of the built-in providers: %s", prefix, strings.Join(c.kinds.names(), ", "))
		}
	}
	if c.Model != "" {
		if _, _, err := c.Find(c.Model); err != nil {
			add(o.Of("model"), "%v", err)
		}
	}
	if c.Context.Target >= c.Context.Threshold && c.Context.Threshold > 0 {
		add(o.Of("context.target"), "context.target: %v is not below context.threshold, %v", c.Context.Target, c.Context.Threshold)
	}
	return problems
}
