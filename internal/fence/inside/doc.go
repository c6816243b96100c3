// Package inside is the part of the fence that stands inside it: what this program does when it is started
// again, by package fence, as the room of a session or as the first process of a command.
//
//	daemon ──► room   user, net, ipc and pid namespaces; lives as long as the session has a fence
//	             └──► first process   user, mount and pid namespaces of its own; one for each command
//	                    └──► the command   no capabilities, no new privileges, a list of system calls
//
// It guarantees that a command starts only when every [Mount] of its [Order] stands, its capabilities are
// gone and its filter holds; otherwise the order fails with the step that did. The first process collects
// what the command leaves behind and ends it; when it ends itself, the kernel ends everything in its pid
// namespace. It ends when its control connection does, so nothing outlives the daemon either.
//
// The program is started again by its package initialisation, before main and before most other packages
// are initialised: the language orders them by import path among those whose imports are ready. So this
// package imports little. It decides nothing: what may be reached is in the order, and package fence
// writes that.
package inside
