package permission

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"mvdan.cc/sh/v3/syntax"

	"parley/test/need"
)

// A real shell gives a program the same words as are compared with rules.
func TestWordsOfShell(t *testing.T) {
	shell := need.Program(t, "bash")
	inputs, _ := corpus(t)
	inputs = append(inputs,
		`x g"i"t st'at'us`, `x \git "\git" '\git'`, `x "a\$b" a\$b 'a\$b'`, `x "a\"b" 'a"b' a\'b`, "x a\\\nb \"c\\\nd\" 'e\\\nf'",
		`x "" '' a""b`, `x {} a{}b []`, `x a#b "#" \#`, `x "\\" \\ '\\'`, `x "a b"c\ d`, "x \"`\" \\`", `x é"ü"`, `x ~/a \~/a "~/a"`,
	)
	checked := 0
	for _, input := range inputs {
		file := parseLine(input)
		if file == nil || len(file.Stmts) != 1 {
			continue
		}
		call, ok := file.Stmts[0].Cmd.(*syntax.CallExpr)
		if !ok || len(call.Args) == 0 || len(call.Assigns) > 0 {
			continue
		}
		var want []string
		static := true
		for _, arg := range call.Args {
			w := readWord(arg)
			a := w.arg("/home/u")
			want = append(want, a.Text)
			static = static && a.Fixed
		}
		if !static {
			continue
		}
		checked++
		first, last := call.Args[0].Pos().Offset(), call.Args[len(call.Args)-1].End().Offset()
		cmd := exec.Command(shell, "--norc", "-c", `printf '%s\0' `+input[first:last])
		cmd.Env = []string{"HOME=/home/u", "LC_ALL=C.UTF-8"}
		cmd.Dir = t.TempDir()
		out, err := cmd.Output()
		if err != nil {
			t.Errorf("%s: %v", input, err)
			continue
		}
		got := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-here +shell):\n%s", input, diff)
		}
	}
	if checked < 100 {
		t.Errorf("only %d command lines compared", checked)
	}
}
