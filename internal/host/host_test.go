package host_test

import (
	"testing"

	"parley/internal/host"
)

// A deny rule on localhost did not hold for ｌｏｃａｌｈｏｓｔ, which is dialled as localhost; nor one on an address for the
// other ways of writing it.
func TestSpellingsOfOneHost(t *testing.T) {
	for want, spellings := range map[string][]string{
		"localhost":        {"LOCALHOST", "localhost.", "ｌｏｃａｌｈｏｓｔ", "ⓛocalhost", "local\u00adhost"},
		"xn--bcher-kva.de": {"bücher.de", "BÜCHER.de", "bu\u0308cher.de", "bücher。de", "XN--BCHER-KVA.DE."},
		"my_host.test":     {"MY_HOST.test"},
		"127.0.0.1": {"127.1", "127.0.1", "0x7f.1", "0x7f000001", "2130706433", "017700000001", "0177.0.0.01", "127.0.0.1.", "１２７.0.0.1",
			"[::ffff:127.0.0.1]", "::ffff:7f00:1"},
		"0.0.0.0":     {"0", "0x", "0.0"},
		"::1":         {"[::1]", "[0:0:0:0:0:0:0:1]", "0::1"},
		"2001:db8::1": {"2001:DB8:0:0::1"},
	} {
		for _, s := range append(spellings, want) {
			if got, err := host.Name(s); got != want || err != nil {
				t.Errorf("%q: %q, %v; want %q", s, got, err, want)
			}
		}
	}
	for _, s := range []string{"", ".", "a..b", "localhost..", "1.2.3.4.5", "1.2.3.256", "4294967296", "09", "fe80::1%eth0", "[::1", "a b", "a/b", "a%00b", "a\x00"} {
		if got, err := host.Name(s); err == nil {
			t.Errorf("%q: %q", s, got)
		}
	}
}

func FuzzName(f *testing.F) {
	f.Add("ｌｏｃａｌｈｏｓｔ.")
	f.Add("0x7f.1")
	f.Fuzz(func(t *testing.T, s string) {
		name, err := host.Name(s)
		if err != nil {
			return
		}
		if again, err := host.Name(name); again != name || err != nil {
			t.Errorf("%q is %q, which is %q, %v", s, name, again, err)
		}
	})
}
