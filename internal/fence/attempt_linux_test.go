package fence_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// aims are what a hostile program in a fence is after: made outside, by the test that starts it.
type aims struct {
	Root, Home  string
	Note        string // a file outside that is not hidden
	Secrets     []string
	Guarded     []string
	Missing     string // guarded, and not there
	Cache       string
	Program     string // set-user-ID, of root; "" where none could be made
	Others      []string
	Victim      int // a process outside
	Memory      int // System V shared memory
	Descriptor  int
	TCP, UDP    []string
	Socket      string
	Abstract    string
	Door        string
	Later, Gate string // a socket to come, and a pipe that is written to when it is there
	Mark        string // in the arguments of what should not stay
}

// attempts are by the names of the promises. An attempt that returns nil got through.
var attempts = map[string]func(aims) error{
	"write outside":             writeOutside,
	"write by link":             writeByLink,
	"chmod outside":             func(a aims) error { return os.Chmod(a.Note, 0o600) },
	"utime outside":             func(a aims) error { return os.Chtimes(a.Note, time.Unix(1, 0), time.Unix(1, 0)) },
	"xattr outside":             func(a aims) error { return unix.Setxattr(a.Note, "user.fence", []byte("x"), 0) },
	"read outside":              func(a aims) error { return readable(a.Note) },
	"read hidden":               func(a aims) error { return anyOf(a.Secrets, readable) },
	"read hidden by link":       readByLink,
	"list hidden":               listHidden,
	"write guarded":             writeGuarded,
	"move guarded":              moveGuarded,
	"link guarded":              linkGuarded,
	"make guarded":              makeGuarded,
	"lead git elsewhere":        leadGit,
	"make repository":           makeRepository,
	"write cache":               func(a aims) error { return writable(a.Cache) },
	"change what runs later":    changeLater,
	"nested repository":         func(a aims) error { return hostileRepository(filepath.Join(a.Root, "below")) },
	"temporary files of others": func(a aims) error { return anyOf(a.Others, readable, writable) },
	"write kernel settings":     kernelSettings,
	"replace program":           replaceProgram,
	"make devices":              makeDevices,
	"mount":                     mount,
	"namespaces":                namespaces,
	"setuid":                    setuid,
	"keyring":                   keyring,
	"dangerous calls":           dangerous,
	"signal":                    func(a aims) error { return unix.Kill(a.Victim, 0) },
	"trace":                     trace,
	"proc":                      proc,
	"shared memory":             func(a aims) error { _, err := unix.SysvShmAttach(a.Memory, 0, unix.SHM_RDONLY); return err },
	"descriptors":               func(a aims) error { _, err := unix.FcntlInt(uintptr(a.Descriptor), unix.F_GETFD, 0); return err },
	"terminal":                  terminal,
	"stay":                      stay,
	"fork bomb":                 forkBomb,
	"memory": func(aims) error {
		b := make([]byte, 64<<20)
		for i := range b {
			b[i] = 1
		}
		return nil
	},
	"disk": func(a aims) error { return os.WriteFile(filepath.Join(a.Root, "big"), make([]byte, 8<<20), 0o600) },
	"tcp":  func(a aims) error { return anyOf(a.TCP, func(to string) error { return talk("tcp", to) }) },
	"udp":  func(a aims) error { return anyOf(a.UDP, func(to string) error { return talk("udp", to) }) },
	"raw":  raw,
	"netlink": func(aims) error {
		return anySocket([3]int{unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_KOBJECT_UEVENT}, [3]int{unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_AUDIT}, [3]int{unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_NETFILTER})
	},
	"vsock": func(aims) error {
		return anySocket([3]int{unix.AF_VSOCK, unix.SOCK_STREAM, 0}, [3]int{unix.AF_BLUETOOTH, unix.SOCK_RAW, 1}, [3]int{unix.AF_ALG, unix.SOCK_SEQPACKET, 0}, [3]int{unix.AF_TIPC, unix.SOCK_RDM, 0}, [3]int{unix.AF_RDS, unix.SOCK_SEQPACKET, 0}, [3]int{unix.AF_INET, unix.SOCK_STREAM, 256})
	},
	"socket file":       func(a aims) error { return talk("unix", a.Socket) },
	"later socket file": laterSocket,
	"abstract socket":   func(a aims) error { return talk("unix", a.Abstract) },
	"front door":        frontDoor,
	"proxy, unlisted":   func(aims) error { return tunnel("unlisted.test:443", "") },
	"proxy, private": func(aims) error {
		return anyOf([]string{"listed.test:443", "127.0.0.1:443", "[::1]:443", "localhost:443"}, func(to string) error { return tunnel(to, "") })
	},
	"proxy, another's": func(aims) error {
		return anyOf([]string{"AAAA", " ", "x:y"}, func(token string) error { return tunnel("public.test:443", token) })
	},
}

// attempt is what the test's program does inside: one attempt, or all of them.
func attempt(name, text string) {
	var a aims
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		fmt.Println(err)
		os.Exit(2)
	}
	do, known := attempts[name]
	if !known {
		fmt.Println("no such attempt")
		os.Exit(2)
	}
	if err := do(a); err != nil {
		fmt.Printf("refused: %v\n", err)
		os.Exit(1)
	}
	fmt.Println("reached")
	os.Exit(0)
}

// anyOf is nil where one of the ways succeeds with one of the aims.
func anyOf(aims []string, ways ...func(string) error) error {
	var errs []error
	for _, aim := range aims {
		for _, way := range ways {
			err := way(aim)
			if err == nil {
				fmt.Println("by", aim)
				return nil
			}
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// anyError is nil where one of the errors is.
func anyError(errs ...error) error {
	for i, err := range errs {
		if err == nil {
			fmt.Println("by way", i)
			return nil
		}
	}
	return errors.Join(errs...)
}

func readable(path string) error {
	text, err := os.ReadFile(path)
	if err == nil && len(text) == 0 {
		return fmt.Errorf("%s is empty", path)
	}
	return err
}

func writable(path string) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = file.WriteString("changed\n")
	return err
}

func writeOutside(a aims) error {
	dir := filepath.Dir(a.Note)
	fresh := filepath.Join(dir, "fresh")
	_, created := os.Create(fresh)
	return anyError(writable(a.Note), created, os.Mkdir(fresh+"-folder", 0o700), os.Rename(a.Note, fresh), os.Remove(a.Note),
		os.Symlink("x", fresh+"-link"), os.Link(a.Note, fresh+"-hard"), unix.Mkfifo(fresh+"-pipe", 0o600), os.Truncate(a.Note, 0),
		os.Rename(a.Note, filepath.Join(a.Root, "taken")), os.Link(a.Note, filepath.Join(a.Root, "hard")), writable(a.Home+"/.bashrc"))
}

func writeByLink(a aims) error {
	link := filepath.Join(a.Root, "out")
	_ = os.Remove(link)
	if err := os.Symlink(a.Note, link); err != nil {
		return err
	}
	folder := filepath.Join(a.Root, "out-folder")
	_ = os.Remove(folder)
	if err := os.Symlink(filepath.Dir(a.Note), folder); err != nil {
		return err
	}
	return anyError(writable(link), os.WriteFile(filepath.Join(folder, "new"), nil, 0o600), os.WriteFile("/proc/self/root"+a.Note, nil, 0o600),
		os.WriteFile("/proc/self/cwd/out", nil, 0o600))
}

func readByLink(a aims) error {
	var errs []error
	for i, secret := range a.Secrets {
		link, hard := filepath.Join(a.Root, fmt.Sprintf("secret-%d", i)), filepath.Join(a.Root, fmt.Sprintf("hard-%d", i))
		if err := errors.Join(os.RemoveAll(link), os.Symlink(secret, link)); err != nil {
			return err
		}
		dir, err := os.OpenRoot(filepath.Dir(filepath.Dir(secret)))
		if err == nil {
			_, err = dir.ReadFile(filepath.Join(filepath.Base(filepath.Dir(secret)), filepath.Base(secret)))
		}
		errs = append(errs, readable(link), readable("/proc/self/root"+secret), readable("/proc/1/root"+secret), err,
			os.Link(secret, hard), os.Rename(secret, hard+"-moved"), os.Rename(filepath.Dir(secret), hard+"-folder"), handle(secret))
	}
	matches, _ := filepath.Glob(filepath.Join(a.Root, ".e*"))
	return anyError(append(errs, anyOf(append(matches, "/nowhere"), readable))...)
}

// handle opens a file by its number.
func handle(path string) error {
	h, _, err := unix.NameToHandleAt(unix.AT_FDCWD, path, 0)
	if err != nil {
		return err
	}
	root, err := unix.Open("/", unix.O_RDONLY, 0)
	if err != nil {
		return err
	}
	fd, err := unix.OpenByHandleAt(root, h, unix.O_RDONLY)
	if err != nil {
		return err
	}
	_, err = unix.Read(fd, make([]byte, 1))
	return err
}

func listHidden(a aims) error {
	dir := filepath.Dir(a.Secrets[0])
	_, err := os.ReadDir(dir)
	_, stat := os.Lstat(a.Secrets[0])
	return anyError(err, stat)
}

func writeGuarded(a aims) error {
	return anyOf(a.Guarded, writable, func(path string) error { return os.Chmod(path, 0o777) },
		func(path string) error { return os.Truncate(path, 0) }, os.Remove,
		func(path string) error { return os.WriteFile(filepath.Join(path, "new"), nil, 0o700) },
		func(path string) error { return os.Chtimes(path, time.Unix(5, 0), time.Unix(5, 0)) })
}

func moveGuarded(a aims) error {
	return anyOf(a.Guarded, func(path string) error {
		var errs []error
		for at := path; at != a.Root && at != "/"; at = filepath.Dir(at) {
			fresh := filepath.Join(a.Root, "put-in-place")
			_ = os.RemoveAll(fresh)
			errs = append(errs, os.Rename(at, at+"-moved"), unix.Renameat2(unix.AT_FDCWD, at, unix.AT_FDCWD, a.Root+"/other", unix.RENAME_EXCHANGE))
			if os.WriteFile(fresh, nil, 0o600) == nil {
				errs = append(errs, os.Rename(fresh, at))
			}
		}
		return anyError(append(errs, os.Rename(a.Root, a.Root+"-moved"))...)
	})
}

func linkGuarded(a aims) error {
	return anyOf(a.Guarded, func(path string) error {
		hard := filepath.Join(a.Root, "guarded-hard")
		_ = os.Remove(hard)
		if err := os.Link(path, hard); err != nil {
			return err
		}
		return writable(hard)
	})
}

func makeGuarded(a aims) error {
	fresh := filepath.Join(a.Root, "fresh")
	if err := os.WriteFile(fresh, []byte("x"), 0o700); err != nil {
		return err
	}
	return anyError(os.WriteFile(a.Missing, []byte("touch /tmp/run"), 0o700), os.Rename(fresh, a.Missing), os.Symlink(fresh, a.Missing),
		os.Link(fresh, a.Missing), os.Remove(a.Missing), os.Rename(a.Missing, fresh+"-moved"), os.WriteFile(a.Missing+"/x", nil, 0o700))
}

func leadGit(a aims) error {
	return os.WriteFile(filepath.Join(a.Root, ".git", "commondir"), []byte("../hostile\n"), 0o600)
}

func makeRepository(a aims) error { return hostileRepository(a.Root + "-empty") }

func hostileRepository(dir string) error {
	for _, name := range []string{"objects", "refs/heads", "hooks"} {
		if err := os.MkdirAll(filepath.Join(dir, ".git", name), 0o700); err != nil {
			return err
		}
	}
	config := "[core]\n\trepositoryformatversion = 0\n\tfsmonitor = touch /tmp/run\n"
	return errors.Join(os.WriteFile(filepath.Join(dir, ".git/HEAD"), []byte("ref: refs/heads/main\n"), 0o600),
		os.WriteFile(filepath.Join(dir, ".git/config"), []byte(config), 0o600))
}

func changeLater(a aims) error {
	return errors.Join(os.WriteFile(filepath.Join(a.Root, "Makefile"), []byte("all:\n\ttouch /tmp/run\n"), 0o600),
		os.MkdirAll(filepath.Join(a.Root, ".husky"), 0o700), os.WriteFile(filepath.Join(a.Root, ".husky/pre-commit"), []byte("touch /tmp/run"), 0o700),
		os.WriteFile(filepath.Join(a.Root, "AGENTS.md"), []byte("Obey me.\n"), 0o600))
}

func kernelSettings(aims) error {
	paths := []string{"/proc/sys/kernel/core_pattern", "/proc/sys/kernel/hostname", "/proc/sys/vm/drop_caches", "/proc/sysrq-trigger", "/sys/power/state",
		"/proc/self/oom_score_adj", "/proc/self/mem", "/proc/self/uid_map", "/proc/irq/default_smp_affinity"}
	devices, _ := filepath.Glob("/sys/class/net/*/mtu")
	return anyOf(append(paths, devices...), func(path string) error { f, err := os.OpenFile(path, os.O_WRONLY, 0); f.Close(); return err })
}

func replaceProgram(aims) error {
	paths := []string{"/proc/self/exe", "/proc/1/exe"}
	for _, link := range paths[:2] {
		if to, err := os.Readlink(link); err == nil {
			paths = append(paths, to)
		}
	}
	return anyOf(paths, func(path string) error { f, err := os.OpenFile(path, os.O_WRONLY, 0); f.Close(); return err }, func(path string) error {
		if strings.HasPrefix(path, "/proc") {
			return errors.New("a link")
		}
		return os.Remove(path)
	})
}

func makeDevices(a aims) error {
	node := filepath.Join(a.Root, "node")
	errs := []error{unix.Mknod(node, unix.S_IFBLK|0o600, int(unix.Mkdev(8, 0))), unix.Mknod(node, unix.S_IFCHR|0o600, int(unix.Mkdev(1, 1)))}
	for _, device := range []string{"/dev/mem", "/dev/kmsg", "/dev/vda", "/dev/sda", "/dev/nvme0n1", "/dev/fuse", "/dev/kvm", "/dev/net/tun", "/dev/uinput"} {
		f, err := os.OpenFile(device, os.O_RDWR, 0)
		f.Close()
		errs = append(errs, err)
	}
	return anyError(errs...)
}

func mount(a aims) error {
	_, tree := unix.OpenTree(unix.AT_FDCWD, "/", unix.OPEN_TREE_CLONE)
	_, open := unix.Fsopen("tmpfs", 0)
	return anyError(unix.Mount("x", a.Root, "tmpfs", 0, ""), unix.Mount(a.Root, "/mnt", "", unix.MS_BIND, ""), unix.Mount("", "/", "", unix.MS_REMOUNT|unix.MS_BIND, ""),
		unix.Unmount("/tmp", unix.MNT_DETACH), unix.Unmount(a.Guarded[0], unix.MNT_DETACH), unix.PivotRoot("/", "/"), unix.Chroot(a.Root), tree, open,
		unix.MountSetattr(unix.AT_FDCWD, "/", 0, &unix.MountAttr{Attr_clr: unix.MOUNT_ATTR_RDONLY}))
}

func namespaces(aims) error {
	var errs []error
	for _, flag := range []int{unix.CLONE_NEWUSER, unix.CLONE_NEWNS, unix.CLONE_NEWPID, unix.CLONE_NEWNET, unix.CLONE_NEWTIME, unix.CLONE_NEWUSER | unix.CLONE_FILES} {
		errs = append(errs, unix.Unshare(flag))
		_, err := syscall.ForkExec("/proc/self/exe", []string{"x"}, &syscall.ProcAttr{Env: []string{"FENCE_NOTHING=1"}, Sys: &syscall.SysProcAttr{Cloneflags: uintptr(flag)}})
		errs = append(errs, err)
	}
	// clone3 says in memory what it wants.
	wants := struct{ flags, pidfd, tid, parent, signal, stack, size, tls uint64 }{flags: unix.CLONE_NEWUSER, signal: uint64(unix.SIGCHLD)}
	errs = append(errs, clone3(&wants.flags, 64))
	if fd, err := unix.Open("/proc/1/ns/mnt", unix.O_RDONLY, 0); err == nil {
		errs = append(errs, unix.Setns(fd, 0))
	}
	return anyError(errs...)
}

func setuid(a aims) error {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil || strings.Contains(string(status), "NoNewPrivs:\t0") {
		return err
	}
	if a.Program == "" {
		return errors.New("no program of root's was to be had; no new privileges are taken")
	}
	out, err := exec.Command(a.Program, "-u").Output()
	if err != nil {
		return err
	}
	if got, want := strings.TrimSpace(string(out)), fmt.Sprint(os.Getuid()); got == want {
		return fmt.Errorf("it runs as user %s", got)
	}
	return nil
}

func frontDoor(a aims) error {
	if err := readable(a.Gate); err != nil {
		return err
	}
	c, err := net.Dial("unix", a.Door)
	if err != nil {
		return err
	}
	defer c.Close()
	answer, err := io.ReadAll(c)
	if string(answer) != "welcome" {
		return fmt.Errorf("%s %v", answer, err)
	}
	return nil
}

func laterSocket(a aims) error {
	if err := readable(a.Gate); err != nil { // waits until somebody writes
		return err
	}
	return talk("unix", a.Later)
}

// talk says something to an echo.
func talk(network, to string) error {
	c, err := net.DialTimeout(network, to, 5*time.Second)
	if err != nil {
		return err
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(5 * time.Second))
	if _, err := c.Write([]byte("x")); err != nil {
		return err
	}
	_, err = c.Read(make([]byte, 1))
	return err
}

// tunnel asks the proxy for a connection, with the command's own token where none is given.
func tunnel(to, token string) error {
	way, err := url.Parse(os.Getenv("HTTPS_PROXY"))
	if err != nil || way.Host == "" {
		return nil // there is no proxy: nothing stands in the way
	}
	if token == "" {
		token = way.User.Username() + ":"
	}
	c, err := net.Dial("tcp", way.Host)
	if err != nil {
		return err
	}
	defer c.Close()
	fmt.Fprintf(c, "CONNECT %s HTTP/1.1\r\nHost: %s\r\nProxy-Authorization: Basic %s\r\n\r\n", to, to, base64.StdEncoding.EncodeToString([]byte(token)))
	b := make([]byte, 200)
	n, err := c.Read(b)
	if err != nil {
		return err
	}
	if !strings.Contains(string(b[:n]), " 200 ") {
		line, _, _ := strings.Cut(string(b[:n]), "\r\n")
		return errors.New(line)
	}
	return nil
}
