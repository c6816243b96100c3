package fence

import (
	"bufio"
	"io"
	"path/filepath"
	"strings"
)

// mounted is a line of /proc/self/mountinfo (proc_pid_mountinfo(5)).
type mounted struct {
	device string // of the file system
	root   string // what of it is mounted
	path   string // where
}

func readMounts(r io.Reader) []mounted {
	var list []mounted
	for lines := bufio.NewScanner(r); lines.Scan(); {
		f := strings.Fields(lines.Text())
		if len(f) >= 5 {
			list = append(list, mounted{f[2], plainText(f[3]), plainText(f[4])})
		}
	}
	return list
}

// octal are the characters that the kernel writes as numbers in its tables.
var octal = strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)

func plainText(s string) string { return octal.Replace(s) }

// aliases are further paths at which the same file is seen.
func aliases(mounts []mounted, path string) []string {
	var of mounted
	for _, m := range mounts {
		if below(m.path, path) && len(m.path) >= len(of.path) {
			of = m
		}
	}
	if of.path == "" {
		return nil
	}
	inner := filepath.Join(of.root, strings.TrimPrefix(path, of.path))
	var list []string
	for _, m := range mounts {
		if m.device != of.device || !below(m.root, inner) {
			continue
		}
		if same := filepath.Join(m.path, strings.TrimPrefix(inner, m.root)); same != path {
			list = append(list, same)
		}
	}
	return list
}

// readSockets lists the absolute paths of the table /proc/net/unix (unix(7)). Sockets in the abstract
// namespace have none: a network namespace keeps them apart.
func readSockets(r io.Reader) []string {
	const before = 7 // columns
	var list []string
	for lines := bufio.NewScanner(r); lines.Scan(); {
		rest := lines.Text()
		for range before {
			_, rest, _ = strings.Cut(strings.TrimLeft(rest, " "), " ")
		}
		if strings.HasPrefix(rest, "/") {
			list = append(list, filepath.Clean(rest))
		}
	}
	return list
}
