package markdown

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/cell"
)

var update = flag.Bool("update", false, "rewrite the expected files")

// Each testdata/golden/NAME.md has what it looks like at 40 and 80 columns in
// NAME.40 and NAME.80. ESC is written as ␛ and a space at a line's end as ␠.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/golden/*.md")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	const colours = cell.Color16 | cell.Links
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text := string(source)
		for _, width := range []int{40, 80} {
			lines := Render(text, width, Options{Hyperlinks: true, Highlight: true})
			compare(t, strings.TrimSuffix(file, "md")+fmt.Sprint(width), show(lines, colours))
		}
	}
}

func show(lines []cell.Line, p cell.Profile) string {
	var b strings.Builder
	for _, l := range lines {
		text := strings.ReplaceAll(string(cell.Append(nil, l, p)), "\x1b", "␛")
		if head, ok := strings.CutSuffix(text, " "); ok {
			text = head + "␠"
		}
		b.WriteString(text + "\n")
	}
	return b.String()
}

func compare(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}
