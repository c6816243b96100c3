package shell

import (
	"flag"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/shell/shelltest"
	"parley/test/need"
)

var bashLines = flag.Int("shell.bash", 0, "generated lines that bash runs as well; 0: 120, 3,000 in CI, 30 in short tests")

// realRuns and realGiven are what lines with real stubs run and are given.
var (
	realRuns  = strings.Fields("s1 s2 s3 s1 s2 s3 echo echo echo pwd true false head go /ROOT/sub/prog sub/prog")
	realGiven = strings.Fields("exit=1 exit=3 out=a out=b err=c err=d cat cat read=3 out=longer signal=9 signal=15 -n -e")
)

// bashFixed are lines whose comparison is worth more than chance.
var bashFixed = []string{
	"s1 spew | head read=10", "s1 spew | s2 read=1 | true", "s1 spew | true", "echo a | s1 cat | s2 cat", "s1 out=a err=b 2>&1 | s2 cat",
	"s1 out=a err=b > out/x 2>&1", "s1 out=a err=b 2>&1 > out/x", "s1 out=a err=b 2> out/x > out/x", "s1 exit=3; echo $?", "s1 exit=3 | s2; echo $?",
	"s1 | s2 exit=4; echo \"exit: $?\"", "false && s1 || s2 && s3", "true || s1 && s2", "s1 signal=9; echo $?", "s1 signal=15 || echo \"got $?\"",
	"s1 cat <<'E'\na $x `b` \\\n\tc\nE\necho done", "s1 cat <<'E' | s2 cat\na\nE", "s1 cat <<'E' > out/x && s2 cat < out/x\nbody\nE",
	"s1 cat < missing; echo $?", "s1 > missing/x; echo $?", "s1 < missing | s2 out=b; echo $?", "s1 cat < a.txt < b.txt", "s1 cat <<'E' < a.txt\nx\nE",
	"s1 cat < a.txt <<'E'\nx\nE", "s1 spew <<'E' | head read=3\nx\nE", "echo a >> out/a; echo b >> out/a; s1 cat < out/a", "echo a | s1 | s2 cat",
	"echo -n a; echo -e 'a\\tb\\x41\\0101\\u00e9\\c' z; echo -E 'a\\n'; echo -en 'a\\n'; echo -nx; echo - -n; echo -- a", "echo -e '\\xg \\u \\8 \\\\ \\e[0m \\1'",
	"echo -e 'a\\cb'; echo c", "echo -e -n 'x\\0'; echo -e '\\0777 \\x414 \\0'", "pwd; pwd | s1 cat", "cd src && pwd && s1 out=a; pwd", "cd src/deep && s1 ../x.go && ../../sub/prog out=p",
	"cd src && s1 < ../a.txt cat > ../out/x", "echo ./*; echo src/*; echo src/*/z.go; echo s*c/?.go; echo p*/x.c", "echo ?.txt '[ab]'", "s1 *.txt > out/n.txt", "echo ./*.go ./src/*",
	"s1 '' \"\" ''''; s1", "CI=1 s1; s2; LANG=C LC_ALL=C s3", "CI= s1 CI=2", "CI=1 echo a | CI=2 s1", "s1 > /dev/null out=a err=b 2>&1", "s1 2>/dev/null err=x out=y",
	"true | false; echo $?; false | true; echo $?", "echo a > out/a > out/b; s1 out=c >> out/a > out/d", "s1 out=a | s2 cat 2>&1 | s3 cat > out/z; s1 cat < out/z",
	"echo \"it's\" 'a\"b' \"a\\\"b\" \"\\$x \\\\ \\` \\n\" \"$\" \"a$ b\"", "s1 a>out/x b2>out/y", "s1 2>out/x", "s1 a2 >out/x 2 >out/y", "echo a#b HEAD~1 v^ a!b",
	"s1 out=a;", "s1\n\n\ns2;\ns3 ;", "  s1  out=a   |  s2   cat  ", "echo a&&echo b||echo c;echo d|s1 cat",
	"s1 'a\nb' \"c\td\"", "echo 'a\nb' | s1 cat", "s1 read=5 <<'E'\n0123456789\nE\ns2",
}

// What was read of a line is what bash does with it: the same programs with the same words, variables and folders, the same
// files with the same content, the same output and exit code.
func TestBash(t *testing.T) {
	t.Parallel()
	bash := need.Program(t, "bash")
	m := newMachine(t)
	world := m.disk.World(m.env, nil)
	compared := 0
	compare := func(text string, always bool) {
		text = strings.ReplaceAll(text, "/ROOT", m.root)
		m.reset(t)
		p, err := planned(world, text)
		if err != nil && always {
			t.Errorf("%q: %v", text, err)
		}
		if err != nil || racy(p) {
			return
		}
		compared++
		ours, theirs := m.run(t, p), m.bash(t, bash, text)
		if diff := cmp.Diff(theirs, ours); diff != "" {
			t.Errorf("%q (-bash +plan):\n%s", text, diff)
		}
	}
	for _, text := range bashFixed {
		compare(text, true)
	}
	fixed := compared
	count := *bashLines
	if count == 0 {
		count = often(30, 60, 300)
	}
	g := shelltest.New(3, bashFixed, realRuns, realGiven)
	for compared < fixed+count && !t.Failed() {
		compare(g.Line(), false)
	}
	t.Logf("%d lines of %d fixed ones and %d generated ones compared with bash", compared, len(bashFixed), compared-fixed)
}

// racy says that what the line does depends on which command of a pipe is faster.
func racy(p Plan) bool {
	for _, chain := range p.list {
		for _, j := range chain {
			var files []string
			for _, s := range j.pipe {
				for _, f := range s.Files {
					if f.Path != NullDevice && len(j.pipe) > 1 {
						files = append(files, f.Path)
					}
				}
			}
			slices.Sort(files)
			if len(slices.Compact(slices.Clone(files))) < len(files) {
				return true
			}
		}
	}
	return false
}
