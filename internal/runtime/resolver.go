package runtime

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"parley/internal/agent"
	"parley/internal/command"
	"parley/internal/config"
	"parley/internal/event"
	"parley/internal/journal"
	"parley/internal/permission"
	"parley/internal/regular"
	"parley/internal/server"
	"parley/internal/session"
	"parley/internal/tool"
	"parley/internal/tool/local"
	"parley/internal/transcript"
	"parley/internal/workspace"
)

// Options are the daemon's own world, and what it was started with.
type Options struct {
	Env     config.Env // where a client gives none
	Dir     string     // where neither session nor client has a folder
	Paths   config.Paths
	Model   string      // where neither prompt nor session names one
	Allow   []string    // rules for clients that cannot be asked
	Deny    []string    // rules for all
	Tools   []tool.Tool // beside the program's own
	Private []string    // beside Paths: what is the program's own, and no command's business
	// Joined are the tools that a session has now beyond these, as servers of tools come and go; nil: there are none.
	Joined func(event.SessionID) []agent.JoinedTool
	// Providers are the types of models that there are; see [Builtin].
	Providers Providers
	Now       func() time.Time // nil: time.Now
}

// A Resolver resolves what runs work with. It lives as long as the daemon, and
// all of its methods may be called at once.
type Resolver struct {
	o       Options
	tools   tool.Set
	grammar permission.Grammar
	store   config.Store
	models  *Models

	mu        sync.Mutex // guards the fields below
	scratches map[event.SessionID]*scratch
}

// New returns a Resolver with the program's tools.
func New(o Options) *Resolver {
	if o.Joined == nil {
		o.Joined = func(event.SessionID) []agent.JoinedTool { return nil }
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	tools := tool.NewSet(append(slices.Clone(o.Tools), builtin()...)...)
	return &Resolver{
		o: o, tools: tools, grammar: agent.Grammar(tools), store: config.NewStore(o.Paths.Data),
		models: NewModels(o.Providers, o.Paths.Catalog, o.Now), scratches: make(map[event.SessionID]*scratch),
	}
}

// Close ends what the sessions' tools left running.
func (r *Resolver) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.scratches {
		s.close()
	}
}

func (r *Resolver) scratch(id event.SessionID) *scratch {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.scratches[id]
	if s == nil {
		s = newScratch()
		r.scratches[id] = s
	}
	return s
}

// Busy reports whether a background command of any session runs.
func (r *Resolver) Busy() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.scratches {
		if s.busy() {
			return true
		}
	}
	return false
}

// Forget ends what a session that was removed left running.
func (r *Resolver) Forget(id event.SessionID) {
	r.mu.Lock()
	s := r.scratches[id]
	delete(r.scratches, id)
	r.mu.Unlock()
	if s != nil {
		s.close()
	}
}

// world is whose environment and folder a run has.
func (r *Resolver) world(c session.Client) (config.Env, string) {
	env := config.Env(c.Env)
	if env == nil {
		env = r.o.Env
	}
	return env, cmp.Or(c.Cwd, r.o.Dir)
}

// load reads the configuration as the client would.
func (r *Resolver) load(env config.Env, dir string) (config.Config, config.Origins, *command.Fault) {
	cfg, origins, err := config.Load(r.o.Providers.Sources(env, r.o.Paths, dir))
	if err != nil {
		return cfg, origins, command.Faultf(command.Invalid, "%s", err)
	}
	return cfg, origins, nil
}

// Prepare resolves what the run of a prompt works with.
func (r *Resolver) Prepare(ctx context.Context, log journal.Log, s *transcript.State, c session.Client, p command.Prompt) (*agent.Setup, *command.Fault) {
	env, dir := r.world(c)
	dir = cmp.Or(s.Workspace, dir)
	cfg, origins, fault := r.load(env, dir)
	if fault != nil {
		return nil, fault
	}
	root, err := workspace.Open(dir)
	if err != nil {
		return nil, command.Faultf(command.NotFound, "workspace %s: %s", dir, config.Reason(err))
	}
	scratch, project := r.scratch(log.ID()), ProjectRoot(dir)
	outputs := filepath.Join(log.Dir(), "output")
	setup := &agent.Setup{
		Tools: r.tools, Home: env["HOME"], Steps: cfg.Limits.Steps, Repeats: cfg.Limits.Repeats,
		Save:      func(mediaType string, data []byte) (event.Attachment, error) { return save(log, mediaType, data) },
		Load:      func(a event.Attachment) ([]byte, error) { return load(log, a) },
		Reminders: scratch.endedJobs,

		Joined: func() []agent.JoinedTool { return r.o.Joined(log.ID()) },
	}
	if cfg.Context.Strategy != "off" {
		setup.Threshold, setup.Target = cfg.Context.Threshold, cfg.Context.Target
	}
	around := &fenced{log: log, setup: setup, env: env, root: root.Path(), show: []string{outputs}}
	boundary, told, fault := r.fence(scratch, around, cfg, c)
	if fault != nil {
		return nil, fault
	}
	setup.World = local.World(local.Options{Root: root, Env: Environ(env, cfg), Spill: outputs, FetchPrivate: cfg.Fetch.Private, Fence: boundary, Seen: scratch.seen, Jobs: scratch.jobs})
	around.writes(&setup.World)
	setup.World.Extra = []string{outputs}
	if around.temp != "" {
		setup.World.Extra = append(setup.World.Extra, around.temp)
	}
	setup.System, setup.Budget = systemPrompt(cfg, dir, project, scratch.place(func() string { return place(dir, project, r.o.Now()) })+told)
	if fault := r.answering(ctx, setup, cfg, env, dir, s, p); fault != nil {
		return nil, fault
	}
	if fault := bound(setup, p); fault != nil {
		return nil, fault
	}
	setup.NewID = server.NewID
	if setup.Policy, err = r.policy(cfg, origins, project, c, p); err != nil {
		return nil, command.Faultf(command.Invalid, "%s", err)
	}
	setup.Policy.Mode = permission.Mode(cfg.Mode)
	if forbidden := setup.Policy.Forbidden(permission.FamilyRead, setup.Home); forbidden != nil {
		setup.World.Hidden = func(t tool.Target) bool {
			return forbidden(permission.Path{Abs: t.Path, Rel: t.Rel, Inside: t.Inside})
		}
	}
	setup.Store = func(scope permission.Scope, effect permission.Effect, rules []string) error {
		return r.storeRules(project, scope, effect, rules)
	}
	return setup, nil
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
	return regular.Read(path, 0)
}
