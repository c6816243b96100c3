package cli

import (
	"maps"
	"slices"

	"parley/internal/session"
	"parley/internal/transport"
	"parley/internal/transport/unix"
	"parley/internal/wire/native"
)

// dialects are those that --listen can name, each with how it listens on a
// Unix socket.
var dialects = map[string]func(path string, local session.Client) ([]listener, error){
	"native": func(path string, local session.Client) ([]listener, error) {
		l, err := unix.Listen(path, transport.Lines{})
		if err != nil {
			return nil, err
		}
		return []listener{{Listener: l, dialect: &native.Dialect, client: local}}, nil
	},
	"nous": func(path string, local session.Client) ([]listener, error) {
		return listenNous(path, local, commandTimeout)
	},
}

func listenable() []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(dialects)) {
		out = append(out, name+"+unix")
	}
	return out
}
