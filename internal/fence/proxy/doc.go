// Package proxy is the way out of a fence: an HTTP proxy outside of it that connects to listed hosts only.
//
//	command ──► 127.0.0.1:PORT (its network namespace) ──► Proxy (here) ──► a listed host
//
// A command is told of it by the usual variables. Plain HTTP and CONNECT are spoken; SOCKS is not, since
// what speaks SOCKS speaks CONNECT, and some programs fail when a variable names a SOCKS proxy.
//
// It guarantees that
//   - names are resolved here, and what is connected to is the address that was judged, so a name that
//     changes its address in between (DNS rebinding) gains nothing;
//   - an address that is not public is connected to only where the list has that address itself;
//   - each connection belongs to a [Ticket], by the token in its Proxy-Authorization: what one command may
//     reach, another one of the same session cannot;
//   - each refusal is a value;
//   - when a ticket is closed, nothing of it is left.
//
// It does not look into what is sent: a listed host takes whatever a command uploads, and a host that
// serves others' names (a content network) may be asked for them.
package proxy
