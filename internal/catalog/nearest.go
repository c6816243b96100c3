package catalog

import (
	"cmp"
	"slices"
	"strings"

	"parley/internal/near"
)

// Nearest returns up to three of the names that a server lists that are near to one that it does not have: those that it
// may be a slip of, and the newest of its family; the likeliest first.
func Nearest(name string, listed []string) []string {
	type slip struct {
		name  string
		far   int  // between the families
		other bool // another version
	}
	want := parseName(name)
	var found []slip
	for _, other := range listed {
		n := parseName(other)
		far := near.Distance(want.family, n.family)
		if want.family == "" || n.family == "" {
			far = near.Distance(strings.ToLower(name), strings.ToLower(other))
		}
		if other != name && far <= max(1, len(want.family)/3) {
			found = append(found, slip{other, far, !slices.Equal(want.version, n.version)})
		}
	}
	slices.SortFunc(found, func(a, b slip) int {
		return cmp.Or(cmp.Compare(a.far, b.far), order(a.other, b.other), newer(a.name, b.name))
	})
	var names []string
	for _, f := range found[:min(3, len(found))] {
		if f.far <= max(1, found[0].far) {
			names = append(names, f.name)
		}
	}
	return names
}

// order puts what is not so before what is.
func order(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// An Offer is a provider that may be asked for a model.
type Offer struct {
	Provider string
	// Server is its address: of two providers at one, the first stands for both.
	Server string
	// Models are the names that the configuration, the server and the catalog tell of.
	Models []string
}

// Unique returns which provider a name that was given without one is of. Where that is not exactly one, it is empty, and
// among are those that have a model of that name.
func Unique(name string, offers []Offer) (provider string, among []string) {
	var servers []string
	for _, o := range offers {
		if !slices.Contains(o.Models, name) || o.Server != "" && slices.Contains(servers, o.Server) {
			continue
		}
		among = append(among, o.Provider)
		servers = append(servers, o.Server)
	}
	if len(among) == 1 {
		return among[0], among
	}
	return "", among
}

// Served reports whether a server that lists these models has one of that name: as it is, without the date of an edition
// (claude-haiku-4-5 for claude-haiku-4-5-20251001), or without the tag that Ollama takes it for.
func Served(name string, listed []string) bool {
	return slices.ContainsFunc(listed, func(other string) bool {
		return other == name || Dateless(other) == name || other == name+":latest"
	})
}
