package diff

import (
	"fmt"
	"strings"
)

// Cut shortens a unified diff to at most limit bytes, at a line, and says whether it did. The hunk that is
// cut through gets a header that fits what is left of it, so the result is a diff that Parse reads.
func Cut(unified string, limit int) (short string, cut bool) {
	if len(unified) <= limit {
		return unified, false
	}
	hunks, err := Parse(unified)
	if err != nil {
		return "", true
	}
	names, _, _ := strings.Cut(unified, "@@ ")
	var b strings.Builder
	b.WriteString(names)
	for _, h := range hunks {
		room := limit - b.Len() - len(h.header())
		n := 0
		for n < len(h.Lines) && h.Lines[n].size() <= room {
			room -= h.Lines[n].size()
			n++
		}
		if n == len(h.Lines) {
			h.write(&b)
			continue
		}
		if n > 0 {
			h.Lines = h.Lines[:n]
			h.OldCount, h.NewCount = 0, 0
			for _, l := range h.Lines {
				if l.Op != Add {
					h.OldCount++
				}
				if l.Op != Remove {
					h.NewCount++
				}
			}
			h.write(&b)
		}
		break
	}
	if b.Len() == len(names) {
		return "", true
	}
	return b.String(), true
}

func (h Hunk) header() string {
	return fmt.Sprintf("@@ -%d,%d +%d,%d @@\n", h.Old, h.OldCount, h.New, h.NewCount)
}

func (h Hunk) write(b *strings.Builder) {
	b.WriteString(h.header())
	for _, l := range h.Lines {
		b.WriteByte(byte(l.Op))
		b.WriteString(l.Text)
		b.WriteByte('\n')
		if l.NoNewline {
			b.WriteString(noNewline + "\n")
		}
	}
}

// size is what write makes of the line.
func (l Line) size() int {
	n := len(l.Text) + 2
	if l.NoNewline {
		n += len(noNewline) + 1
	}
	return n
}
