package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"parley/internal/client"
	"parley/internal/config"
	"parley/internal/wire"
)

// dial connects to the daemon and starts one where none runs, unless a socket
// was named or the configuration has errors.
func (a *app) dial(ctx context.Context, hello wire.Hello) (*client.Conn, error) {
	return a.reach(ctx, hello, func(ctx context.Context) error {
		if _, _, err := a.loadConfig(); err != nil {
			return err
		}
		return a.startDaemon(ctx)
	})
}

// redial dials again for a session that was followed. Unlike dial it ignores errors in
// the configuration, which may have come into it meanwhile.
func (a *app) redial(ctx context.Context, hello wire.Hello) (*client.Conn, error) {
	return a.reach(ctx, hello, a.startDaemon)
}

func (a *app) reach(ctx context.Context, hello wire.Hello, start func(context.Context) error) (*client.Conn, error) {
	o := a.options(hello)
	if a.socket == "" {
		o.Start = start
	}
	c, err := client.Dial(ctx, o)
	return c, connectError(o.Socket, err)
}

// find connects to a daemon that runs.
func (a *app) find(ctx context.Context) (*client.Conn, error) {
	o := a.options(wire.Hello{})
	o.AnyBuild = true
	c, err := client.Dial(ctx, o)
	return c, connectError(o.Socket, err)
}

func connectError(socket string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.EINVAL), errors.Is(err, syscall.ENAMETOOLONG):
		return exit{1, fmt.Errorf("socket %s: %w", socket, err)}
	}
	return failure(err)
}

func (a *app) options(hello wire.Hello) client.Options {
	socket := a.paths.Socket
	if a.socket != "" {
		socket = a.socket
	}
	hello.Name, hello.Version, hello.Build = "parley", version, build()
	if hello.Cwd == "" {
		hello.Cwd = a.dir
	}
	hello.Env = wire.Env(a.env)
	return client.Options{Socket: socket, Hello: hello}
}

// startDaemon starts this binary as a daemon of its own session, which outlives
// the client, and returns when it listens, or an error that says why it ended.
func (a *app) startDaemon(ctx context.Context) error {
	path, err := os.Executable()
	if err != nil {
		return fmt.Errorf("start the daemon: %w", err)
	}
	if a.paths.Private != "" {
		if err := config.MakePrivate(a.paths.Private, os.Getuid()); err != nil {
			return exit{1, err}
		}
	}
	cmd := exec.Command(path, "serve", "--auto")
	env, secrets := a.partEnv()
	keys, err := json.Marshal(secrets)
	if err != nil {
		return err
	}
	cmd.Env, cmd.Stdin = env, bytes.NewReader(keys)
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	var said bytes.Buffer
	read, write, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("start the daemon: %w", err)
	}
	defer read.Close()
	cmd.Stderr, cmd.Stdout = write, nil
	if err := cmd.Start(); err != nil {
		write.Close()
		return fmt.Errorf("start the daemon: %w", err)
	}
	write.Close()
	go func() { _ = cmd.Wait() }()
	// The daemon closes its end when it serves; until then it is its errors.
	if _, err := said.ReadFrom(read); err != nil {
		return fmt.Errorf("start the daemon: %w", err)
	}
	if text := strings.TrimSpace(said.String()); text != "" {
		return exit{1, fmt.Errorf("the daemon did not start: %s", strings.TrimPrefix(text, "parley: "))}
	}
	return nil
}

// detach closes what a daemon inherited from the client that started it.
func detach() error {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	for fd := range 3 {
		if err := dup(int(null.Fd()), fd); err != nil {
			return err
		}
	}
	return nil
}

// partEnv divides this program's environment for a daemon that it starts: keys
// go over a pipe and stay in memory, because a process's environment can be read
// by the commands that tools run.
func (a *app) partEnv() (env []string, secrets map[string]string) {
	hide := make(map[string]bool)
	if cfg, _, err := config.Load(a.sources()); err == nil {
		for _, name := range cfg.SecretEnv() {
			hide[name] = true
		}
	}
	// Also where the configuration cannot be read.
	for _, name := range a.providers.Kinds().KeyVariables() {
		hide[name] = true
	}
	secrets = make(map[string]string)
	for _, pair := range os.Environ() {
		name, value, _ := strings.Cut(pair, "=")
		if hide[name] {
			secrets[name] = value
		} else {
			env = append(env, pair)
		}
	}
	return env, secrets
}

// takeSecrets reads what partEnv held back, from the client that started this
// daemon.
func (a *app) takeSecrets() error {
	var secrets map[string]string
	if err := json.NewDecoder(a.in).Decode(&secrets); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read the keys of the client: %w", err)
	}
	for name, value := range secrets {
		a.env[name] = value
	}
	return nil
}
