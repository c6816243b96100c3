// Package address says which network addresses are public: those that are the same machine for everybody,
// and not this one, its neighbours, or a cloud's metadata.
//
// It guarantees that an IPv4 address is judged alike in each of the forms in which IPv6 can carry it. It
// resolves no names: who connects has to judge the address that is connected to.
package address

import "net/netip"

// closed are the networks that are not public beyond those net/netip has words for: IANA's special-purpose
// registries (https://www.iana.org/assignments/iana-ipv4-special-registry and its IPv6 sister). The
// addresses of cloud metadata, 169.254.169.254 and fd00:ec2::254, are link-local and unique local.
var closed = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),       // this network, RFC 791
	netip.MustParsePrefix("100.64.0.0/10"),   // shared by carriers, RFC 6598
	netip.MustParsePrefix("192.0.0.0/24"),    // protocol assignments, RFC 6890
	netip.MustParsePrefix("192.0.2.0/24"),    // documentation, RFC 5737
	netip.MustParsePrefix("192.88.99.0/24"),  // 6to4 relays, RFC 7526
	netip.MustParsePrefix("198.18.0.0/15"),   // benchmarks, RFC 2544
	netip.MustParsePrefix("198.51.100.0/24"), // documentation, RFC 5737
	netip.MustParsePrefix("203.0.113.0/24"),  // documentation, RFC 5737
	netip.MustParsePrefix("240.0.0.0/4"),     // reserved, RFC 1112, and broadcast
	netip.MustParsePrefix("64:ff9b:1::/48"),  // local translation, RFC 8215
	netip.MustParsePrefix("100::/64"),        // discard, RFC 6666
	netip.MustParsePrefix("2001::/23"),       // protocol assignments with Teredo, RFC 2928
	netip.MustParsePrefix("2001:db8::/32"),   // documentation, RFC 3849
	netip.MustParsePrefix("3fff::/20"),       // documentation, RFC 9637
	netip.MustParsePrefix("5f00::/16"),       // segment routing, RFC 9602
	netip.MustParsePrefix("fec0::/10"),       // site-local, RFC 3879
}

// carriers hold an IPv4 address in an IPv6 one, at the given byte.
var carriers = []struct {
	prefix netip.Prefix
	at     int
}{
	{netip.MustParsePrefix("::/96"), 12},        // compatible, RFC 4291
	{netip.MustParsePrefix("64:ff9b::/96"), 12}, // NAT64, RFC 6052
	{netip.MustParsePrefix("2002::/16"), 2},     // 6to4, RFC 3056
}

// Public says whether an address is public.
func Public(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	if !a.IsGlobalUnicast() || a.IsPrivate() {
		return false
	}
	for _, p := range closed {
		if p.Contains(a) {
			return false
		}
	}
	for _, c := range carriers {
		if a.Is6() && c.prefix.Contains(a) {
			b := a.As16()
			return Public(netip.AddrFrom4([4]byte(b[c.at : c.at+4])))
		}
	}
	return true
}
