package rig

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Peak is the most memory that a process had at a time, in bytes (VmHWM of
// proc_pid_status(5); Linux only).
func Peak(pid int) (int64, error) { return status(pid, "VmHWM:") }

// Resident is the memory that a process has now, in bytes (VmRSS).
func Resident(pid int) (int64, error) { return status(pid, "VmRSS:") }

func status(pid int, key string) (int64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	_, rest, ok := strings.Cut(string(text), key)
	fields := strings.Fields(rest)
	if !ok || len(fields) == 0 {
		return 0, fmt.Errorf("/proc/%d/status has no %s", pid, key)
	}
	kib, err := strconv.ParseInt(fields[0], 10, 64)
	return kib << 10, err
}
