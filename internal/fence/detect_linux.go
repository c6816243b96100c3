package fence

import (
	"errors"
	"os"
	"runtime"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"parley/internal/fence/inside"
)

// Detect says what holds on this machine. The first call tries: it makes a fence and takes it down again,
// which takes some ten milliseconds.
func Detect() State { return detected() }

var detected = sync.OnceValue(detect)

func detect() State {
	f := New(Options{})
	defer f.Close()
	err := f.Probe(Profile{Root: "/usr", Temp: "/usr"})
	if err == nil {
		return State{Kind: Full}
	}
	why, fix := explain(err, sysctl)
	if runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		why, fix = "there is no list of system calls for "+runtime.GOARCH, ""
		return State{Kind: None, Why: why}
	}
	if inside.LandlockVersion() > 0 {
		return State{Kind: Files, Why: why, Fix: fix}
	}
	return State{Kind: None, Why: why + "; and the kernel has no Landlock", Fix: fix}
}

// sysctl reads a setting of the kernel, "" where there is none.
func sysctl(name string) string {
	text, err := os.ReadFile("/proc/sys/" + strings.ReplaceAll(name, ".", "/"))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// explain says why a fence could not be made, and what helps.
func explain(err error, setting func(string) string) (why, fix string) {
	step := ""
	if s := (*StepError)(nil); errors.As(err, &s) {
		step = s.Step
	}
	denied := errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES)
	switch {
	case setting("kernel.unprivileged_userns_clone") == "0":
		return "user namespaces are switched off for ordinary users", "sysctl -w kernel.unprivileged_userns_clone=1, and the same in /etc/sysctl.d"
	case setting("user.max_user_namespaces") == "0":
		return "the machine allows no user namespaces", "sysctl -w user.max_user_namespaces=10000, and the same in /etc/sysctl.d"
	case denied && setting("kernel.apparmor_restrict_unprivileged_userns") == "1":
		return "AppArmor allows user namespaces only to programs that have a profile", appArmor
	case errors.Is(err, unix.ENOSYS):
		return "the kernel is older than Linux 5.12: " + err.Error(), ""
	case errors.Is(err, unix.ENOSPC):
		return "the user has as many namespaces as the machine allows", "raise the settings below user.max_*_namespaces"
	case step == "make namespaces" && denied:
		return "something around this process refuses new user namespaces, such as a container's own list of system calls", "start the container with one that allows unshare and clone, or see Parley's fence as the container"
	case denied && strings.Contains(err.Error(), "on /proc"):
		return "a new /proc cannot be mounted, since parts of the one here are covered, as in most containers", "start the container with --security-opt systempaths=unconfined, or see Parley's fence as the container"
	}
	return err.Error(), ""
}

// appArmor is what an administrator does on Ubuntu 23.10 and later.
const appArmor = `write /etc/apparmor.d/parley, with the path of this program in it, and load it with apparmor_parser -r:
  abi <abi/4.0>,
  include <tunables/global>
  profile parley /usr/local/bin/parley flags=(unconfined) {
    userns,
  }`
