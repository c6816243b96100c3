package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"golang.org/x/net/http/httpproxy"

	"parley/internal/agent"
	"parley/internal/command"
	"parley/internal/config"
	"parley/internal/event"
	"parley/internal/journal"
	"parley/internal/llm"
	"parley/internal/llm/anthropic"
	"parley/internal/llm/gemini"
	"parley/internal/llm/openaichat"
	"parley/internal/llm/openairesponses"
	"parley/internal/llm/retry"
	"parley/internal/llm/script"
	"parley/internal/permission"
	"parley/internal/server"
	"parley/internal/session"
	"parley/internal/tool"
	"parley/internal/tool/bash"
	"parley/internal/tool/edit"
	"parley/internal/tool/fetch"
	"parley/internal/tool/glob"
	"parley/internal/tool/grep"
	"parley/internal/tool/local"
	"parley/internal/tool/ls"
	"parley/internal/tool/read"
	"parley/internal/tool/write"
	"parley/internal/transcript"
	"parley/internal/workspace"
)

// engine resolves what runs work with. It lives as long as the daemon.
type engine struct {
	env    config.Env // the daemon's own, for sessions without a client
	dir    string
	paths  config.Paths
	model  string   // --model of serve
	allow  []string // --allow of serve
	deny   []string
	tools  tool.Set
	store  config.Store
	models map[string]func(llm.Options) llm.Model

	mu      sync.Mutex // of what follows
	places  map[event.SessionID]*place
	clients map[string]*http.Client // by the proxies that they use
}

// close ends what the sessions' tools left running.
func (e *engine) close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, p := range e.places {
		p.jobs.Close()
	}
}

// http is a client that uses the proxies of an environment. It is kept, and so
// are its connections.
func (e *engine) http(env config.Env) *http.Client {
	proxies := httpproxy.Config{
		HTTPProxy: firstOf(env["HTTP_PROXY"], env["http_proxy"]), HTTPSProxy: firstOf(env["HTTPS_PROXY"], env["https_proxy"]),
		NoProxy: firstOf(env["NO_PROXY"], env["no_proxy"]),
	}
	if proxies == (httpproxy.Config{}) {
		return nil
	}
	key := proxies.HTTPProxy + " " + proxies.HTTPSProxy + " " + proxies.NoProxy
	e.mu.Lock()
	defer e.mu.Unlock()
	if c := e.clients[key]; c != nil {
		return c
	}
	choose := proxies.ProxyFunc()
	c := llm.HTTP(func(r *http.Request) (*url.URL, error) { return choose(r.URL) })
	e.clients[key] = c
	return c
}

// place is what a session's tools remember while the daemon runs.
type place struct {
	seen *tool.Seen
	jobs *tool.Jobs
}

func newEngine(a *app) *engine {
	return &engine{
		env: a.env, dir: a.dir, paths: a.paths, store: config.NewStore(a.paths.Data),
		tools:  tool.NewSet(read.New(), write.New(), edit.New(), ls.New(), glob.New(), grep.New(), bash.New(), fetch.New(), agent.Task()),
		places: make(map[event.SessionID]*place), clients: make(map[string]*http.Client),
		models: map[string]func(llm.Options) llm.Model{
			"openai-chat": openaichat.New, "openai-responses": openairesponses.New, "anthropic": anthropic.New, "gemini": gemini.New,
		},
	}
}

func (e *engine) place(id event.SessionID) *place {
	e.mu.Lock()
	defer e.mu.Unlock()
	p := e.places[id]
	if p == nil {
		p = &place{seen: tool.NewSeen(), jobs: tool.NewJobs(nil)}
		e.places[id] = p
	}
	return p
}

// world is whose environment and folder a run has.
func (e *engine) world(c session.Client) (config.Env, string) {
	env, dir := config.Env(c.Env), c.Cwd
	if env == nil {
		env = e.env
	}
	if dir == "" {
		dir = e.dir
	}
	return env, dir
}

// load reads the configuration as the client would.
func (e *engine) load(env config.Env, dir string) (config.Config, config.Origins, *command.Fault) {
	cfg, origins, err := config.Load(sources(env, e.paths, e.store, dir))
	if err != nil {
		return cfg, origins, command.Faultf(command.Invalid, "%s", err)
	}
	return cfg, origins, nil
}

// sources are where a configuration is read from, for a client in a folder.
func sources(env config.Env, paths config.Paths, store config.Store, dir string) config.Sources {
	user := paths.Config
	if p, err := config.NewPaths(env, os.Getuid()); err == nil {
		user = p.Config
	}
	return config.Sources{Env: env, User: user, Root: projectRoot(dir), Dir: dir, Trusted: store.Trusted,
		Rule: func(text string) error { _, err := permission.ParseRule(text); return err }}
}

// projectRoot is the folder that holds .git, upwards from dir; dir where there
// is none.
func projectRoot(dir string) string {
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return at
		}
		if at == filepath.Dir(at) {
			return dir
		}
	}
}

// prepare resolves what the run of a prompt works with.
func (e *engine) prepare(ctx context.Context, log journal.Log, s *transcript.State, c session.Client, p command.Prompt) (*agent.Setup, *command.Fault) {
	env, dir := e.world(c)
	if s.Workspace != "" {
		dir = s.Workspace
	}
	cfg, origins, fault := e.load(env, dir)
	if fault != nil {
		return nil, fault
	}
	root, err := workspace.Open(dir)
	if err != nil {
		return nil, command.Faultf(command.NotFound, "workspace %s: %s", dir, reason(err))
	}
	place := e.place(log.ID())
	files := log.Dir()
	setup := &agent.Setup{
		Tools: e.tools, Home: env["HOME"], Steps: cfg.Limits.Steps, Repeats: cfg.Limits.Repeats, Reasoning: cfg.Reasoning,
		World: local.World(local.Options{Root: root, Env: commandEnv(env, cfg), Spill: filepath.Join(files, "output"), FetchPrivate: cfg.Fetch.Private, Seen: place.seen, Jobs: place.jobs}),
		Save:  func(mediaType string, data []byte) (event.Attachment, error) { return save(log, mediaType, data) },
		Load:  func(a event.Attachment) ([]byte, error) { return load(log, a) },
	}
	setup.World.Extra = []string{filepath.Join(files, "output")}
	if cfg.Context.Strategy != "off" {
		setup.Threshold, setup.Target = cfg.Context.Threshold, cfg.Context.Target
	}
	setup.System, setup.Budget = systemPrompt(dir, projectRoot(dir), env)
	if fault := e.choose(setup, cfg, env, dir, firstOf(p.Model, s.Settings.Model, e.model)); fault != nil {
		return nil, fault
	}
	setup.NewID = server.NewID
	setup.Choose = func(to *agent.Setup, model string) *command.Fault { return e.choose(to, cfg, env, dir, model) }
	if setup.Policy, err = e.policy(cfg, origins, projectRoot(dir), p); err != nil {
		return nil, command.Faultf(command.Invalid, "%s", err)
	}
	if forbidden := setup.Policy.Forbidden("read", setup.Home); forbidden != nil {
		setup.World.Hidden = func(t tool.Target) bool {
			return forbidden(permission.Path{Abs: t.Path, Rel: t.Rel, Inside: t.Inside})
		}
	}
	setup.Store = func(scope permission.Scope, effect permission.Effect, rules []string) error {
		return e.keep(projectRoot(dir), scope, effect, rules)
	}
	return setup, nil
}

func reason(err error) string {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err.Error()
	}
	return err.Error()
}

func firstOf(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

// choose resolves the model. Only an unknown provider is refused here: the
// server knows which models it has.
func (e *engine) choose(setup *agent.Setup, cfg config.Config, env config.Env, dir, model string) *command.Fault {
	if model == "" {
		var err error
		if model, err = cfg.DefaultModel(env, probe); err != nil {
			return command.Faultf(command.Invalid, "%s", err)
		}
	}
	if model == "mock/mock" {
		return mockModel(setup)
	}
	name, model, err := cfg.Find(model)
	if err != nil {
		return command.Faultf(command.Invalid, "%s", err)
	}
	provider, err := cfg.Provider(name, env)
	if err != nil {
		return command.Faultf(command.Invalid, "%s", err)
	}
	setup.Provider, setup.ModelName = name, model
	known := provider.Model(model)
	setup.ContextLimit, setup.MaxOutput = known.Context, known.MaxOutput
	if provider.Type == "script" {
		return e.script(setup, dir, model)
	}
	if !provider.Ready() {
		return command.Faultf(command.Denied, "provider %s has no key: set %s", name, provider.KeyEnv)
	}
	headers := make(map[string]string, len(provider.Headers))
	for key, value := range provider.Headers {
		headers[key] = value.Reveal()
	}
	wire, ok := e.models[provider.Type]
	if !ok {
		return command.Faultf(command.Invalid, "provider %s: unknown type %q", name, provider.Type)
	}
	setup.Model = retry.Wrap(wire(llm.Options{Provider: name, BaseURL: provider.BaseURL, Key: provider.Key.Reveal(), Headers: headers, HTTP: e.http(env)}), retry.Options{})
	return nil
}

func (e *engine) script(setup *agent.Setup, dir, file string) *command.Fault {
	if !filepath.IsAbs(file) {
		file = filepath.Join(dir, file)
	}
	model, err := script.Open(file)
	if err != nil {
		return command.Faultf(command.Invalid, "script: %s", err)
	}
	setup.Model = retry.Wrap(model, retry.Options{})
	return nil
}

// policy gathers the rules that hold for a run, each with where it is written.
func (e *engine) policy(cfg config.Config, origins config.Origins, root string, p command.Prompt) (permission.Policy, error) {
	var policy permission.Policy
	add := func(scope permission.Scope, origin string, rules config.Permission) error {
		for _, part := range []struct {
			effect permission.Effect
			texts  []string
		}{{permission.EffectAllow, rules.Allow}, {permission.EffectDeny, rules.Deny}, {permission.EffectAsk, rules.Ask}} {
			scoped, err := permission.Rules(part.effect, scope, origin, part.texts...)
			if err != nil {
				return err
			}
			policy = policy.With(scoped...)
		}
		return nil
	}
	user, err := e.store.UserRules()
	if err != nil {
		return policy, err
	}
	project, err := e.store.ProjectRules(root)
	if err != nil {
		return policy, err
	}
	for _, from := range []struct {
		scope  permission.Scope
		origin string
		rules  config.Permission
	}{
		{permission.ScopeConfig, "configuration", cfg.Permission},
		{permission.ScopeUser, "your rules", user},
		{permission.ScopeProject, "rules of this project", project},
		{permission.ScopeFlag, "flags of the daemon", config.Permission{Allow: e.allow, Deny: e.deny}},
		{permission.ScopeFlag, "flags of the prompt", config.Permission{Allow: p.Allow, Deny: p.Deny}},
	} {
		if err := add(from.scope, from.origin, from.rules); err != nil {
			return policy, fmt.Errorf("%s: %w", from.origin, err)
		}
	}
	return policy, nil
}

// keep stores rules that outlive the session.
func (e *engine) keep(root string, scope permission.Scope, effect permission.Effect, rules []string) error {
	for _, rule := range rules {
		var err error
		if scope == permission.ScopeUser {
			err = e.store.AddUserRule(string(effect), rule)
		} else {
			err = e.store.AddProjectRule(root, string(effect), rule)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// startup are variables by which an environment changes what a command means.
var startup = map[string]bool{"CDPATH": true, "BASH_ENV": true, "ENV": true}

// named is how a header names a variable.
var named = regexp.MustCompile(`\$\{(\w+)\}`)

// commandEnv is the environment of commands: the client's, without keys.
func commandEnv(env config.Env, cfg config.Config) []string {
	secret := make(map[string]bool)
	for _, p := range cfg.Providers {
		secret[p.APIKeyEnv] = true
		for _, value := range p.Headers {
			for _, m := range named.FindAllStringSubmatch(value.Reveal(), -1) {
				secret[m[1]] = true
			}
		}
	}
	var out []string
	for name, value := range env {
		if secret[name] || startup[name] || strings.HasPrefix(name, "BASH_FUNC_") || strings.HasSuffix(name, "_API_KEY") && slices.Contains(config.Variables(), name) {
			continue
		}
		out = append(out, name+"="+value)
	}
	slices.Sort(out)
	return out
}

// save keeps an image beside the log.
func save(log journal.Log, mediaType string, data []byte) (event.Attachment, error) {
	sum, path, size, err := log.PutBlob(context.Background(), bytes.NewReader(data))
	return event.Attachment{MediaType: mediaType, Blob: sum, Path: path, Size: size}, err
}

func load(log journal.Log, a event.Attachment) ([]byte, error) {
	if a.Blob == "" {
		return nil, fmt.Errorf("attachment %s has no content", a.Name)
	}
	path, err := log.BlobPath(a.Blob)
	if err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

// entries lists the models that can be asked for.
func (e *engine) entries(c session.Client) ([]command.ModelEntry, *command.Fault) {
	env, dir := e.world(c)
	cfg, _, fault := e.load(env, dir)
	if fault != nil {
		return nil, fault
	}
	resolved, err := cfg.Resolve(env)
	if err != nil && resolved == nil {
		return nil, command.Faultf(command.Invalid, "%s", err)
	}
	preset, _ := cfg.DefaultModel(env, nil)
	var out []command.ModelEntry
	for _, p := range resolved {
		names := make([]string, 0, len(p.Models))
		for name := range p.Models {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			full := p.Name + "/" + name
			out = append(out, command.ModelEntry{Name: full, Context: p.Model(name).Context, Default: full == preset, Ready: p.Ready()})
		}
	}
	return out, nil
}

// list says which tools a session has.
func (e *engine) list(s *transcript.State) []command.ToolEntry {
	var out []command.ToolEntry
	for _, spec := range e.tools.Specs() {
		out = append(out, command.ToolEntry{Name: spec.Name, Description: spec.Description, Schema: spec.Schema,
			Active: s.Settings.AllTools || slices.Contains(s.Settings.Tools, spec.Name)})
	}
	return out
}
