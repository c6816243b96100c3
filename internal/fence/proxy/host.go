package proxy

import (
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"parley/internal/host"
)

// Host is where a command wanted to connect.
type Host struct {
	Name string
	Port int
}

func (h Host) String() string { return net.JoinHostPort(h.Name, strconv.Itoa(h.Port)) }

// Hosts is a list of what may be connected to. The zero list has nothing.
type Hosts struct {
	names    []named
	networks []network
}

type ports []int // nil: the ports of the web; a port 0: every port

type named struct {
	name  string // "*" is every name, "*.example.org" those below one
	ports ports
}

type network struct {
	prefix netip.Prefix
	ports  ports
}

// web are the ports of an entry that has none.
var web = ports{80, 443}

func (p ports) have(port int) bool {
	if p == nil {
		p = web
	}
	return slices.Contains(p, port) || slices.Contains(p, 0)
}

// ParseHosts reads a list: names ("example.org"), what is below a name ("*.example.org"), every name
// ("*"), addresses and networks ("10.1.2.3", "10.0.0.0/8", "[fd00::1]"), each with a port behind a colon,
// ":*" for every port, or without one for 80 and 443. "localhost" is the machine's own loopback.
func ParseHosts(list []string) (Hosts, error) {
	var h Hosts
	for _, entry := range list {
		if err := h.add(entry); err != nil {
			return Hosts{}, err
		}
	}
	return h, nil
}

func (h *Hosts) add(entry string) error {
	name, ports, err := split(entry)
	if err != nil {
		return err
	}
	star := ""
	if below, ok := strings.CutPrefix(name, "*."); ok {
		star, name = "*.", below
	}
	if prefix, err := netip.ParsePrefix(name); err == nil && star == "" {
		h.networks = append(h.networks, network{prefix.Masked(), ports})
		return nil
	}
	spelled, err := host.Name(name)
	a, noAddress := netip.ParseAddr(spelled)
	switch {
	case name == "*" && star == "":
		h.names = append(h.names, named{name, ports})
		return nil
	case err != nil || strings.Contains(spelled, "*") || noAddress == nil && star != "":
		return fmt.Errorf("%q is no host: it is NAME, *.NAME, an address or a network, with :PORT behind it or without", entry)
	case noAddress == nil:
		h.networks = append(h.networks, network{netip.PrefixFrom(a, a.BitLen()), ports})
		return nil
	}
	h.names = append(h.names, named{star + spelled, ports})
	if star == "" && spelled == local {
		for _, a := range loopback {
			h.networks = append(h.networks, network{netip.PrefixFrom(a, a.BitLen()), ports})
		}
	}
	return nil
}

// split takes the port off an entry.
func split(entry string) (string, ports, error) {
	name, port := entry, ""
	switch i := strings.LastIndexByte(entry, ':'); {
	case strings.HasPrefix(entry, "["):
		closing := strings.IndexByte(entry, ']')
		if closing < 0 {
			return "", nil, fmt.Errorf("%q has no closing bracket", entry)
		}
		name, port = entry[1:closing], entry[closing+1:]
		if before, after, _ := strings.Cut(port, ":"); before != "" || port != "" && after == "" {
			return "", nil, fmt.Errorf("%q has something behind its bracket that is no port", entry)
		}
		port = strings.TrimPrefix(port, ":")
	case i >= 0 && i == strings.IndexByte(entry, ':'):
		name, port = entry[:i], entry[i+1:]
		if port == "" {
			return "", nil, fmt.Errorf("%q has no port behind its colon", entry)
		}
	}
	switch {
	case port == "":
		return name, nil, nil
	case port == "*":
		return name, ports{0}, nil
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || n == 0 {
		return "", nil, fmt.Errorf("%q has the port %q: it is a number up to 65535, or *", entry, port)
	}
	return name, ports{int(n)}, nil
}

// Name says whether the list has a name, or an address written as one.
func (h Hosts) Name(host Host) bool {
	if a, err := netip.ParseAddr(host.Name); err == nil {
		return h.Address(a, host.Port) || h.any(host.Port)
	}
	return slices.ContainsFunc(h.names, func(n named) bool { return n.ports.have(host.Port) && n.match(host.Name) })
}

func (n named) match(name string) bool {
	if n.name == "*" || n.name == name {
		return true
	}
	below, star := strings.CutPrefix(n.name, "*")
	return star && strings.HasSuffix(name, below) && len(name) > len(below)
}

func (h Hosts) any(port int) bool {
	return slices.ContainsFunc(h.names, func(n named) bool { return n.name == "*" && n.ports.have(port) })
}

// Address says whether the list has an address itself.
func (h Hosts) Address(a netip.Addr, port int) bool {
	a = a.Unmap().WithZone("")
	return slices.ContainsFunc(h.networks, func(n network) bool { return n.prefix.Contains(a) && n.ports.have(port) })
}
