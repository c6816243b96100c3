package fence

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/internal/fence/inside"
)

var update = flag.Bool("update", false, "rewrite the golden files and the table in docs/security.md")

// disk is a machine in memory, by path: "d" a folder, "f" a file, "s" a socket, "p" a held place, "l" and
// where it leads.
type disk map[string]string

func (d disk) machine(m machine) machine {
	for path := range d {
		for up := filepath.Dir(path); up != "/"; up = filepath.Dir(up) {
			if d[up] == "" {
				d[up] = "d"
			}
		}
	}
	m.look = func(path string) (fs.FileMode, error) {
		for up := filepath.Dir(path); up != "/"; up = filepath.Dir(up) {
			if to, ok := strings.CutPrefix(d[up], "l "); ok {
				return m.look(filepath.Join(resolve(filepath.Dir(up), to), strings.TrimPrefix(path, up)))
			}
		}
		switch kind, _, _ := strings.Cut(d[path], " "); kind {
		case "d", "p":
			return fs.ModeDir, nil
		case "f":
			return 0, nil
		case "s":
			return fs.ModeSocket, nil
		case "l":
			return fs.ModeSymlink, nil
		}
		return 0, fs.ErrNotExist
	}
	m.held = func(path string) bool { return d[path] == "p" }
	m.read = func(path string) (string, error) { return strings.TrimPrefix(d[path], "l "), nil }
	return m
}

// Each file of testdata/plan is a case: what is on the machine, what the profile says, and what comes of
// it, which -update rewrites.
func TestPlan(t *testing.T) {
	files, err := filepath.Glob("testdata/plan/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			given, want, _ := strings.Cut(string(text), "=>\n")
			got := show(newPlan(readCase(t, given)))
			if *update {
				if err := os.WriteFile(file, []byte(given+"=>\n"+got), 0o600); err != nil {
					t.Fatal(err)
				}
			} else if got != want {
				t.Errorf("got\n%s", got)
			}
		})
	}
}

func readCase(t *testing.T, text string) (Profile, machine) {
	p, m, d := Profile{Temp: "/session/temp"}, machine{}, disk{"/tmp": "d", "/var/tmp": "d", "/run": "d", "/dev": "d", "/proc": "d"}
	lists := map[string]*[]string{
		"write": &p.Write, "cache": &p.Caches, "guard": &p.Guard, "forbid": &p.Forbid, "hide": &p.Hide, "blank": &p.Blank, "show": &p.Show, "socket": &m.sockets,
	}
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		switch {
		case len(f) == 0 || f[0] == "#":
		case strings.HasPrefix(f[0], "/"):
			d[f[0]] = strings.Join(f[1:], " ")
		case f[0] == "root":
			p.Root = f[1]
		case f[0] == "home":
			p.Home = f[1]
		case f[0] == "layer":
			m.layer = f[1]
		case f[0] == "mount":
			m.mounts = append(m.mounts, mounted{f[1], f[2], f[3]})
		case lists[f[0]] != nil:
			*lists[f[0]] = append(*lists[f[0]], f[1:]...)
		default:
			t.Fatalf("%q is not understood", line)
		}
	}
	return p, d.machine(m)
}

func show(p plan) string {
	var b strings.Builder
	for _, m := range p.mounts {
		fmt.Fprintf(&b, "%-7s %s", m.Kind, m.Path)
		if m.From != "" {
			fmt.Fprintf(&b, " from %s", m.From)
		}
		if m.Make {
			b.WriteString(" (made)")
		}
		b.WriteString("\n")
	}
	for name, list := range map[string][]string{"hold": p.places, "forbid": p.forbid} {
		if len(list) > 0 {
			fmt.Fprintf(&b, "%-7s %s\n", name, strings.Join(list, " "))
		}
	}
	lines := strings.SplitAfter(b.String(), "\n")
	slices.Sort(lines[len(p.mounts):])
	return strings.Join(lines, "")
}

// A plan has no path twice, parents come first, and nothing that is hidden or guarded can be written.
func TestPlanLaws(t *testing.T) {
	files, _ := filepath.Glob("testdata/plan/*.txt")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		given, _, _ := strings.Cut(string(text), "=>\n")
		profile, m := readCase(t, given)
		p := newPlan(profile, m)
		seen := map[string]bool{}
		for _, mount := range p.mounts {
			if seen[mount.Path] {
				t.Errorf("%s: %s twice", file, mount.Path)
			}
			for path := range seen {
				if below(mount.Path, path) {
					t.Errorf("%s: %s comes after %s", file, mount.Path, path)
				}
			}
			seen[mount.Path] = true
			if mount.Kind == inside.Layer && (mount.From == "" || mount.Work == "") {
				t.Errorf("%s: %+v", file, mount)
			}
		}
		for _, path := range profile.Hide {
			path = (&planner{machine: m}).real(path)
			if _, err := m.look(path); err == nil && !below(path, profile.Root) && !p.hidden(path) && p.mount(path).Kind != inside.Empty && !slices.ContainsFunc(replaced, func(r string) bool { return below(r, path) }) {
				t.Errorf("%s: %s is not hidden", file, path)
			}
		}
		for _, path := range profile.Guard {
			if p.writable(path) && !slices.Contains(p.forbid, path) {
				t.Errorf("%s: %s can be written", file, path)
			}
		}
	}
}
