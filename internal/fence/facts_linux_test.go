package fence

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// The kernel's tables are read as it writes them.
func TestTables(t *testing.T) {
	got := readMounts(strings.NewReader(`22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
30 22 0:25 /@home/u\040x /home/u\040x rw - btrfs /dev/sdb rw
nonsense
`))
	if d := cmp.Diff([]mounted{{"8:1", "/", "/"}, {"0:25", "/@home/u x", "/home/u x"}}, got, cmp.AllowUnexported(mounted{})); d != "" {
		t.Error(d)
	}
	sockets := readSockets(strings.NewReader(`Num       RefCount Protocol Flags    Type St Inode Path
0000000000000000: 00000002 00000000 00010000 0001 01 19342 /run/user/1000/bus
0000000000000000: 00000003 00000000 00000000 0001 03 20001
0000000000000000: 00000002 00000000 00010000 0001 01 19343 @/tmp/.X11-unix/X0
0000000000000000: 00000002 00000000 00010000 0001 01 19344 /home/u/a b/sock
0000000000000000: 00000002 00000000 00010000 0001 01 19345 relative/sock
`))
	if d := cmp.Diff([]string{"/run/user/1000/bus", "/home/u/a b/sock"}, sockets); d != "" {
		t.Error(d)
	}
}

// Why there is no full fence, and what helps, in words for an administrator.
func TestExplain(t *testing.T) {
	denied := &StepError{Step: "make namespaces", Err: unix.EPERM}
	for _, tt := range []struct {
		err      error
		settings map[string]string
		why, fix string
	}{
		{denied, map[string]string{"kernel.unprivileged_userns_clone": "0"}, "switched off", "sysctl -w kernel.unprivileged_userns_clone=1"},
		{&StepError{Err: unix.ENOSPC}, map[string]string{"user.max_user_namespaces": "0"}, "allows no user namespaces", "sysctl"},
		{&StepError{Step: "furnish a room", Err: unix.EACCES}, map[string]string{"kernel.apparmor_restrict_unprivileged_userns": "1"}, "AppArmor", "userns,"},
		{&StepError{Step: "build the mounts", Err: unix.ENOSYS}, nil, "older than Linux 5.12", ""},
		{&StepError{Err: unix.ENOSPC}, nil, "as many namespaces", "max_"},
		{denied, nil, "refuses new user namespaces", "container"},
		{&StepError{Step: "build the mounts", Reason: "mount proc on /proc: operation not permitted", Err: unix.EPERM}, nil, "/proc cannot be mounted", "systempaths=unconfined"},
		{errors.New("a surprise"), nil, "a surprise", ""},
	} {
		why, fix := explain(tt.err, func(name string) string { return tt.settings[name] })
		if !strings.Contains(why, tt.why) || !strings.Contains(fix, tt.fix) || tt.fix == "" && fix != "" {
			t.Errorf("%v %v: %q %q", tt.err, tt.settings, why, fix)
		}
	}
}

// The environment of a command: the last value counts, what leads out is gone, the proxy is named.
func TestEnviron(t *testing.T) {
	got := environ([]string{"A=1", "B=2", "SSH_AUTH_SOCK=/x", "HTTP_PROXY=mine", "TMPDIR=/y", "odd"}, []string{"A=3"}, way(80, "token"))
	want := []string{
		"TMPDIR=/tmp", "A=3", "B=2", "HTTP_PROXY=http://token:@127.0.0.1:80", "http_proxy=http://token:@127.0.0.1:80",
		"HTTPS_PROXY=http://token:@127.0.0.1:80", "https_proxy=http://token:@127.0.0.1:80", "ALL_PROXY=http://token:@127.0.0.1:80",
		"all_proxy=http://token:@127.0.0.1:80", "NO_PROXY=localhost,127.0.0.1,::1", "no_proxy=localhost,127.0.0.1,::1", "NODE_USE_ENV_PROXY=1",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// The standard profile hides and guards what the tables say, and finds caches where they are.
func TestStandard(t *testing.T) {
	dir := tree(t, map[string]string{"home/.npm/": "", "home/.cargo/": "", "home/real/": "", "home/work/": "", "keep/": "", "gopath/pkg/": ""})
	if err := os.Symlink("real", dir+"/home/.cache"); err != nil {
		t.Fatal(err)
	}
	p := Standard(Place{
		Root: dir + "/home/work", Keep: dir + "/keep", Temp: dir + "/temp", Private: []string{dir + "/home/.local/share/parley"},
		Env: []string{"HOME=" + dir + "/home", "GOPATH=" + dir + "/gopath", "DO_NOT_TRACK=0"},
	})
	slices.Sort(p.Caches)
	if d := cmp.Diff([]string{dir + "/gopath/pkg", dir + "/home/.cargo", dir + "/home/.npm", dir + "/home/real"}, p.Caches); d != "" {
		t.Error(d)
	}
	for _, path := range []string{"/home/.ssh", "/home/.local/share/parley", "/home/.mozilla"} {
		if !slices.Contains(p.Hide, dir+path) {
			t.Errorf("%s is not hidden", path)
		}
	}
	if !slices.Contains(p.Blank, dir+"/home/.npmrc") || !slices.Contains(p.Guard, dir+"/home/work/.envrc") || !slices.Contains(p.Fresh, dir+"/home/work/.git") {
		t.Errorf("%+v", p)
	}
	env := strings.Join(p.Env, " ")
	if strings.Contains(env, "DO_NOT_TRACK") || strings.Contains(env, "GOPATH") || strings.Contains(env, "CARGO_HOME") || !strings.Contains(env, "GRADLE_USER_HOME="+dir+"/home/.cache/gradle") {
		t.Error(env)
	}
	if p := Standard(Place{Root: dir}); len(p.Caches) > 0 || len(p.Hide) == 0 {
		t.Errorf("without a home: %+v", p)
	}
}

// Find lists what a rule names, and does not look below that, nor through links.
func TestFind(t *testing.T) {
	dir := tree(t, map[string]string{".env": "", "a/.env": "", "a/b/x": "", "secrets/.env": "", "node_modules/p/.env.local": ""})
	if err := os.Symlink(dir, dir+"/a/loop"); err != nil {
		t.Fatal(err)
	}
	found, more := Find(dir, func(rel string, folder bool) bool {
		return folder && rel == "secrets" || strings.HasSuffix(rel, ".env")
	})
	for i := range found {
		found[i] = strings.TrimPrefix(found[i], dir+"/")
	}
	slices.Sort(found)
	if d := cmp.Diff([]string{".env", "a/.env", "secrets"}, found); d != "" || more {
		t.Error(d, more)
	}
}

// A process is inside by what the kernel says of it, and a number that is gone is nobody's.
func TestInside(t *testing.T) {
	if why, err := Inside(os.Getpid()); why != "" || err != nil {
		t.Error(why, err)
	}
	if why, _ := Inside(0); why == "" {
		t.Error("a process that cannot be seen is not outside")
	}
	if why, err := Inside(1 << 30); why != "" || err == nil {
		t.Error(why, err)
	}
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	file := os.NewFile(uintptr(pair[0]), "pair")
	defer file.Close()
	defer unix.Close(pair[1])
	raw, err := file.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	if why, err := Behind(raw); why != "" || err != nil {
		t.Error(why, err)
	}
}

// The rows of tables have reasons, and no path twice.
func TestRows(t *testing.T) {
	for name, table := range map[string][]entry{"hidden": hidden, "blanked": blanked, "guarded": guarded, "seen": seen, "later": later} {
		seen := map[string]bool{}
		for _, e := range table {
			if e.path == "" || e.why == "" || seen[e.path] {
				t.Error(fmt.Sprint(name, e))
			}
			seen[e.path] = true
		}
	}
}
