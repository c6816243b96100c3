package shell

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"parley/internal/shell/shelltest"
)

// planTree and planPrograms are the world of testdata/plan.txt. A path that ends in @ is a link, in = a file with a second name, in | a
// pipe, in / a folder.
const (
	planTree = `go.mod a.go b.go c.txt -x src/d.go src/e.go src/.hidden.go src/deep/f.go src/sub/f.go lib@ to.txt@ src/away@ twice= fifo|
		empty/ bin/tool bin/near p/x.c p.q/x.c .venv/bin/pytest .venv/bin/python node_modules/.bin/jest@ odd/n` + "\x01" + ` odd2/x gradlew run.sh`
	planPrograms = `go git ls cat grep head tail sort wc uniq cut tr make env nice timeout nohup xargs find sh python3 printf test
		/w/gradlew /w/run.sh /w/bin/tool /w/bin/near /w/.venv/bin/pytest /w/.venv/bin/python /w/node_modules/.bin/jest /w/lib/tool
		/opt/x/tool /tmp/free/tool`
)

func planWorld() World {
	m := newMemory(planTree, planPrograms)
	m.env = []string{"PATH=/w/.venv/bin:bin:/opt/none:/usr/bin", "HOME=/home/u", "LD_PRELOAD=x", "LANG=de"}
	m.writable = append(m.writable, "/tmp/free")
	return m.world()
}

// What a line does, or the first thing that has no plan.
func TestPlan(t *testing.T) {
	world := planWorld()
	golden(t, "testdata/plan.txt", func(input string) []string {
		p, err := planned(world, input)
		if err != nil {
			return []string{refusal(err)}
		}
		return described(p)
	})
}

// described is a plan, a line for each step.
func described(p Plan) []string {
	var lines []string
	for _, chain := range p.list {
		for _, j := range chain {
			for i, s := range j.pipe {
				op := map[bool]string{true: "| ", false: strings.TrimLeft(j.op+" ", " ")}[i > 0]
				lines = append(lines, "= "+op+describedStep(s))
			}
		}
	}
	return lines
}

func describedStep(s Step) string {
	var b strings.Builder
	for _, v := range s.Env {
		b.WriteString(v + " ")
	}
	if s.Path == "" {
		b.WriteString("own ")
	} else {
		b.WriteString(s.Path + " ")
	}
	fmt.Fprintf(&b, "%q", s.Args)
	if s.Folder != "." {
		b.WriteString(" in " + s.Folder)
	}
	for _, f := range s.Files {
		fmt.Fprintf(&b, ", %s %s", [...]string{"reads", "writes", "appends to"}[f.Mode], f.Path)
	}
	if s.Filter {
		b.WriteString(", filter")
	}
	if s.Inner != nil {
		b.WriteString(", inner: " + describedStep(*s.Inner))
	}
	for _, c := range s.Within.Commands {
		b.WriteString(", may run: " + describedArgs(c))
	}
	for _, text := range s.Within.Texts {
		fmt.Fprintf(&b, ", may run text %q", text)
	}
	if s.Within.Unknown {
		b.WriteString(", may run what is not seen")
	}
	if need := s.Within.Need; need == Exactly {
		b.WriteString(", needs all words")
	} else if need > 1 {
		fmt.Fprintf(&b, ", needs %d words", need)
	}
	return strings.ReplaceAll(b.String(), "\n", "⏎")
}

// No line has a plan in the zero world; where nothing is known of files and programs, none that names some.
func TestZeroWorld(t *testing.T) {
	for _, text := range append(shelltest.Corpus(), "ls", "ls > x", "cd src && ls", "ls *", "./x", "echo", "pwd") {
		if _, err := planned(World{}, text); err == nil {
			t.Errorf("%q has a plan in the zero world", text)
		}
		p, err := planned(World{Root: "/w", Env: []string{"PATH=/usr/bin"}}, text)
		if err != nil {
			continue
		}
		for _, s := range p.Steps() {
			if s.Path != "" || slices.ContainsFunc(s.Files, func(f File) bool { return f.Path != NullDevice }) {
				t.Errorf("%q: a world that knows nothing plans %+v", text, s)
			}
		}
	}
}

// What a caller does to the steps of a plan changes nothing of what runs.
func TestStepsAreCopies(t *testing.T) {
	p, err := planned(planWorld(), "timeout 5 go test > /dev/null | grep x; echo $?")
	if err != nil {
		t.Fatal(err)
	}
	before := described(p)
	for _, s := range p.Steps() {
		s.Args[0] = "changed"
		if s.Inner != nil {
			s.Inner.Args[0] = "changed"
		}
		if len(s.Files) > 0 {
			s.Files[0].Path = "changed"
		}
	}
	if after := described(p); !slices.Equal(before, after) {
		t.Errorf("before %q, after %q", before, after)
	}
}

// A pattern that would stand for too much is not expanded.
func TestPatternBounds(t *testing.T) {
	m := newMemory("", "ls")
	for i := range maxMatches + 1 {
		m.add(fmt.Sprintf("many/%04d", i))
		m.add(fmt.Sprintf("some/%02d", i%60))
	}
	m.env = []string{"PATH=/usr/bin"}
	for text, reads := range map[string]bool{
		"ls many/*": false, "ls many/0*": true, "ls many/0* some/*": false, "ls many/0*; ls some/*": false, "ls some/*": true,
	} {
		if _, err := planned(m.world(), text); (err == nil) != reads {
			t.Errorf("%q: %v", text, err)
		}
	}
	w := m.world()
	w.List = func(string, int) ([]string, error) { return nil, errors.New("too many") }
	if _, err := planned(w, "ls some/*"); err == nil || !strings.Contains(err.Error(), "too many") {
		t.Errorf("a folder that cannot be listed: %v", err)
	}
}
