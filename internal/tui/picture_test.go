package tui

import (
	"flag"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"parley/test/need"
)

var pictures = flag.String("pictures", "", "write each screen as an SVG picture into this folder")

// The colours of a picture: what a dark terminal makes of the 16 colours.
const paper, ink = "#16181d", "#d8dade"

var inks = map[string]string{"31": "#e06c75", "32": "#98c379", "33": "#e5c07b", "35": "#c678dd", "36": "#56b6c2", "90": "#7b818c"}

// Pictures are made from what the terminal holds after the bytes of a script, so
// they show the real thing. Without -pictures nothing is written.
func TestPictures(t *testing.T) {
	need.Asked(t, *pictures != "", "-pictures")
	files, err := filepath.Glob("testdata/*.screen")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range a.Files {
			if f.Name != "story" {
				continue
			}
			s := harnessOf(t, string(f.Data), 96)
			name := strings.TrimSuffix(filepath.Base(file), ".screen") + ".svg"
			if err := os.WriteFile(filepath.Join(*pictures, name), []byte(svg(s.screen)), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// svg draws the rows that hold something, the cursor too.
func svg(e *emulator) string {
	const cw, ch, pad = 8.43, 18, 14
	first := slices.IndexFunc(e.rows, func(r erow) bool { return strings.TrimSpace(r.text()) != "" })
	rows := e.rows[max(first, 0):]
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%d" font-family="DejaVu Sans Mono, monospace" font-size="14">`, float64(e.w)*cw+2*pad, len(rows)*ch+2*pad)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" rx="8" fill="%s"/>`, paper)
	for y, r := range rows {
		x := 0
		for _, c := range r.cells {
			px, py := pad+float64(x)*cw, pad+y*ch
			fill, weight, decoration, back := ink, "", "", ""
			for _, code := range strings.Split(c.style, ";") {
				switch code {
				case "1":
					weight = ` font-weight="bold"`
				case "3":
					weight += ` font-style="italic"`
				case "4":
					decoration = ` text-decoration="underline"`
				case "7":
					back = "x"
				default:
					if in, ok := inks[code]; ok {
						fill = in
					}
				}
			}
			if back != "" {
				fmt.Fprintf(&b, `<rect x="%.2f" y="%d" width="%.2f" height="%d" fill="%s"/>`, px, py, float64(c.width)*cw+0.2, ch, fill)
				fill = paper
			}
			if c.text != " " {
				fmt.Fprintf(&b, `<text x="%.2f" y="%d" fill="%s"%s%s>%s</text>`, px, py+14, fill, weight, decoration, html.EscapeString(c.text))
			}
			x += c.width
		}
	}
	if e.shown {
		fmt.Fprintf(&b, `<rect x="%.2f" y="%d" width="%.2f" height="%d" fill="%s"/>`, pad+float64(e.x)*cw, pad+(e.y+e.top-max(first, 0))*ch, cw, ch, ink)
	}
	b.WriteString("</svg>\n")
	return b.String()
}
