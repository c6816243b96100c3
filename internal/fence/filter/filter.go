// Package filter is the list of system calls that a fenced command may not make, and the program for
// seccomp(2) that holds it.
//
// It guarantees, for x86-64 and arm64, that each call of [Rows] is refused as its row says, that calls
// newer than the list ([Newest]) do not exist for the command, and that a program of another ABI (32-bit,
// x32) cannot make any call: what is decided about a number holds for one ABI only. [Program] is a pure
// function of the table, so that the programs of both machines are tested on either.
//
// It does not install the program (package inside does), and it sees registers, never memory: what a call
// says in a structure cannot be judged, so a call that could say something forbidden there is refused
// whole (clone3).
package filter

import "golang.org/x/net/bpf"

// Arch is a machine's kind, by its name in Go.
type Arch string

// The machines there is a list for.
const (
	AMD64 Arch = "amd64"
	ARM64 Arch = "arm64"
)

// audit is the number of an ABI (AUDIT_ARCH_* of linux/audit.h).
var audit = map[Arch]uint32{AMD64: 0xc000003e, ARM64: 0xc00000b7}

// Newest is the last system call that this list was made with: rseq_slice_yield of Linux 7.0. Both
// machines number new calls alike since pidfd_send_signal, 424.
const Newest = 471

// Answer is what a refused call gets.
type Answer int

// The answers.
const (
	// Told is EPERM, and the call is reported.
	Told Answer = iota
	// Absent is ENOSYS without a report: programs try the call and do well without it.
	Absent
)

// The return values of a program (seccomp(2)) that are used here.
const (
	retKill  = 0x80000000
	retAsk   = 0x7fc00000
	retAllow = 0x7fff0000
	retErrno = 0x00050000
	eperm    = 1
	enosys   = 38
)

// value is what a program returns; where nobody listens, a refusal is an error number alone.
func (a Answer) value(listener bool) uint32 {
	switch {
	case a == Absent:
		return retErrno | enosys
	case listener:
		return retAsk
	}
	return retErrno | eperm
}

// Where struct seccomp_data has what is looked at; both machines are little-endian.
const (
	offNumber = 0
	offArch   = 4
	offArgs   = 16
)

func low(arg int) uint32 { return uint32(offArgs + 8*arg) }

// Program returns the program for a machine, nil for one there is no list for. Listener says that somebody
// answers what is [Told]; without one such calls fail all the same.
func Program(a Arch, listener bool) ([]bpf.RawInstruction, error) {
	abi, known := audit[a]
	if !known {
		return nil, nil
	}
	code := []bpf.Instruction{
		bpf.LoadAbsolute{Off: offArch, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: abi, SkipTrue: 1},
		bpf.RetConstant{Val: retKill},
		bpf.LoadAbsolute{Off: offNumber, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpGreaterThan, Val: Newest, SkipFalse: 1},
		bpf.RetConstant{Val: retErrno | enosys},
	}
	for _, r := range Rows {
		number := r.Number(a)
		if number < 0 {
			continue
		}
		body := r.body(listener)
		code = append(code, bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: uint32(number), SkipTrue: uint8(len(body))})
		code = append(code, body...)
	}
	return bpf.Assemble(append(code, bpf.RetConstant{Val: retAllow}))
}

// body decides about a call whose number is the row's.
func (r Row) body(listener bool) []bpf.Instruction {
	refuse := bpf.RetConstant{Val: r.Answer.value(listener)}
	if r.Unless == nil {
		return []bpf.Instruction{refuse}
	}
	var code []bpf.Instruction
	for _, all := range r.Unless {
		code = append(code, all.allowed()...)
	}
	return append(code, refuse)
}

// allowed allows a call of which every test holds, and otherwise goes on behind itself.
func (ts tests) allowed() []bpf.Instruction {
	code := []bpf.Instruction{bpf.RetConstant{Val: retAllow}}
	for i := len(ts) - 1; i >= 0; i-- {
		code = append(ts[i].code(len(code)), code...)
	}
	return code
}

// code tests an argument and jumps over what follows where the test fails.
func (t test) code(over int) []bpf.Instruction {
	code := []bpf.Instruction{bpf.LoadAbsolute{Off: low(t.arg), Size: 4}}
	if t.mask != 0 {
		code = append(code, bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: t.mask})
	}
	n := len(t.values)
	for i, v := range t.values {
		if t.not {
			code = append(code, bpf.JumpIf{Cond: bpf.JumpEqual, Val: v, SkipTrue: uint8(n - 1 - i + over)})
			continue
		}
		last := i == n-1
		skip := bpf.JumpIf{Cond: bpf.JumpEqual, Val: v, SkipTrue: uint8(n - 1 - i)}
		if last {
			skip.SkipFalse = uint8(over)
		}
		code = append(code, skip)
	}
	return code
}

// Pack writes a program as numbers, an instruction each, as package inside takes it.
func Pack(program []bpf.RawInstruction) []uint64 {
	packed := make([]uint64, len(program))
	for i, in := range program {
		packed[i] = uint64(in.Op)<<48 | uint64(in.Jt)<<40 | uint64(in.Jf)<<32 | uint64(in.K)
	}
	return packed
}
