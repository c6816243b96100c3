package tool_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"parley/internal/tool"
)

// However bytes are cut into pieces, the pieces that Runes gives back are valid and together are the valid
// form of the whole, and nothing is kept longer than it must be.
func FuzzRunes(f *testing.F) {
	for _, seed := range []string{"plain", "ä€😀", "\xe2\x82", "\xe2\x82\xac\xe2", "\xf0\x9f\x98", "\xff\xc3\x28", "a\xc3", "\x80\x80", "\xed\xa0\x80", "\xf5\x80\x80\x80"} {
		f.Add([]byte(seed), uint64(0b1011))
	}
	f.Fuzz(func(t *testing.T, whole []byte, cuts uint64) {
		var r tool.Runes
		var got strings.Builder
		take := func(piece string) {
			if !utf8.ValidString(piece) {
				t.Fatalf("the piece %q is not valid", piece)
			}
			got.WriteString(piece)
		}
		start := 0
		for i := range whole {
			if cuts>>(i%64)&1 == 1 {
				take(r.Next(whole[start:i]))
				start = i
				if held := len(tool.Valid(string(whole[:i]))) - got.Len(); held > 3*len("\ufffd") {
					t.Fatalf("%d bytes held", held)
				}
			}
		}
		take(r.Next(whole[start:]))
		take(r.Rest())
		if d := cmp.Diff(tool.Valid(string(whole)), got.String()); d != "" {
			t.Fatal(d)
		}
	})
}

// kept is a spill file in memory.
type kept struct {
	content bytes.Buffer
	closed  bool
	fail    bool
}

func (k *kept) Write(p []byte) (int, error) {
	if k.fail {
		return 0, errors.New("disk full")
	}
	return k.content.Write(p)
}

func (k *kept) String() string { return k.content.String() }

func (k *kept) Close() error { k.closed = true; return nil }

// Whatever comes on both streams: what was live is the beginning of the text, the text is within its limit
// and ends as the output does, and the file has everything.
func TestOutputLaws(t *testing.T) {
	piece := rapid.Custom(func(t *rapid.T) []byte {
		unit := rapid.SampledFrom([]string{"x", "line\n", "ä", "\xff", "\xe2\x82", "\xac", "😀"}).Draw(t, "unit")
		return bytes.Repeat([]byte(unit), rapid.SampledFrom([]int{1, 2, 100, 5000}).Draw(t, "times"))
	})
	rapid.Check(t, func(t *rapid.T) {
		var live strings.Builder
		file := &kept{}
		always := rapid.Bool().Draw(t, "always")
		o := tool.NewOutput(func(_ tool.Stream, chunk string) { live.WriteString(chunk) },
			func() (io.WriteCloser, string, error) { return file, "FILE", nil }, always)
		var want strings.Builder
		// One stream, so that the whole is known; the other has its own split characters between.
		var main tool.Runes
		for range rapid.IntRange(0, 12).Draw(t, "pieces") {
			p := piece.Draw(t, "piece")
			o.Write(tool.Stdout, p)
			want.WriteString(main.Next(p))
			if rapid.Bool().Draw(t, "other") {
				o.Write(tool.Stderr, []byte("e"))
				want.WriteString("e")
			}
		}
		o.Close()
		want.WriteString(main.Rest())
		text, path := o.Text()
		switch {
		case !strings.HasPrefix(text, live.String()):
			t.Fatal("what was live is not the beginning of the text")
		case !utf8.ValidString(text) || len(text) > tool.MaxText-2048:
			t.Fatalf("%d bytes, valid %v", len(text), utf8.ValidString(text))
		case path == "" && text != want.String():
			t.Fatal("uncut, but not the whole")
		case path != "" && (file.String() != want.String() || want.Len() <= 60<<10):
			t.Fatalf("the file has %d of %d bytes", file.content.Len(), want.Len())
		case always && file.String() != want.String():
			t.Fatalf("the file has %d of %d bytes", file.content.Len(), want.Len())
		case (path != "" || always) != file.closed:
			t.Fatal("the file is open")
		}
		if path != "" {
			_, end, _ := strings.Cut(text[live.Len():], "]\n")
			if !strings.HasSuffix(want.String(), end) || len(end) < 10<<10 {
				t.Fatalf("the end has %d bytes", len(end))
			}
		}
		if size, lines, _ := o.Size(); size != int64(want.Len()) || lines != int64(strings.Count(want.String(), "\n")) {
			t.Fatalf("Size is %d, %d", size, lines)
		}
	})
}

// A disk that refuses loses no text that fits, and the text says what happened.
func TestOutputDiskFull(t *testing.T) {
	o := tool.NewOutput(nil, func() (io.WriteCloser, string, error) { return &kept{fail: true}, "FILE", nil }, false)
	o.Write(tool.Stdout, bytes.Repeat([]byte("0123456789\n"), 10_000))
	o.Close()
	text, _ := o.Text()
	if !strings.Contains(text, "bytes left out here; the first 0 bytes are in FILE, then it could not be kept: disk full]\n0123456789\n") {
		t.Errorf("%s", text[40<<10:41<<10])
	}
}

// Names, sizes and counts as people read them.
func TestNamesSizesAndCounts(t *testing.T) {
	got := []string{
		tool.Bytes(0), tool.Bytes(1), tool.Bytes(1023), tool.Bytes(1024), tool.Bytes(1536), tool.Bytes(300 << 20), tool.Bytes(1 << 60),
		tool.Count(0, "line"), tool.Count(1, "match"), tool.Count(2, "match"), tool.Count(2, "entry"),
		tool.Quote("plain ä.go"), tool.Quote("a\nb"), tool.Quote("\x1b[2J"), tool.Quote("\u009b2J"), tool.Quote("\xff"),
		tool.Head("häh", 2), tool.Head("häh", 3), tool.Head("x", 0),
		tool.Language("a/Main.GO"), tool.Language("Dockerfile"), tool.Language("x"), tool.Language("go.mod"),
	}
	want := []string{
		"0 bytes", "1 byte", "1023 bytes", "1 KB", "1.5 KB", "300 MB", "1048576 TB",
		"0 lines", "1 match", "2 matches", "2 entries",
		"plain ä.go", `"a\nb"`, `"\x1b[2J"`, `"\u009b2J"`, "\ufffd",
		"h", "hä", "",
		"go", "docker", "", "go-mod",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// A wrong name finds the ones it was meant to be.
func TestNearest(t *testing.T) {
	known := []string{"main.go", "main_test.go", "Makefile", "README.md", "config.yaml", "timeout_ms"}
	for wrong, want := range map[string][]string{
		"mian.go": {"main.go"}, "makefile": {"Makefile"}, "readme.txt": {"README.md"},
		"config.json": {"config.yaml"}, "timeoutMs": {"timeout_ms"}, "timeout": {"timeout_ms"}, "zzzz": nil, "": nil,
	} {
		if d := cmp.Diff(want, tool.Nearest(wrong, known)); d != "" {
			t.Errorf("%s: %s", wrong, d)
		}
	}
}
