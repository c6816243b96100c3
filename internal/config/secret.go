package config

import (
	"encoding/json"
	"fmt"
	"log/slog"
)

// Secret is a text that is never shown: not by fmt with any verb, nor by
// encoding/json or log/slog. [Secret.Reveal] is the one way to it.
type Secret struct{ text string }

// hidden is what is shown of a secret.
const hidden = "[hidden]"

// NewSecret hides a text.
func NewSecret(text string) Secret { return Secret{text} }

// Reveal returns the text, for the request that needs it.
func (s Secret) Reveal() string { return s.text }

// Empty reports whether there is no text.
func (s Secret) Empty() bool { return s.text == "" }

// Equal reports whether both hide the same text.
func (s Secret) Equal(other Secret) bool { return s == other }

// String is "[hidden]", or "" where there is nothing to hide.
func (s Secret) String() string {
	if s.text == "" {
		return ""
	}
	return hidden
}

// GoString is for %#v.
func (s Secret) GoString() string { return fmt.Sprintf("config.Secret(%q)", s.String()) }

// Format keeps every other verb, such as %x, from reading the field.
func (s Secret) Format(f fmt.State, verb rune) {
	if verb == 'v' && f.Flag('#') {
		fmt.Fprint(f, s.GoString())
		return
	}
	fmt.Fprint(f, s.String())
}

// MarshalText is [Secret.String].
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// MarshalJSON is [Secret.String] in quotes.
func (s Secret) MarshalJSON() ([]byte, error) { return json.Marshal(s.String()) }

// UnmarshalJSON reads the text itself: what a configuration file holds.
func (s *Secret) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, &s.text) }

// LogValue is [Secret.String].
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }
