package runtime

import (
	"os"
	"path/filepath"

	"parley/internal/config"
)

// Sources are where the configuration is read from, for a client with an
// environment in a folder. What the user trusts is kept below paths.
func (ps Providers) Sources(env config.Env, paths config.Paths, dir string) config.Sources {
	user := paths.Config
	if p, err := config.NewPaths(env, os.Getuid()); err == nil {
		user = p.Config
	}
	return config.Sources{Env: env, User: user, Root: ProjectRoot(dir), Dir: dir, Kinds: ps.Kinds(), Trusted: config.NewStore(paths.Data).Trusted,
		Rule: func(text string) error { _, err := Grammar().Rule(text); return err }}
}

// ProjectRoot is the folder that holds .git, upwards from dir; dir where there
// is none.
func ProjectRoot(dir string) string {
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return at
		}
		if at == filepath.Dir(at) {
			return dir
		}
	}
}
