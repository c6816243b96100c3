package cli

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/spf13/cobra"

	"parley/internal/event"
)

//go:embed demo
var demoFiles embed.FS

// demoPrompt is the task of the demo.
const demoPrompt = "Large sizes are hard to read: 5242880 should print 5 MiB. Teach hsize about MiB, and check it."

func (a *app) demo() *cobra.Command {
	var yes, keep bool
	var file, model string
	c := &cobra.Command{
		Use:   "demo",
		Short: "See it work: a real project, a real daemon, a scripted model",
		Long: `Make a small project in a temporary folder, start a daemon of its own, and play a task with a
scripted model: it reads, searches, edits, runs the project's tests, sees one fail and fixes it.
Nothing is faked but the model's words. The exit code says whether the tests pass at the end.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return a.play(c.Context(), yes, keep, file, model) },
	}
	f := c.Flags()
	f.BoolVar(&yes, "yes", false, "answer every question with yes")
	f.BoolVar(&keep, "keep", false, "keep the folder, and say where it is")
	f.StringVar(&file, "script", "", "play another `FILE`")
	f.StringVar(&model, "model", "", "let a real `MODEL` do it, such as anthropic/default")
	return c
}

func (a *app) play(ctx context.Context, yes, keep bool, file, model string) (err error) {
	home, err := os.MkdirTemp("", "parley-demo-")
	if err != nil {
		return err
	}
	if keep {
		fmt.Fprintln(a.err, "the demo's folder is "+home)
	} else {
		defer os.RemoveAll(home)
	}
	project, script, err := a.unpack(home, file)
	if err != nil {
		return err
	}
	stop, err := a.demoDaemon(ctx, home)
	if err != nil {
		return err
	}
	defer stop()
	if model == "" {
		model = "script/" + script
	}
	if yes {
		a.auto = "y"
	}
	fmt.Fprintf(a.err, "A copy of a small project is in %s; its tests pass, and they do not ask enough.\n\n", project)
	err = a.runPrompt(ctx, runOptions{format: "plain", set: event.SettingChanged{Model: &model}, session: "new", cwd: project, color: "auto"}, []string{demoPrompt})
	var e exit
	if errors.As(err, &e) && e.code > 128 {
		return err
	}
	if err != nil {
		fmt.Fprintln(a.err, "parley: the run did not go well: "+message(err))
	}
	return a.verify(project)
}

// unpack writes the project and the script into home.
func (a *app) unpack(home, file string) (project, script string, err error) {
	project, script = filepath.Join(home, "hsize"), filepath.Join(home, "script.ndjson")
	tree, err := fs.Sub(demoFiles, "demo/project")
	if err != nil {
		return "", "", err
	}
	if err := os.CopyFS(project, tree); err != nil {
		return "", "", err
	}
	text, err := demoFiles.ReadFile("demo/script.ndjson")
	if file != "" {
		text, err = os.ReadFile(file)
	}
	if err != nil {
		return "", "", exit{1, err}
	}
	return project, script, os.WriteFile(script, text, 0o600)
}

// demoDaemon starts this binary as a daemon with a store and a home of its own.
func (a *app) demoDaemon(ctx context.Context, home string) (stop func(), err error) {
	path, err := os.Executable()
	if err != nil {
		return nil, err
	}
	a.socket = filepath.Join(home, "run", "parley.sock")
	env := os.Environ()
	for _, v := range [][2]string{{"PARLEY_STORE", filepath.Join(home, "store")}, {"PARLEY_SOCKET", a.socket}, {"PARLEY_CONFIG", filepath.Join(home, "config.jsonc")}, {"XDG_STATE_HOME", filepath.Join(home, "state")}, {"XDG_DATA_HOME", filepath.Join(home, "data")}} {
		env = append(env, v[0]+"="+v[1])
		a.env[v[0]] = v[1]
	}
	cmd := exec.CommandContext(ctx, path, "serve")
	cmd.Env = env
	cmd.Dir = home
	said, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the daemon: %w", err)
	}
	// Its first line says that it listens, or why it cannot.
	first := make([]byte, 512)
	n, err := said.Read(first)
	if err != nil || n == 0 || cmd.ProcessState != nil {
		return nil, errors.Join(fmt.Errorf("the daemon did not start: %s", first[:n]), cmd.Wait())
	}
	return func() {
		// It may be gone already.
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
	}, nil
}

// verify runs the project's tests for real.
func (a *app) verify(project string) error {
	cmd := exec.Command("sh", "test.sh")
	cmd.Dir = project
	out, err := cmd.CombinedOutput()
	if err != nil {
		return exit{1, fmt.Errorf("the project's tests do not pass:\n%s", out)}
	}
	more := exec.Command("sh", "main.sh", "5242880")
	more.Dir = project
	if got, err := more.Output(); err != nil || string(got) != "5 MiB\n" {
		return exit{1, fmt.Errorf("5242880 still prints %q", got)}
	}
	fmt.Fprintln(a.err, "\nThe project's tests pass.")
	return nil
}
