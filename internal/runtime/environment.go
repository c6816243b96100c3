package runtime

import (
	"slices"
	"strings"

	"parley/internal/config"
)

// startup are variables by which an environment changes what a command means.
var startup = map[string]bool{"CDPATH": true, "BASH_ENV": true, "ENV": true}

// Environ is the environment of commands: the client's, without keys.
func Environ(env config.Env, cfg config.Config) []string {
	secret := make(map[string]bool)
	for _, name := range cfg.SecretEnv() {
		secret[name] = true
	}
	var out []string
	for name, value := range env {
		if !secret[name] && !startup[name] && !strings.HasPrefix(name, "BASH_FUNC_") {
			out = append(out, name+"="+value)
		}
	}
	slices.Sort(out)
	return out
}
