package filter

import (
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/bpf"
	"pgregory.net/rapid"
)

var machines = []Arch{AMD64, ARM64}

// calls reads the numbers of a machine's system calls from golang.org/x/sys.
func calls(t *testing.T, a Arch) map[string]int {
	t.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "golang.org/x/sys").Output()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "unix", "zsysnum_linux_"+string(a)+".go"))
	if err != nil {
		t.Fatal(err)
	}
	numbers := map[string]int{}
	for _, m := range regexp.MustCompile(`(?m)^\tSYS_(\w+)\s+= (\d+)`).FindAllSubmatch(text, -1) {
		n, _ := strconv.Atoi(string(m[2]))
		numbers[strings.ToLower(string(m[1]))] = n
	}
	return numbers
}

// vm runs a program as the kernel does, but over big-endian words: that is how package bpf loads.
func vm(t testing.TB, a Arch, listener bool) func(arch uint32, number uint32, args ...uint64) uint32 {
	t.Helper()
	program, err := Program(a, listener)
	if err != nil {
		t.Fatal(err)
	}
	code, whole := bpf.Disassemble(program)
	if !whole {
		t.Fatal("not all of the program is understood")
	}
	machine, err := bpf.NewVM(code)
	if err != nil {
		t.Fatal(err)
	}
	return func(arch, number uint32, args ...uint64) uint32 {
		data := make([]byte, 64)
		binary.BigEndian.PutUint32(data[offNumber:], number)
		binary.BigEndian.PutUint32(data[offArch:], arch)
		for i, v := range args {
			binary.BigEndian.PutUint32(data[offArgs+8*i:], uint32(v))
			binary.BigEndian.PutUint32(data[offArgs+8*i+4:], uint32(v>>32))
		}
		n, err := machine.Run(data)
		if err != nil {
			t.Fatal(err)
		}
		return uint32(n)
	}
}

// The numbers of the list are those of both machines, each call stands once, and each has a reason.
func TestNumbers(t *testing.T) {
	for _, a := range machines {
		known, seen := calls(t, a), map[string]bool{}
		for _, r := range Rows {
			want, there := known[r.Name]
			if !there {
				want = -1
			}
			if r.Number(a) != want {
				t.Errorf("%s %s: %d, want %d", a, r.Name, r.Number(a), want)
			}
			if seen[r.Name] || r.Why == "" {
				t.Errorf("%s: twice, or without a reason", r.Name)
			}
			seen[r.Name] = true
		}
		for name, n := range known {
			if n > Newest {
				t.Errorf("%s: %s is %d, newer than the list: judge it, then raise Newest", a, name, n)
			}
		}
	}
}

// The table of whole decisions: what a call is answered on each machine.
func TestDecisions(t *testing.T) {
	const allow, errno, ask, kill = "allow", "absent", "told", "killed"
	words := map[uint32]string{retAllow: allow, retErrno | enosys: errno, retAsk: ask, retKill: kill, retErrno | eperm: "refused"}
	for _, a := range machines {
		run, known := vm(t, a, true), calls(t, a)
		for _, tt := range []struct {
			call string
			args []uint64
			want string
		}{
			{"openat", nil, allow}, {"execve", nil, allow}, {"clone", []uint64{17}, allow},
			{"clone", []uint64{0x1200011}, allow}, {"clone", []uint64{0x10000011}, ask}, {"clone", []uint64{0x20000 | 17}, ask},
			{"clone", []uint64{0x100 | 0x4000}, allow}, // vfork
			{"clone3", nil, errno}, {"unshare", []uint64{0x400}, allow}, {"unshare", []uint64{0x80}, ask}, {"unshare", []uint64{0x10000000}, ask},
			{"ioctl", []uint64{0, 0x5401}, allow}, {"ioctl", []uint64{0, 0x5412}, ask}, {"ioctl", []uint64{0, 0x541c}, ask},
			// The kernel looks at 32 bits of the request: CVE-2019-10063.
			{"ioctl", []uint64{0, 0x1_0000_5412}, ask}, {"ioctl", []uint64{0, 0x50009417}, ask}, {"ioctl", []uint64{0, 0x40049409}, allow},
			{"socket", []uint64{1, 1, 0}, allow}, {"socket", []uint64{2, 1 | 0x80000, 6}, allow}, {"socket", []uint64{10, 2, 0}, allow},
			{"socket", []uint64{2, 1, 262}, allow}, {"socket", []uint64{2, 3, 1}, ask}, {"socket", []uint64{10, 3 | 0x800, 58}, ask},
			{"socket", []uint64{2, 1, 132}, ask}, {"socket", []uint64{2, 1, 256}, ask}, {"socket", []uint64{17, 3, 768}, ask},
			{"socket", []uint64{16, 3 | 0x80000, 0}, allow}, {"socket", []uint64{16, 3, 9}, ask}, {"socket", []uint64{16, 2, 15}, ask},
			{"socket", []uint64{40, 1, 0}, ask}, {"socket", []uint64{38, 5, 0}, ask},
			{"socketpair", []uint64{1, 1, 0}, allow}, {"socketpair", []uint64{30, 1, 0}, ask},
			{"personality", []uint64{0}, allow}, {"personality", []uint64{0xffffffff}, allow}, {"personality", []uint64{0x40000}, ask},
			{"ptrace", []uint64{16}, ask}, {"keyctl", nil, ask}, {"bpf", nil, ask}, {"io_uring_setup", nil, errno},
			{"landlock_create_ruleset", nil, allow}, {"seccomp", nil, allow}, {"getrandom", nil, allow}, {"pidfd_open", nil, allow},
		} {
			if got := words[run(audit[a], uint32(known[tt.call]), tt.args...)]; got != tt.want {
				t.Errorf("%s %s(%#x): %q, want %q", a, tt.call, tt.args, got, tt.want)
			}
		}
		for number, want := range map[uint32]string{Newest: allow, Newest + 1: errno, 0x40000000: errno, 0x40000000 | 101: errno, 0xffffffff: errno} {
			if got := words[run(audit[a], number)]; got != want {
				t.Errorf("%s call %#x: %q, want %q", a, number, got, want)
			}
		}
	}
}

// A program of another ABI is ended whatever it calls, and no call of the list passes without a reason to.
func TestLaws(t *testing.T) {
	for _, a := range machines {
		for _, listener := range []bool{true, false} {
			run := vm(t, a, listener)
			rapid.Check(t, func(t *rapid.T) {
				arch := rapid.Uint32().Draw(t, "arch")
				number := rapid.Uint32Range(0, Newest+10).Draw(t, "number")
				got := run(arch, number)
				if arch != audit[a] && got != retKill {
					t.Fatalf("ABI %#x, call %d: %#x", arch, number, got)
				}
				row := rapid.SampledFrom(Rows).Draw(t, "row")
				if n := row.Number(a); n >= 0 && row.Unless == nil {
					if got := run(audit[a], uint32(n), rapid.Uint64().Draw(t, "first")); got != row.Answer.value(listener) {
						t.Fatalf("%s: %#x", row.Name, got)
					}
				}
			})
		}
	}
}
