package permission

import (
	"errors"
	"fmt"
	"strings"

	"parley/internal/host"
)

func parseHostPattern(s string) (Rule, error) {
	if strings.Contains(s, "://") || strings.ContainsAny(s, "/?#@ \t\n\r\x00") {
		return Rule{}, errors.New("the pattern is a host, not an address; an example: fetch(example.org)")
	}
	if s == "*" {
		return Rule{}, nil
	}
	name, below := strings.CutPrefix(s, "*.")
	if strings.Contains(name, "*") {
		return Rule{}, fmt.Errorf("a star stands for whole names in front of the host only; an example: fetch(*.example.org)")
	}
	name, port, err := host.Split(name)
	if err != nil {
		return Rule{}, fmt.Errorf("%w; an example: fetch(example.org)", err)
	}
	if below {
		name = "*." + name
	}
	return Rule{pattern: host.Join(name, port)}, nil
}

// matchHost reports whether a host pattern matches; one without a port matches every port. Both are compared as they will
// be dialled, see package host. known is false for a target that is no host.
func matchHost(pattern, target string) (matches, known bool) {
	name, port, err := host.Split(target)
	if err != nil {
		return false, false
	}
	want, below := strings.CutPrefix(pattern, "*.")
	want, wantPort, err := host.Split(want)
	if err != nil {
		return false, false
	}
	switch {
	case wantPort != "" && wantPort != port:
		return false, true
	case below:
		return strings.HasSuffix(name, "."+want), true
	}
	return name == want, true
}

// coversHost reports whether whatever the pattern b matches is matched by a.
func coversHost(a, b string) bool {
	b, below := strings.CutPrefix(b, "*.")
	if below {
		b = "x." + b
	}
	matches, _ := matchHost(a, b)
	return matches
}

// plainHost leaves out a port that needs no word.
func plainHost(target string) string {
	name, port, err := host.Split(target)
	if err != nil || port != "443" && port != "80" {
		return target
	}
	return host.Join(name, "")
}
