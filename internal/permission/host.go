package permission

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
)

func parseHostPattern(s string) (Rule, error) {
	if strings.Contains(s, "://") || strings.ContainsAny(s, "/?#@ \t\n\r\x00") {
		return Rule{}, errors.New("the pattern is a host, not an address; an example: fetch(example.org)")
	}
	if s == "*" {
		return Rule{}, nil
	}
	host, port := splitHost(s)
	if strings.ContainsAny(host, "[]:") {
		if _, err := netip.ParseAddr(host); err != nil {
			return Rule{}, fmt.Errorf("%q is no host; an example: fetch(example.org)", s)
		}
	}
	bare, below := strings.CutPrefix(host, "*.")
	if bare == "" || strings.Contains(bare, "*") {
		return Rule{}, fmt.Errorf("a star stands for whole names in front of the host only; an example: fetch(*.example.org)")
	}
	if below {
		host = "*." + bare
	}
	return Rule{pattern: joinHost(host, port)}, nil
}

// splitHost returns the host in the one spelling that is compared (lower case,
// no final dot, addresses in their shortest form) and the port, if any.
func splitHost(s string) (host, port string) {
	host = s
	if h, p, err := net.SplitHostPort(s); err == nil {
		host, port = h, p
	}
	host = strings.TrimRight(strings.ToLower(strings.Trim(host, "[]")), ".")
	if addr, err := netip.ParseAddr(host); err == nil {
		host = addr.Unmap().String()
	}
	return host, port
}

func joinHost(host, port string) string {
	if port == "" {
		return host
	}
	return net.JoinHostPort(host, port)
}

// matchHost reports whether a host pattern matches; one without a port
// matches every port.
func matchHost(pattern, target string) bool {
	host, port := splitHost(target)
	want, wantPort := splitHost(pattern)
	if host == "" || (wantPort != "" && wantPort != port) {
		return false
	}
	if suffix, ok := strings.CutPrefix(want, "*"); ok {
		return strings.HasSuffix(host, suffix) && host != suffix
	}
	return host == want
}

func coversHost(a, b string) bool {
	host, port := splitHost(b)
	return matchHost(a, joinHost(strings.Replace(host, "*", "x", 1), port))
}
