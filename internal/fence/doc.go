// Package fence keeps what a command can do on this machine within a [Profile]: what it may write and
// read, what it may connect to, and that nothing of it stays.
//
//	profile ──► plan (pure) ──► order ──► first process (package inside) ──► the command
//	   ▲                          └─ room: a session's namespaces, its way out to the proxy
//	[Standard]
//
// There are three kinds: [Full], [Files] and [None]; [Detect] tries which one this machine has. For a full
// fence it guarantees that
//   - a command never starts with less than its profile asks for: what cannot be put up is a [StepError];
//   - each attempt of [Promises] has the outcome that stands there, which a hostile program shows in the tests;
//   - when a command has ended, nothing of it is left, and [Told] says what the fence stopped;
//   - nothing of a fence outlives the process that made it.
//
// [Inside] tells of a process whether it stands behind a fence: whoever serves with more rights than a
// command has refuses such a peer.
//
// It does not decide what a command may do: that is the profile, and whoever makes it asks people. It keeps
// a command from acting now, not later: what it wrote in the workspace anybody may run outside.
package fence
