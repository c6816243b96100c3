package cli

import (
	"maps"
	"slices"
	"strings"

	"parley/internal/session"
	"parley/internal/transport"
	"parley/internal/transport/unix"
	"parley/internal/wire"
	"parley/internal/wire/cogency"
	"parley/internal/wire/klaude"
	"parley/internal/wire/native"
)

// A dialect is what the program offers of one: a listener, lines on stdout, or both.
type dialect struct {
	listen func(path string, local session.Client, options ...unix.Option) ([]listener, error) // on a Unix socket; nil: --listen does not name it
	print  *format                                                                             // nil: --format does not name it
}

// dialects are those of the program. --format has plain, native and the
// [reportFormats] beside them, which are printed without encoding anything.
var dialects = map[string]dialect{
	"native": {listen: listenLines(&native.Dialect)},
	"nous": {listen: func(path string, local session.Client, options ...unix.Option) ([]listener, error) {
		return listenNous(path, local, commandTimeout, options...)
	}},
	"klaude":        {print: &format{&klaude.Dialect, ""}},
	"cogency":       {print: &format{&cogency.Dialect, ""}},
	"cogency-token": {print: &format{&cogency.Dialect, cogency.Token}},
}

// listenLines listens for clients of a dialect that is a frame a line and needs
// nothing but itself.
func listenLines(d *wire.Dialect) func(string, session.Client, ...unix.Option) ([]listener, error) {
	return func(path string, local session.Client, options ...unix.Option) ([]listener, error) {
		l, err := unix.Listen(path, transport.Lines{}, options...)
		if err != nil {
			return nil, err
		}
		return []listener{{Listener: l, dialect: d, client: local}}, nil
	}
}

// listenable lists what --listen takes, without addresses.
func (a *app) listenable() []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(a.dialects)) {
		if a.dialects[name].listen != nil {
			out = append(out, name+"+unix")
		}
	}
	return out
}

// formatNames lists what --format takes.
func (a *app) formatNames() []string {
	out := append([]string{"plain", "native"}, slices.Sorted(maps.Keys(reportFormats))...)
	for _, name := range slices.Sorted(maps.Keys(a.dialects)) {
		if a.dialects[name].print != nil {
			out = append(out, name)
		}
	}
	return out
}

// formatted is formatNames for people.
func (a *app) formatted() string { return strings.Join(a.formatNames(), ", ") }
