package refresh

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// A Run runs a program with arguments in a folder and returns what it writes to its standard output.
type Run func(ctx context.Context, dir, program string, args ...string) ([]byte, error)

// Exec is the Run that starts programs, with an environment; nil is that of this program.
func Exec(environ []string) Run {
	return func(ctx context.Context, dir, program string, args ...string) ([]byte, error) {
		cmd := exec.CommandContext(ctx, program, args...)
		cmd.Dir, cmd.Env = dir, environ
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("%w: %s", err, strings.TrimSpace(stderr.String()))
		}
		return out, nil
	}
}

// NPM is the source that the user's own npm is set up for. Tarballs pass through a folder below dir.
func NPM(run Run, dir string) Source {
	n := npm{run, dir}
	return Source{Latest: n.latest, Tarball: n.tarball}
}

type npm struct {
	run Run
	dir string
}

// latest asks by the tag: without it npm passes over a version that its own node is too old for.
func (n npm) latest(ctx context.Context, name string) (Release, error) {
	var version string
	if err := n.view(ctx, &version, name, "dist-tags.latest"); err != nil {
		return Release{}, err
	}
	return n.release(ctx, name, version)
}

func (n npm) release(ctx context.Context, name, version string) (Release, error) {
	var told struct {
		Name, Version, License string
		Integrity              string `json:"dist.integrity"`
		Time                   map[string]time.Time
	}
	if err := n.view(ctx, &told, name+"@"+version, "name", "version", "license", "dist.integrity", "time"); err != nil {
		return Release{}, err
	}
	if told.Name != name || told.Version != version {
		return Release{}, fmt.Errorf("npm view %s@%s tells of %s@%s", name, version, told.Name, told.Version)
	}
	return Release{
		Name: name, Version: version, Licence: told.License,
		Integrity: told.Integrity, Published: told.Time[version],
	}, nil
}

func (n npm) view(ctx context.Context, into any, what string, fields ...string) error {
	out, err := n.run(ctx, n.dir, "npm", append([]string{"view", "--json", what}, fields...)...)
	if err != nil {
		return fmt.Errorf("npm view %s: %w", what, err)
	}
	if err := json.Unmarshal(out, into); err != nil {
		return fmt.Errorf("npm view %s: %w", what, err)
	}
	return nil
}

func (n npm) tarball(ctx context.Context, r Release) ([]byte, error) {
	dir, err := os.MkdirTemp(n.dir, "parley-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if _, err := n.run(ctx, dir, "npm", "pack", "--ignore-scripts", "--silent", r.Name+"@"+r.Version); err != nil {
		return nil, fmt.Errorf("npm pack: %w", err)
	}
	found, err := filepath.Glob(filepath.Join(dir, "*.tgz"))
	if err != nil || len(found) != 1 {
		return nil, fmt.Errorf("npm pack left %d tarballs", len(found))
	}
	info, err := os.Stat(found[0])
	if err != nil {
		return nil, err
	}
	if info.Size() > mostTarball {
		return nil, fmt.Errorf("the tarball is larger than %d bytes", mostTarball)
	}
	return os.ReadFile(found[0])
}

// Version asks the source for a version of a package other than the newest.
func Version(ctx context.Context, run Run, dir, name, version string) (Release, error) {
	return npm{run, dir}.release(ctx, name, version)
}
