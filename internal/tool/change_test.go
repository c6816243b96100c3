package tool_test

import (
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"parley/internal/tool"
)

// Two contents never make the same text, whatever bytes they have: what a diff shows is what will be in the file.
func TestExactLosesNothing(t *testing.T) {
	text := rapid.OneOf(rapid.String(), rapid.StringOf(rapid.RuneFrom([]rune("a\uFFFD\U0010ff80\U0010ffff"))),
		rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }))
	rapid.Check(t, func(t *rapid.T) {
		in := text.Draw(t, "text")
		out := tool.Exact(in)
		if !utf8.ValidString(out) {
			t.Fatalf("%q becomes %q", in, out)
		}
		var back []byte
		for _, r := range out {
			if r >= 0x10ff00 {
				back = append(back, byte(r))
			} else {
				back = utf8.AppendRune(back, r)
			}
		}
		if string(back) != in {
			t.Fatalf("%q becomes %q, and %q again", in, out, back)
		}
	})
}

// A change is of one file, from one content to another.
func TestChangeTellsApart(t *testing.T) {
	a, b := tool.Target{Path: "/a"}, tool.Target{Path: "/b"}
	seen := map[tool.Change]int{}
	for i, c := range []tool.Change{
		tool.ChangeOf(a, nil, []byte("x")), tool.ChangeOf(b, nil, []byte("x")), tool.ChangeOf(a, []byte{}, []byte("x")),
		tool.ChangeOf(a, []byte("x"), nil), tool.ChangeOf(a, []byte("x"), []byte("x")), tool.ChangeOf(a, []byte("xx"), nil), {},
	} {
		if other, ok := seen[c]; ok {
			t.Errorf("changes %d and %d are the same", other, i)
		}
		seen[c] = i
	}
	bound := tool.World{}.Approve(tool.ChangeOf(a, nil, []byte("x")))
	if bound.Approved(tool.ChangeOf(a, nil, []byte("x"))) != nil || bound.Approved(tool.ChangeOf(a, []byte("y"), []byte("x"))) == nil {
		t.Error("an approval holds for another change")
	}
}
