package filter

// Row is a system call that is refused.
type Row struct {
	Name         string
	amd64, arm64 int // its numbers; -1 where a machine has none
	Answer       Answer
	// Unless are the ways to make the call that are allowed: all tests of one must hold.
	Unless []tests
	// Why is the reason, for people.
	Why string
}

// test is about the lower 32 bits of an argument; the upper ones the kernel ignores for each call that has
// tests here.
type test struct {
	arg    int
	mask   uint32 // 0: all bits
	values []uint32
	not    bool // none of the values
}

type tests []test

// Number is the call's number on a machine, -1 for none.
func (r Row) Number(a Arch) int {
	if a == ARM64 {
		return r.arm64
	}
	return r.amd64
}

// Telling says that the call's arguments tell more than its name.
func (r Row) Telling() bool { return r.Unless != nil }

// Name finds the call of a number, "" for one that is not refused.
func Name(a Arch, number int) string {
	for _, r := range Rows {
		if r.Number(a) == number && number >= 0 {
			return r.Name
		}
	}
	return ""
}

// Flags that ask for new namespaces (clone(2)). CLONE_NEWTIME is in the byte in which clone has its signal.
const (
	newNamespaces = 0x20000 | 0x2000000 | 0x4000000 | 0x8000000 | 0x10000000 | 0x20000000 | 0x40000000
	newTime       = 0x80
)

// Requests of ioctl(2).
const (
	tiocsti           = 0x5412
	tioclinux         = 0x541c
	btrfsSnapCreate   = 0x50009401
	btrfsSnapDestroy  = 0x5000940f
	btrfsSnapCreate2  = 0x50009417
	btrfsSnapDestroy2 = 0x5000943f
	bcachefsCreate    = 0x4020bc10
)

// Families, kinds and protocols of socket(2).
const (
	afUnix, afInet, afInet6, afNetlink        = 1, 2, 10, 16
	sockStream, sockDatagram, sockRaw         = 1, 2, 3
	sockKind                                  = 0xf // without SOCK_NONBLOCK and SOCK_CLOEXEC
	protoAny, protoICMP, protoTCP, protoUDP   = 0, 1, 6, 17
	protoICMP6, protoMultipath, netlinkRouter = 58, 262, 0
)

// Rows are the refused calls. A command has no capabilities, so many would fail anyway: they are here
// because they are where kernels had their bugs.
var Rows = []Row{
	// Namespaces: inside one of its own a command would have capabilities again.
	{"unshare", 272, 97, Told, []tests{{{arg: 0, mask: newNamespaces | newTime, values: []uint32{0}}}}, "makes namespaces, in which it would have capabilities"},
	{"setns", 308, 268, Told, nil, "enters namespaces"},
	{"clone", 56, 220, Told, []tests{{{arg: 0, mask: newNamespaces, values: []uint32{0}}}}, "makes namespaces"},
	{"clone3", 435, 435, Absent, nil, "makes namespaces, and says so in memory; the C libraries fall back to clone"},

	// Mounts: what is hidden and guarded stands on them.
	{"mount", 165, 40, Told, nil, "changes mounts"},
	{"umount2", 166, 39, Told, nil, "changes mounts"},
	{"pivot_root", 155, 41, Told, nil, "changes mounts"},
	{"chroot", 161, 51, Told, nil, "changes the root"},
	{"open_tree", 428, 428, Told, nil, "copies mounts"},
	{"open_tree_attr", 467, 467, Told, nil, "copies mounts"},
	{"move_mount", 429, 429, Told, nil, "changes mounts"},
	{"fsopen", 430, 430, Told, nil, "makes mounts"},
	{"fsconfig", 431, 431, Told, nil, "makes mounts"},
	{"fsmount", 432, 432, Told, nil, "makes mounts"},
	{"fspick", 433, 433, Told, nil, "changes mounts"},
	{"mount_setattr", 442, 442, Told, nil, "changes mounts"},
	{"swapon", 167, 224, Told, nil, "is for administrators"},
	{"swapoff", 168, 225, Told, nil, "is for administrators"},
	{"quotactl", 179, 60, Told, nil, "is for administrators"},
	{"quotactl_fd", 443, 443, Told, nil, "is for administrators"},

	// Files by other ways than their paths.
	{"open_by_handle_at", 304, 265, Told, nil, "opens files past the mounts that hide them"},
	{"fanotify_init", 300, 262, Told, nil, "watches files of others"},
	{"ioctl", 16, 29, Told, []tests{{{arg: 1, not: true, values: []uint32{
		tiocsti, tioclinux, btrfsSnapCreate, btrfsSnapCreate2, btrfsSnapDestroy, btrfsSnapDestroy2, bcachefsCreate,
	}}}}, "types into a terminal (TIOCSTI, TIOCLINUX), or copies a subvolume with what is hidden in it"},

	// Other processes.
	{"ptrace", 101, 117, Told, nil, "reads and changes other processes"},
	{"process_vm_readv", 310, 270, Told, nil, "reads other processes"},
	{"process_vm_writev", 311, 271, Told, nil, "changes other processes"},
	{"process_madvise", 440, 440, Told, nil, "changes other processes"},
	{"process_mrelease", 448, 448, Told, nil, "changes other processes"},
	{"pidfd_getfd", 438, 438, Told, nil, "takes descriptors of other processes"},
	{"kcmp", 312, 272, Told, nil, "looks into other processes"},
	{"move_pages", 279, 239, Told, nil, "moves memory of other processes"},
	{"migrate_pages", 256, 238, Told, nil, "moves memory of other processes"},

	// Keys live in the user's session, outside of any namespace.
	{"add_key", 248, 217, Told, nil, "reaches the user's keyrings"},
	{"request_key", 249, 218, Told, nil, "reaches the user's keyrings"},
	{"keyctl", 250, 219, Told, nil, "reaches the user's keyrings"},

	// Machinery with a long list of kernel bugs.
	{"bpf", 321, 280, Told, nil, "loads programs into the kernel"},
	{"perf_event_open", 298, 241, Told, nil, "measures other processes and the kernel"},
	{"io_uring_setup", 425, 425, Absent, nil, "makes calls that this list does not see"},
	{"io_uring_enter", 426, 426, Absent, nil, "makes calls that this list does not see"},
	{"io_uring_register", 427, 427, Absent, nil, "makes calls that this list does not see"},
	{"userfaultfd", 323, 282, Told, nil, "holds the kernel up in the middle of a call"},
	{"personality", 135, 92, Told, []tests{{{arg: 0, values: []uint32{0, 0xffffffff}}}}, "switches protections of memory off"},
	{"modify_ldt", 154, -1, Told, nil, "changes segments"},
	{"uselib", 134, -1, Told, nil, "is obsolete"},
	{"lookup_dcookie", 212, 18, Told, nil, "is obsolete"},

	// Sockets: those of the machine's own kind, and what lists the interfaces.
	{"socket", 41, 198, Told, []tests{
		{{arg: 0, values: []uint32{afUnix}}},
		{
			{arg: 0, values: []uint32{afInet, afInet6}},
			{arg: 1, mask: sockKind, values: []uint32{sockStream, sockDatagram}},
			{arg: 2, values: []uint32{protoAny, protoICMP, protoTCP, protoUDP, protoICMP6, protoMultipath}},
		},
		{
			{arg: 0, values: []uint32{afNetlink}},
			{arg: 1, mask: sockKind, values: []uint32{sockRaw, sockDatagram}},
			{arg: 2, values: []uint32{netlinkRouter}},
		},
	}, "raw and packet sockets, and families that know no network namespace, such as vsock"},
	{"socketpair", 53, 199, Told, []tests{{{arg: 0, values: []uint32{afUnix}}}}, "families that know no network namespace"},

	// The machine.
	{"kexec_load", 246, 104, Told, nil, "is for administrators"},
	{"kexec_file_load", 320, 294, Told, nil, "is for administrators"},
	{"reboot", 169, 142, Told, nil, "is for administrators"},
	{"init_module", 175, 105, Told, nil, "is for administrators"},
	{"finit_module", 313, 273, Told, nil, "is for administrators"},
	{"delete_module", 176, 106, Told, nil, "is for administrators"},
	{"acct", 163, 89, Told, nil, "is for administrators"},
	{"settimeofday", 164, 170, Told, nil, "is for administrators"},
	{"clock_settime", 227, 112, Told, nil, "is for administrators"},
	{"sethostname", 170, 161, Told, nil, "is for administrators"},
	{"setdomainname", 171, 162, Told, nil, "is for administrators"},
	{"iopl", 172, -1, Told, nil, "is for administrators"},
	{"ioperm", 173, -1, Told, nil, "is for administrators"},
	{"vhangup", 153, 58, Told, nil, "hangs terminals up"},
	{"syslog", 103, 116, Told, nil, "reads the kernel's log"},
}
