package runtime

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"syscall"
	"time"

	"parley/internal/config"
	"parley/internal/llm"
)

// keyWait is how long a command that gives out a key may take: it may ask a
// server of its own, but not a person.
const keyWait = 30 * time.Second

// keysOf give out a provider's key: that of the environment, or what a command
// prints, which is run again when the key has run out or was refused.
func keysOf(p config.Resolved, env config.Env) llm.Keys {
	if p.KeyCommand == "" {
		return llm.Secret(p.Key.Reveal())
	}
	return llm.Renewed(func(ctx context.Context) (llm.Lease, error) {
		ctx, cancel := context.WithTimeout(ctx, keyWait)
		defer cancel()
		output, err := printed(ctx, p.KeyCommand, env)
		if err != nil {
			return llm.Lease{}, fmt.Errorf("the api_key_command of %s: %w", p.Name, err)
		}
		lease, err := llm.ParseLease(output, time.Now())
		if err != nil {
			return llm.Lease{}, fmt.Errorf("the api_key_command of %s: %w", p.Name, err)
		}
		return lease, nil
	}, llm.Clock{})
}

// printed is what a command prints in an environment, with nothing to read. What
// it says on stderr is not shown: it may hold a key.
func printed(ctx context.Context, command string, env config.Env) ([]byte, error) {
	const most = 64 << 10
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", command)
	for name, value := range env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	slices.Sort(cmd.Env)
	cmd.Stdout = &out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return nil, errors.New("it took too long")
	case err != nil:
		return nil, fmt.Errorf("%w; run it yourself to see what it says", err)
	case out.Len() > most:
		return nil, errors.New("it printed more than a key")
	}
	return out.Bytes(), nil
}
