package address_test

import (
	"net/netip"
	"strings"
	"testing"

	"parley/internal/address"
)

// What is public and what is not, in every form in which an address comes.
func TestPublic(t *testing.T) {
	for _, a := range strings.Fields("1.1.1.1 9.255.255.255 11.0.0.1 2606:4700::1111 ::ffff:1.1.1.1 64:ff9b::1.1.1.1 2002:101:101::1") {
		if !address.Public(netip.MustParseAddr(a)) {
			t.Errorf("%s is public", a)
		}
	}
	for _, a := range strings.Fields(`127.0.0.1 127.9.9.9 0.0.0.0 0.1.2.3 10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 169.254.169.254
		100.64.0.1 192.0.0.1 198.18.0.1 224.0.0.1 240.0.0.1 255.255.255.255 :: ::1 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:10.0.0.1
		64:ff9b::127.0.0.1 64:ff9b::169.254.169.254 64:ff9b:1::1 2002:7f00:1::1 2002:a00:1::1 fe80::1 fe80::1%eth0 fc00::1
		fd00:ec2::254 fec0::1 ff02::1 2001::1 2001:db8::1 100::1`) {
		if address.Public(netip.MustParseAddr(a)) {
			t.Errorf("%s is not public", a)
		}
	}
}
