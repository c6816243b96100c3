package fence

// Outcome is what comes of an attempt.
type Outcome string

// The outcomes.
const (
	// Refused attempts change nothing and learn nothing.
	Refused Outcome = "refused"
	// Undone attempts succeed for a moment; what they made is moved aside, and told.
	Undone Outcome = "undone"
	// Private attempts succeed, but nobody outside of the workspace's commands ever sees what they made.
	Private Outcome = "private"
	// Bounded attempts succeed up to a bound.
	Bounded Outcome = "bounded"
	// Reported attempts succeed, and the person is told of what they changed.
	Reported Outcome = "told"
	// Reached attempts succeed. Where a promise says so, nobody should rely on the fence.
	Reached Outcome = "reached"
)

// Promise is what a fence does about an attempt of a command that wants out.
type Promise struct {
	// Attempt is its short name, What a sentence about it.
	Attempt, What string
	Full, Files   Outcome
}

// Promises is the whole promise: a hostile program in a fence, run as an ordinary user, tries each of them
// in the tests, and docs/security.md has them as its table. Without a fence every attempt has the user's
// own rights.
var Promises = []Promise{
	// Files.
	{"write outside", "create, change, rename or remove a file outside of the workspace", Refused, Refused},
	{"write by link", "write outside through a symbolic link that the command makes in the workspace", Refused, Refused},
	{"chmod outside", "change the permissions of a file outside", Refused, Reached},
	{"utime outside", "change the times of a file outside", Refused, Reached},
	{"xattr outside", "change the extended attributes of a file outside", Refused, Reached},
	{"read outside", "read a file outside that is not hidden", Reached, Reached},
	{"read hidden", "read a hidden file: keys, browser profiles, Parley's store, what a rule denies to read", Refused, Reached},
	{"read hidden by link", "read a hidden file through a link, its folder, or another name of the same place", Refused, Reached},
	{"list hidden", "see names, sizes or times in a hidden folder", Refused, Reached},
	{"write guarded", "change .git/hooks, .git/config, .parley, .envrc, or what a rule denies to change", Refused, Reached},
	{"move guarded", "move a guarded file, or a folder above it, and put another in its place", Refused, Reached},
	{"link guarded", "change a guarded file by a hard link to it", Refused, Reached},
	{"make guarded", "make a guarded file that is not there yet", Refused, Reached},
	{"lead git elsewhere", "make .git/commondir, by which git takes other settings", Undone, Reached},
	{"make repository", "make a repository of the workspace, with settings that run programs", Undone, Reached},
	{"write cache", "change a cache that builds outside use", Private, Reached},
	{"change what runs later", "change a Makefile, package.json, .husky, AGENTS.md and their like in the workspace", Reported, Reported},
	{"nested repository", "make a repository in a folder of the workspace, with settings that run programs", Reached, Reached},
	{"temporary files of others", "read or change what others have in /tmp, /var/tmp and /dev/shm", Refused, Reached},

	// The kernel.
	{"write kernel settings", "write to /proc/sys, /sys or a process's files in /proc", Refused, Refused},
	{"replace program", "overwrite the program that started the command, by /proc/self/exe or /proc/1/exe", Refused, Refused},
	{"make devices", "make or open device nodes", Refused, Refused},
	{"mount", "mount, unmount, or move a mount", Refused, Refused},
	{"namespaces", "make or enter namespaces, in which it would have capabilities", Refused, Refused},
	{"setuid", "gain rights from a set-user-ID program", Refused, Refused},
	{"keyring", "read or change the user's keyrings", Refused, Refused},
	{"dangerous calls", "use bpf, perf, io_uring, userfaultfd, personality, or another ABI's system calls", Refused, Refused},

	// Processes.
	{"signal", "send a signal to a process outside", Refused, Refused},
	{"trace", "trace a process outside, or read or write its memory", Refused, Refused},
	{"proc", "read the environment, memory or descriptors of a process outside from /proc", Refused, Refused},
	{"shared memory", "attach System V shared memory of a process outside", Refused, Reached},
	{"descriptors", "use a descriptor that the daemon had open", Refused, Refused},
	{"terminal", "open the daemon's terminal, or type into one (TIOCSTI)", Refused, Refused},
	{"stay", "leave a process running after the command", Refused, Reached},
	{"fork bomb", "start processes without end", Bounded, Reached},
	{"memory", "use all memory: the kernel ends the command first, before others of the user", Reached, Reached},
	{"disk", "fill the disk, in the workspace, the temporary folder or a cache's layer", Reached, Reached},

	// The network, while it is off or hosts are listed.
	{"tcp", "connect to an address, the machine's own among them, without the proxy", Refused, Reached},
	{"udp", "send a datagram to one", Refused, Reached},
	{"raw", "open raw or packet sockets", Refused, Refused},
	{"netlink", "talk to the kernel's configuration by netlink, but for the list of interfaces", Refused, Refused},
	{"vsock", "open sockets of families that know no namespaces, such as vsock and Bluetooth", Refused, Refused},
	{"socket file", "connect to a Unix socket that was there when the command started", Refused, Reached},
	{"later socket file", "connect to a Unix socket that somebody outside makes later, in a folder that is not hidden", Reached, Reached},
	{"abstract socket", "connect to a Unix socket without a file", Refused, Refused},
	{"front door", "be served by a socket of Parley's daemon", Refused, Refused},
	{"proxy, unlisted", "have the proxy connect to a host that is not listed", Refused, Reached},
	{"proxy, private", "have the proxy connect to a private address by a listed name", Refused, Reached},
	{"proxy, another's", "use the proxy as another command of the session", Refused, Reached},
}
