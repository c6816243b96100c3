package tui

import (
	"testing"
	"time"
)

// Every number has a unit, and reads the same wherever it stands.
func TestNumbersHaveUnits(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{duration(38 * time.Millisecond), "38 ms"},
		{duration(2149 * time.Millisecond), "2.1 s"},
		{duration(41 * time.Second), "41 s"},
		{duration(125 * time.Second), "2 m 05 s"},
		{duration(3723 * time.Second), "1 h 02 m"},
		{duration(-time.Second), "0 ms"},
		{seconds(999 * time.Millisecond), "0 s"},
		{clock(7 * time.Second), "0:07"},
		{clock(3667 * time.Second), "1:01:07"},
		{count(1204), "1,204"},
		{count(-1234567), "-1,234,567"},
		{count(12), "12"},
		{short(950), "950"},
		{short(31499), "31k"},
		{short(1_200_000), "1.2M"},
		{size(812), "812 B"},
		{size(14_000), "14 kB"},
		{size(2_100_000), "2.1 MB"},
		{plural(1, "line"), "1 line"},
		{plural(1204, "line"), "1,204 lines"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}
