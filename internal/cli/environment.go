package cli

import (
	"regexp"
	"slices"
	"strings"

	"parley/internal/config"
)

// startup are variables by which an environment changes what a command means.
var startup = map[string]bool{"CDPATH": true, "BASH_ENV": true, "ENV": true}

// named is how a header names a variable.
var named = regexp.MustCompile(`\$\{(\w+)\}`)

// commandEnv is the environment of commands: the client's, without keys.
func commandEnv(env config.Env, cfg config.Config) []string {
	secret := make(map[string]bool)
	for _, p := range cfg.Providers {
		secret[p.APIKeyEnv] = true
		for _, value := range p.Headers {
			for _, m := range named.FindAllStringSubmatch(value.Reveal(), -1) {
				secret[m[1]] = true
			}
		}
	}
	var out []string
	for name, value := range env {
		if secret[name] || startup[name] || strings.HasPrefix(name, "BASH_FUNC_") || strings.HasSuffix(name, "_API_KEY") && slices.Contains(config.Variables(), name) {
			continue
		}
		out = append(out, name+"="+value)
	}
	slices.Sort(out)
	return out
}
