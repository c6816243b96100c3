package markdown

import (
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"testing"

	"parley/internal/cell"
)

// Every language that is listed has a lexer that can be read and that gives any
// text back as it was; every lexer is listed.
func TestEveryLexerKeepsTheText(t *testing.T) {
	sample := "#!/bin/sh\npackage main // c\n/* d\n*/ func f(x int) { return \"a\\n\" + 'b' + 0x1f + 1.5e3 }\n" +
		"<a href=\"b\">c &amp; d</a>\nkey: [1, true, null]\n$ echo \"$HOME\" | grep -v x\n世界 👩‍👩‍👧 `x` # end\n\n\tif x == 1:\n"
	listed := map[string]bool{}
	for line := range strings.Lines(languages) {
		names := strings.Fields(line)
		if len(names) == 0 {
			continue
		}
		listed[names[0]+".xml"] = true
		for _, name := range names {
			if got := lexerOf(name); got == nil {
				t.Errorf("%s: no lexer", name)
			}
		}
		lines, ok := highlight(names[0], sample)
		if !ok {
			t.Errorf("%s: not highlighted", names[0])
			continue
		}
		var got []string
		for _, l := range lines {
			got = append(got, l.Text())
		}
		if strings.Join(got, "\n")+"\n" != sample {
			t.Errorf("%s: changed the text to %q", names[0], got)
		}
	}
	files, err := fs.Glob(definitionFiles, "lexer/*.xml")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !listed[strings.TrimPrefix(f, "lexer/")] {
			t.Errorf("%s is not listed", f)
		}
	}
	if len(files) != len(listed) {
		t.Errorf("%d files, %d listed", len(files), len(listed))
	}
}

func TestHighlight(t *testing.T) {
	const accent, green, gray, magenta, reset = "\x1b[36m", "\x1b[32m", "\x1b[90m", "\x1b[35m", "\x1b[0m"
	for _, c := range []struct{ language, in, want string }{
		{"go", "return \"x\" // y", accent + "return" + reset + " " + green + "\"x\"" + reset + " " + gray + "// y" + reset},
		{"Go", "`a\nb`", green + "`a" + reset + "|" + green + "b`" + reset},
		{"golang", "x /* a\nb */ := 0x1f", "x " + gray + "/* a" + reset + "|" + gray + "b */" + reset + " := " + magenta + "0x1f" + reset},
		{"py", "def f(): pass  # c", accent + "def" + reset + " f(): " + accent + "pass" + reset + "  " + gray + "# c" + reset},
		{"diff", "-a\n+b", "\x1b[31m-a" + reset + "|" + green + "+b" + reset},
		{"json", "{\"a\": 1}", "{" + accent + "\"a\"" + reset + ": " + magenta + "1" + reset + "}"},
		{"nosuch", "x", "?"},
	} {
		got := "?"
		if lines, ok := highlight(c.language, c.in+"\n"); ok {
			var rows []string
			for _, l := range lines {
				rows = append(rows, string(cell.Append(nil, l, cell.Color16)))
			}
			got = strings.Join(rows, "|")
		}
		if got != c.want {
			t.Errorf("%s %q:\n got %q\nwant %q", c.language, c.in, got, c.want)
		}
	}
}

// Starting a program that links this package reads no lexer: nothing here or in
// chroma has an initializer of note.
func TestStartCost(t *testing.T) {
	if os.Getenv("MARKDOWN_START") != "" {
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=TestStartCost$")
	cmd.Env = append(os.Environ(), "MARKDOWN_START=1", "GODEBUG=inittrace=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		if !strings.HasPrefix(line, "init ") {
			continue
		}
		t.Log(strings.TrimSpace(line))
		if strings.Contains(line, "chroma/v2/lexers") || strings.Contains(line, "chroma/v2/styles") || strings.Contains(line, "chroma/v2/formatters") {
			t.Errorf("links %s", line)
		}
	}
}
