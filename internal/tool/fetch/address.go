package fetch

import (
	"fmt"
	"net/netip"
	"syscall"

	"parley/internal/address"
)

// judge refuses to connect to an address that is not public. It is called with the address itself, not a
// name.
func judge(_, at string, _ syscall.RawConn) error {
	dialled, err := netip.ParseAddrPort(at)
	if err != nil {
		return fmt.Errorf("unreadable address %q", at)
	}
	if !address.Public(dialled.Addr()) {
		return fmt.Errorf("%s is a private or local address, which fetch does not connect to", dialled.Addr())
	}
	return nil
}
