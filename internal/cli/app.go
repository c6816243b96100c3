// Package cli is the program's commands: their flags, their output and their
// exit codes. Results go to stdout, all else to stderr. Exit codes: 0 done,
// 1 failed, 2 usage, 3 denied, 129, 130 and 143 interrupted.
//
// What it writes on either goes through a guard, the one place where what strangers
// wrote loses its power over a terminal: no control and no format character passes.
// Around it go the drawn terminal and line mode, which make such bytes themselves,
// and the bridge of `parley stdio`, which is no output.
//
// It wires the daemon: it chooses which journals, dialects and transports there
// are, and starts a daemon where a command needs one and none runs. A client.Session
// follows a session for the terminal and for line mode.
//
// What a run works with, tools and providers included, is package runtime's,
// what is looked for by `parley doctor` is package doctor's; what a run does, how
// it looks and what a client may ask belong to other packages.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"parley/internal/client"
	"parley/internal/command"
	"parley/internal/config"
	"parley/internal/runtime"
	"parley/internal/tool"
)

// app is the program's world: what main has, and tests give.
type app struct {
	in       *os.File
	out, err io.Writer
	env      config.Env
	dir      string
	paths    config.Paths
	socket   string           // --socket
	auto     string           // the key that answers every ask; empty: a person does
	typed    <-chan typedLine // lines of a conversation in line mode; nil: there is none
	waits    waitLimits
	tools    []tool.Tool // that a daemon has beside the program's own

	providers runtime.Providers // the types of models that there are
	now       func() time.Time
	dialects  map[string]dialect // what clients and readers of output may speak
}

// waitLimits are how long commands wait for what they can do without.
type waitLimits struct {
	key    time.Duration // after a key press that asks the daemon, or a server for its models
	models time.Duration // `parley models`, for a server
	stdin  time.Duration // for a pipe that says nothing
	stop   time.Duration // for the end of a run that SIGTERM or SIGHUP is to end
}

// An exit is an error with an exit code of its own.
type exit struct {
	code int
	err  error // nil: nothing to say
}

func (e exit) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit %d", e.code)
	}
	return e.err.Error()
}

func (e exit) Unwrap() error { return e.err }

// usage is a mistake in how the program was called.
func usage(format string, args ...any) error { return exit{2, fmt.Errorf(format, args...)} }

// Main runs the program with its arguments and returns its exit code. The tools
// are there beside the program's own.
func Main(args []string, tools ...tool.Tool) int {
	keepPrivate()
	a := processApp(waitLimits{key: 500 * time.Millisecond, models: 2 * time.Second, stdin: 3 * time.Second, stop: 8 * time.Second})
	a.tools = tools
	return a.main(args)
}

// processApp is the app of this process.
func processApp(w waitLimits) *app {
	return &app{in: os.Stdin, out: os.Stdout, err: os.Stderr, env: config.NewEnv(os.Environ()), waits: w, now: time.Now, providers: runtime.Builtin, dialects: dialects}
}

func (a *app) main(args []string) int {
	out, errs := guard(a.out), guard(a.err)
	defer out.Close()
	defer errs.Close()
	a.out, a.err = out, errs
	root := a.root()
	root.SetArgs(args)
	err := root.ExecuteContext(context.Background())
	if err == nil {
		return 0
	}
	var e exit
	if !errors.As(err, &e) {
		e = exit{1, err}
		if isUsage(err) {
			e.code = 2
		}
	}
	if e.err != nil {
		fmt.Fprintln(a.err, "parley: "+message(e.err))
	}
	return e.code
}

// message is an error as a person reads it.
func message(err error) string {
	var fault *command.Fault
	if errors.As(err, &fault) && err == error(fault) {
		return fault.Message
	}
	if errors.Is(err, client.ErrNoDaemon) {
		return err.Error() + "; 'parley serve' starts one"
	}
	return err.Error()
}

// isUsage tells cobra's own errors, which have no type.
func isUsage(err error) bool {
	text := err.Error()
	for _, start := range []string{"unknown command", "unknown flag", "unknown shorthand", "flag needs an argument", "invalid argument", "accepts ", "requires ", "if any flags in the group", "required flag"} {
		if strings.HasPrefix(text, start) {
			return true
		}
	}
	return false
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:           "parley",
		Short:         "A coding agent that lives in a daemon",
		Long:          "Parley is a coding agent that lives in a daemon. Every session is a log that any number of\nterminals, editors and programs can watch and steer at the same time.",
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.NoArgs,
		PersistentPreRunE: func(*cobra.Command, []string) error {
			return a.resolve()
		},
	}
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.PersistentFlags().StringVar(&a.socket, "socket", "", "talk to the daemon on this `PATH`; never starts one")
	root.AddCommand(a.completing(a.run(), a.attach(), a.serve(), a.check(), a.sessions(), a.daemon(), a.replay(), a.render(), a.stdio(), a.nousCore(), a.demo(), a.models(), a.doctor(), a.config(), a.man(), a.version())...)
	a.front(root)
	a.completing(root)
	return root
}

// resolve finds where things are.
func (a *app) resolve() error {
	dir, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("where am I: %w", err)
	}
	a.dir = dir
	a.paths, err = config.NewPaths(a.env, os.Getuid())
	if err != nil {
		return usage("%w", err)
	}
	return nil
}

// failure gives an error of a command its exit code.
func failure(err error) error {
	var fault *command.Fault
	if errors.As(err, &fault) {
		switch fault.Code {
		case command.Invalid:
			return exit{2, fault}
		case command.Denied:
			return exit{1, fault}
		}
		return exit{1, fault}
	}
	return err
}
