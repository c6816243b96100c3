package runtime

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"parley/internal/agent"
	"parley/internal/command"
	"parley/internal/config"
	"parley/internal/fence"
	"parley/internal/fence/proxy"
	"parley/internal/journal"
	"parley/internal/permission"
	"parley/internal/session"
	"parley/internal/shell"
	"parley/internal/tool"
	"parley/internal/tool/local"
)

// fenced is what the fence of a run is made with.
type fenced struct {
	log     journal.Log
	setup   *agent.Setup
	env     config.Env
	root    string // links resolved
	temp    string // what commands have as /tmp
	keep    string // private layers over caches
	write   []string
	network fence.Network
	private []string // what is the program's own
	show    []string
}

// fence puts a fence around the commands of a run, the best that the machine has.
// It returns what the model is told of it, and nothing where there is none.
func (r *Resolver) fence(s *scratch, f *fenced, cfg config.Config, c session.Client) (*local.Fence, string, *command.Fault) {
	kind := fence.Detect().Kind
	if cfg.Sandbox.Fence == "off" || kind == fence.None {
		return nil, "", nil
	}
	if fault := f.configure(cfg.Sandbox, c); fault != nil {
		return nil, "", fault
	}
	var err error
	f.temp, err = folder(filepath.Join(f.log.Dir(), "tmp"))
	if err == nil {
		// Layers are a workspace's, and nobody else's cache.
		sum := sha256.Sum256([]byte(f.root))
		f.keep, err = folder(filepath.Join(r.o.Paths.Data, "layers", hex.EncodeToString(sum[:8])))
	}
	if err != nil {
		return nil, "", command.Faultf(command.Internal, "make a folder for the fence: %s", err)
	}
	f.private = append([]string{r.o.Paths.Data, r.o.Paths.State, r.o.Paths.Config, r.o.Paths.Private}, r.o.Private...)
	return &local.Fence{Kind: kind, Commands: s.fence(), Profile: f.profile}, f.says(kind), nil
}

// folder makes a folder, and returns where it really is.
func folder(path string) (string, error) {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(path)
}

// configure reads what the configuration says of the fence.
func (f *fenced) configure(s config.Sandbox, c session.Client) *command.Fault {
	for _, path := range s.Write {
		at := path
		if rest, ok := strings.CutPrefix(path, "~/"); ok {
			at = filepath.Join(f.env["HOME"], rest)
		}
		if !filepath.IsAbs(at) {
			return command.Faultf(command.Invalid, "sandbox.write: %q is neither absolute nor below ~/", path)
		}
		if real, err := filepath.EvalSymlinks(at); err == nil {
			f.write = append(f.write, real) // what is not there yet can be made by nobody inside
		}
	}
	hosts, err := proxy.ParseHosts(s.Hosts)
	if err != nil {
		return command.Faultf(command.Invalid, "sandbox.hosts: %s", err)
	}
	f.network = fence.Network{Hosts: hosts, Open: s.Network == "open" || s.Network == "" && c.Unasked}
	return nil
}

// writes tells whoever reads command lines where commands can write beyond the rules: no program that lies there is
// taken for what the person has on the PATH.
func (f *fenced) writes(w *tool.World) {
	if inner := w.Shell; inner != nil && len(f.write) > 0 {
		w.Shell = func(writable func(string) bool) shell.World {
			return inner(func(path string) bool {
				return writable(path) || slices.ContainsFunc(f.write, func(dir string) bool {
					return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
				})
			})
		}
	}
}

// profile is what a command may do, by the rules and files that there are now.
func (f *fenced) profile() (fence.Profile, error) {
	env := f.setup.World.Env
	p := fence.Standard(fence.Place{Root: f.root, Env: env, Temp: f.temp, Keep: f.keep, Private: present(f.private)})
	p.Write = append(p.Write, f.write...)
	p.Show = append(p.Show, f.show...)
	p.Network = f.network
	policy := agent.Policy(f.log.State(), f.setup)
	hidden, err := f.denied(policy, permission.FamilyRead)
	if err != nil {
		return p, err
	}
	guarded, err := f.denied(policy, permission.FamilyEdit)
	p.Hide, p.Guard = append(p.Hide, hidden...), append(p.Guard, guarded...)
	return p, err
}

// denied lists what deny rules keep from a family of tools.
func (f *fenced) denied(policy permission.Policy, family string) ([]string, error) {
	paths, patterns := policy.Denied(family, f.root, f.setup.Home)
	for _, pattern := range patterns {
		found, more := fence.Find(pattern.Below, func(rel string, _ bool) bool { return pattern.Match(rel) })
		if more {
			return nil, fmt.Errorf("the fence cannot hold the rule %s: there are too many files below %s to find what it names; name a folder in it", pattern.Rule, pattern.Below)
		}
		paths = append(paths, found...)
	}
	return paths, nil
}

func present(paths []string) []string {
	var out []string
	for _, path := range paths {
		if path != "" {
			out = append(out, path)
		}
	}
	return out
}

// says is what the model is told of the fence.
func (f *fenced) says(kind fence.Kind) string {
	if kind == fence.Files {
		return "\nCommands run in a fence: they can change files in the workspace, caches and temporary folders only.\n"
	}
	network := "The network is closed but for the loopback and allowed hosts, by way of HTTP_PROXY; another host is a question to the user."
	if f.network.Open {
		network = "The network is open."
	}
	return fmt.Sprintf("\nCommands run in a fence: they can change files in the workspace, /tmp and caches only, and keys and .git/config and hooks are out of reach. "+
		"/tmp of commands is %s for the other tools. %s A result says what the fence stopped. Only where a command really needs that, run it again with outside, which asks the user.\n", f.temp, network)
}

// Fence says which fence this machine has, for people.
func Fence() string {
	s := fence.Detect()
	if s.Why == "" {
		return string(s.Kind)
	}
	return string(s.Kind) + ": " + s.Why
}
