package tool

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"parley/internal/event"
	"parley/internal/shell"
)

// World is everything a tool may do to the machine and to its session, as functions. The zero World refuses every
// effect. It is a value: middleware copies it and replaces a function.
//
// Tools reach files by [World.Reach], which checks where a path leads; the functions take the Target it
// returns and do not follow links any more.
type World struct {
	// Root is the workspace: absolute, links resolved. Relative paths and commands start there.
	Root string
	// Env is the environment of commands, NAME=VALUE; provider keys are already taken out.
	Env []string
	// Extra are directories outside the root that may be read unasked: where whole outputs are kept.
	Extra []string
	// FetchPrivate lets fetch reach loopback, private and link-local addresses.
	FetchPrivate bool
	// CommandLimit is the longest time limit a command in the foreground may ask for; 0 means ten minutes.
	CommandLimit time.Duration
	// Hidden, where set, leaves files out of listings and searches: those that reading is denied for.
	Hidden func(Target) bool

	// Fence is the kind of fence that Exec runs commands in, "full" or "files"; "" for none.
	Fence string

	// Resolve follows the links of a path, as Target says. It fails for a path no file can have.
	Resolve func(path string) (Target, error)
	// Stat describes what is at a target, a link as a link.
	Stat func(Target) (fs.FileInfo, error)
	// Open opens a regular file or a directory for reading.
	Open func(Target) (File, error)
	// Replace writes a file in one step and makes missing parents.
	Replace func(Target, []byte) error
	// Walk visits what is below a directory and not ignored by git, sorted by name within each directory;
	// more says that it ended at its bounds. visit may return fs.SkipDir and fs.SkipAll.
	Walk func(ctx context.Context, t Target, visit func(Entry) error) (more bool, err error)
	// Git says whether a target is in a git work tree.
	Git func(Target) bool
	// LookPath finds a program on the PATH of Env.
	LookPath func(name string) (string, error)
	// Shell is the world in which command lines are read whole: what programs and files there are. writable says what rules let
	// the agent write. It is nil where nothing runs.
	Shell func(writable func(path string) bool) shell.World
	// Exec runs a command to its end, in a fence where there is one. The end of ctx ends every process that
	// came from it, and Exec returns when they are gone. The error is for a command that could not start.
	Exec func(ctx context.Context, c Command) (Exit, error)
	// Outside is Exec without the fence; nil where there is none. See [Targets].
	Outside func(ctx context.Context, c Command) (Exit, error)
	// Dial connects; control sees each address before it is connected to, and its error stands.
	Dial func(ctx context.Context, network, address string, control Control) (net.Conn, error)
	// Now is the clock.
	Now func() time.Time
	// Spill makes the file that keeps the whole output of a call.
	Spill func(callID string) (io.WriteCloser, string, error)

	// Ask asks whoever is attached to the session, and waits for the answer. It fails with ErrNobody where nobody is
	// there to answer; how it came out otherwise is in the Reply. It ends with ctx, and with the call. Whether a call
	// may run is not a tool's to ask.
	Ask func(ctx context.Context, q event.AskOpened) (Reply, error)
	// Plan replaces the session's plan; one without steps removes it.
	Plan func(ctx context.Context, plan event.PlanChanged) error
	// Title names the session.
	Title func(ctx context.Context, title event.SessionTitled) error
	// Spawn lets a sub-agent work on a task, with no more rights than the session has. The result is its answer, with
	// its session in Display.Agent; the error is for one that could not begin.
	Spawn func(ctx context.Context, a Agent) (Result, error)

	// Seen remembers what files held when this session last read or wrote them; nil forgets.
	Seen *Seen
	// Jobs are the session's background commands; nil refuses them.
	Jobs *Jobs

	granted  *Targets
	approved Change
}

// File is an open file or directory; *os.File is one.
type File interface {
	io.Reader
	io.Seeker
	io.Closer
	Stat() (fs.FileInfo, error)
	ReadDir(n int) ([]fs.DirEntry, error)
}

// Control is net.Dialer.Control.
type Control func(network, address string, c syscall.RawConn) error

// Entry is what a walk found. Below is its path relative to where the walk began, "." where that was a
// file; Type holds the type bits.
type Entry struct {
	Target
	Below string
	Type  fs.FileMode
}

// Command is a program to run, or a plan, with no input.
type Command struct {
	// Args is the program, found by World.LookPath or absolute, and its arguments.
	Args []string
	Dir  string
	Env  []string
	// Plan is what runs in the place of Args, Dir and Env: each of its programs in a session of its own.
	Plan *shell.Plan
	// Own says that the tool made all of Args, and no model: it runs without a fence.
	Own bool
	// Started is called once with the id of the process, the first of a plan, before Exec returns. May be nil.
	Started func(pid int)
	// Connect decides about a host that the fence around the command does not let be reached, while the
	// connection waits; ctx ends with the command. Nil refuses it.
	Connect Connect
	// Output is called with what the command writes, never by two goroutines at once and never after
	// Exec returned; chunk is only valid during the call. While it does not return the command waits.
	// Both streams come in the order of their arrival, each in its own. May be nil.
	Output func(s Stream, chunk []byte)
}

// Connect decides about a host, NAME:PORT.
type Connect func(ctx context.Context, host string) bool

// Exit is how a command ended.
type Exit struct {
	// Code is the exit code, 128 plus the number of the signal that ended it, as a shell counts.
	Code int
	// Signal names the signal that ended it, "" for none.
	Signal string
	// Ended lists what was still running in the command's session after its end and was ended too, as
	// "PID NAME".
	Ended []string
	// Stuck lists processes that could not be ended, as "PID NAME".
	Stuck []string
	// Stopped says what a fence stopped, for people and models, each in a few words.
	Stopped []string
	// Later lists files that it changed and that somebody runs or obeys later, without a fence.
	Later []string
}

// Reply is how an ask came out: answered, cancelled by a person, or timed out.
type Reply struct {
	event.AskClosed
	// Answers are what was answered before that, in the order in which it came. Of two to one question the later
	// counts.
	Answers []event.AskAnswered
}

// Agent is what a sub-agent is to be and to do.
type Agent struct {
	// Profile names the kind of sub-agent, Description its task in a few words, Prompt the whole of it.
	Profile, Description, Prompt string
	// System is added to the system prompt.
	System string
	// Tools are those it may use of those that the session has; empty for all of them. ReadOnly leaves only those
	// that change nothing.
	Tools    []string
	ReadOnly bool
	// Model is provider/model; empty for the session's own.
	Model string
	// Background lets it work on after Spawn has returned: its answer then comes to the model by itself.
	Background bool
}

// ErrRefused is what a World without an effect answers.
var ErrRefused = errors.New("not available here")

// ErrNobody is what Ask answers where no client is attached that could.
var ErrNobody = errors.New("nobody is there to answer")

// complete fills the missing effects with ones that refuse.
func (w World) complete() World {
	refuse := func(what string) error { return fmt.Errorf("%s: %w", what, ErrRefused) }
	if w.Resolve == nil {
		w.Resolve = func(string) (Target, error) { return Target{}, refuse("access to files") }
	}
	if w.Stat == nil {
		w.Stat = func(Target) (fs.FileInfo, error) { return nil, refuse("access to files") }
	}
	if w.Open == nil {
		w.Open = func(Target) (File, error) { return nil, refuse("reading files") }
	}
	if w.Replace == nil {
		w.Replace = func(Target, []byte) error { return refuse("writing files") }
	}
	if w.Walk == nil {
		w.Walk = func(context.Context, Target, func(Entry) error) (bool, error) { return false, refuse("listing files") }
	}
	if w.Git == nil {
		w.Git = func(Target) bool { return false }
	}
	if w.LookPath == nil {
		w.LookPath = func(string) (string, error) { return "", refuse("running programs") }
	}
	if w.Exec == nil {
		w.Exec = func(context.Context, Command) (Exit, error) { return Exit{}, refuse("running programs") }
	}
	if w.Dial == nil {
		w.Dial = func(context.Context, string, string, Control) (net.Conn, error) { return nil, refuse("the network") }
	}
	if w.Now == nil {
		w.Now = time.Now
	}
	if w.Spill == nil {
		w.Spill = func(string) (io.WriteCloser, string, error) { return nil, "", refuse("keeping whole outputs") }
	}
	if w.Hidden == nil {
		w.Hidden = func(Target) bool { return false }
	}
	return w.completeSession(refuse)
}

func (w World) completeSession(refuse func(what string) error) World {
	if w.Ask == nil {
		w.Ask = func(context.Context, event.AskOpened) (Reply, error) { return Reply{}, refuse("asking somebody") }
	}
	if w.Plan == nil {
		w.Plan = func(context.Context, event.PlanChanged) error { return refuse("the session's plan") }
	}
	if w.Title == nil {
		w.Title = func(context.Context, event.SessionTitled) error { return refuse("the session's title") }
	}
	if w.Spawn == nil {
		w.Spawn = func(context.Context, Agent) (Result, error) { return Result{}, refuse("starting a sub-agent") }
	}
	return w
}

// Grant narrows a World to what was decided: afterwards Reach takes the paths of ts and what is below
// them, inside the workspace or not, and nothing else. So a link that was changed after the decision
// leads nowhere. A command gets out of the fence only where that was decided.
func (w World) Grant(ts Targets) World {
	if ts.Outside && w.Outside != nil {
		w.Exec = w.Outside
	}
	w.Outside, w.granted = nil, &ts
	return w
}

// Granted is what was decided for the call; nothing where no decision was needed.
func (w World) Granted() Targets {
	if w.granted == nil {
		return Targets{}
	}
	return *w.granted
}

// Target resolves a path. It does not check bounds.
func (w World) Target(path string, write bool) (Target, error) {
	if w.Resolve == nil {
		return Target{}, fmt.Errorf("access to files: %w", ErrRefused)
	}
	t, err := w.Resolve(path)
	if err != nil {
		return Target{}, err
	}
	t.Write = write
	if !t.Inside && !write {
		for _, dir := range w.Extra {
			t.Inside = t.Inside || covers(dir, t.Path)
		}
	}
	return t, nil
}

// Reach resolves a path and refuses what the World does not extend to: what is outside the workspace, or,
// after a Grant, what was not granted.
func (w World) Reach(path string, write bool) (Target, error) {
	t, err := w.Target(path, write)
	if err != nil {
		return Target{}, err
	}
	if w.granted == nil {
		if !t.Inside {
			return Target{}, fmt.Errorf("%s is outside the workspace %s", t.Path, w.Root)
		}
		return t, nil
	}
	for _, g := range w.granted.Paths {
		if covers(g.Path, t.Path) && (g.Write || !write) {
			return t, nil
		}
	}
	return Target{}, fmt.Errorf("%s leads to %s, which is not what was permitted", path, t.Path)
}

func covers(dir, path string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(filepath.Clean(dir), "/")+"/")
}
