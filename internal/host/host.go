// Package host spells the name of a host in the one way in which it is dialled, so that what a rule is held against is
// what is connected to.
//
// It guarantees that two spellings which lead to one place by themselves become one: letters are lower case, other
// scripts and full-width forms are mapped as IDNA maps them, the dot of the root is left out, an address is in its
// shortest form, also one that was written with fewer parts, in octal or in hexadecimal. What it returned it returns again.
//
// It asks no name server: two names of one machine are two hosts.
package host

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"

	"golang.org/x/net/idna"
)

// Name is a host's name or address as it is dialled, without a port and without brackets.
func Name(written string) (string, error) {
	name := written
	if inner, ok := strings.CutPrefix(name, "["); ok {
		if inner, ok = strings.CutSuffix(inner, "]"); !ok {
			return "", bad(written)
		}
		name = inner
	}
	if strings.Contains(name, ":") {
		return address(written, name)
	}
	name = strings.ToLower(name)
	if strings.ContainsFunc(name, func(r rune) bool { return r >= 0x80 }) {
		var err error
		if name, err = idna.Lookup.ToASCII(name); err != nil {
			return "", bad(written)
		}
	}
	name = strings.TrimSuffix(name, ".")
	for label := range strings.SplitSeq(name, ".") {
		if label == "" || strings.ContainsFunc(label, func(r rune) bool { return r <= ' ' || strings.ContainsRune(`/\?#@:%<>[]^|"`, r) || r == 0x7f }) {
			return "", bad(written)
		}
	}
	if last := name[strings.LastIndexByte(name, '.')+1:]; numeric(last) {
		return old(written, name)
	}
	return name, nil
}

func bad(written string) error { return fmt.Errorf("%q is no name of a host", written) }

func address(written, text string) (string, error) {
	a, err := netip.ParseAddr(text)
	if err != nil {
		return "", bad(written)
	}
	if a.Zone() != "" {
		return "", errors.New("an address with a zone is not reached from here")
	}
	return a.Unmap().String(), nil
}

// numeric reports whether a name that ends in this label is an address (https://url.spec.whatwg.org/#ends-in-a-number-checker).
func numeric(label string) bool {
	digits, hex := strings.CutPrefix(label, "0x")
	return strings.Trim(digits, "0123456789") == "" || hex && strings.Trim(digits, "0123456789abcdef") == ""
}

// old is an IPv4 address as inet_aton(3) reads it: the last of one to four parts fills what is left.
func old(written, name string) (string, error) {
	parts := strings.Split(name, ".")
	if len(parts) > 4 {
		return "", bad(written)
	}
	var all uint64
	for i, part := range parts {
		n, err := strconv.ParseUint(part, 0, 64)
		if part == "0x" {
			n, err = 0, nil
		}
		room := 8
		if i == len(parts)-1 {
			room = 8 * (5 - len(parts))
		}
		if err != nil || n >= 1<<room || strings.ContainsAny(part, "_bo") {
			return "", bad(written)
		}
		all = all<<room | n
	}
	return netip.AddrFrom4([4]byte{byte(all >> 24), byte(all >> 16), byte(all >> 8), byte(all)}).String(), nil
}

// Split takes the port off a host, and spells the host as [Name] does; the port may be absent.
func Split(written string) (name, port string, err error) {
	name = written
	if h, p, err := net.SplitHostPort(written); err == nil {
		name, port = h, p
		if n, err := strconv.ParseUint(port, 10, 16); err == nil {
			port = strconv.FormatUint(n, 10)
		} else {
			return "", "", fmt.Errorf("%q is no port", port)
		}
	}
	name, err = Name(name)
	return name, port, err
}

// Join is the opposite of Split.
func Join(name, port string) string {
	if port == "" {
		return name
	}
	return net.JoinHostPort(name, port)
}
