package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"

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
		p = newPlace()
		e.places[id] = p
	}
	return p
}

// busy reports whether a background command of any session runs.
func (e *engine) busy() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, p := range e.places {
		if p.busy() {
			return true
		}
	}
	return false
}

// forget ends what a session that was removed left running.
func (e *engine) forget(id event.SessionID) {
	e.mu.Lock()
	p := e.places[id]
	delete(e.places, id)
	e.mu.Unlock()
	if p != nil {
		p.jobs.Close()
	}
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
		Told:  place.told,
	}
	setup.World.Extra = []string{filepath.Join(files, "output")}
	if cfg.Context.Strategy != "off" {
		setup.Threshold, setup.Target = cfg.Context.Threshold, cfg.Context.Target
	}
	setup.System, setup.Budget = systemPrompt(dir, projectRoot(dir), env)
	setup.Budget = append(setup.Budget, e.toolBudget())
	if fault := e.choose(setup, cfg, env, dir, firstOf(p.Model, s.Settings.Model, e.model)); fault != nil {
		return nil, fault
	}
	setup.NewID = server.NewID
	setup.Choose = func(to *agent.Setup, model string) *command.Fault { return e.choose(to, cfg, env, dir, model) }
	if setup.Policy, err = e.policy(cfg, origins, projectRoot(dir), c, p); err != nil {
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

// toolBudget is what telling a model of all tools costs.
func (e *engine) toolBudget() event.BudgetSource {
	n := 0
	for _, spec := range e.tools.Specs() {
		n += len(spec.Name) + len(spec.Description) + len(spec.Schema)
	}
	return event.BudgetSource{Name: "tools", Tokens: n / 4}
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
