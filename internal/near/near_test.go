package near

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A slip is told what was meant; what is far from everything is not guessed at.
func TestWord(t *testing.T) {
	known := []string{"model", "providers", "permission", "limits", "gpt-5"}
	for word, want := range map[string]string{
		"modle": "model", "Model": "model", "mode": "model", "models": "model", "perm": "permission", "PERM": "permission",
		"limts": "limits", "provider": "providers", "gpt-6": "gpt-5", "x": "", "": "", "per": "", "colour": "",
		strings.Repeat("model", 20): "",
	} {
		if got, ok := Word(word, known); got != want || ok != (want != "") {
			t.Errorf("%q: %q (%t), want %q", word, got, ok, want)
		}
	}
}

// The law of distance: it is 0 for the same text only, the same in both directions, and one slip is 1.
func TestDistanceLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		letters := rapid.StringOfN(rapid.RuneFrom([]rune("abc")), 1, 20, -1)
		a, b := letters.Draw(t, "a"), letters.Draw(t, "b")
		d := Distance(a, b)
		if (d == 0) != (a == b) || d != Distance(b, a) || d > max(len(a), len(b)) {
			t.Fatalf("%q and %q: %d, back %d", a, b, d, Distance(b, a))
		}
		i := rapid.IntRange(0, len(a)-1).Draw(t, "at")
		slips := []string{a[:i] + a[i+1:], a[:i] + "x" + a[i:], a[:i] + "x" + a[i+1:]}
		if i > 0 && a[i] != a[i-1] {
			slips = append(slips, a[:i-1]+a[i:i+1]+a[i-1:i]+a[i+1:])
		}
		for _, s := range slips {
			if Distance(a, s) != 1 {
				t.Fatalf("%q and %q: %d", a, s, Distance(a, s))
			}
		}
	})
}
