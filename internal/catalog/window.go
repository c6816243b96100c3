package catalog

import (
	"cmp"
	"fmt"
)

// A Window is the size of a model's context in tokens, and who says so. The zero value is not known.
type Window struct {
	Tokens int
	Source Source
	// Of tells more: the entry of the catalog, or where the server said it.
	Of string
}

// Source says where the size of a window is from. Of two the higher one is to be believed: see [Best].
type Source int

// The sources, from the least to the most believed.
const (
	Nobody Source = iota
	// Guessed: nobody tells, and [GuessedTokens] is used.
	Guessed
	// Kindred: what another model of the same family has.
	Kindred
	// Trained: what the server says that the model was trained for; it may be loaded with less.
	Trained
	// Catalogued: the catalog's entry.
	Catalogued
	// Listed: what the server says that it takes.
	Listed
	// Loaded: what the server says that the model is loaded with.
	Loaded
	// Configured: the user's own entry.
	Configured
)

// GuessedTokens is the size of a window of which nobody tells.
const GuessedTokens = 128_000

// Guess is the window of a model of which nobody tells.
func Guess() Window { return Window{Tokens: GuessedTokens, Source: Guessed} }

// Configured is the window that a user's own entry tells.
func (m Model) Configured() Window {
	if m.Context == 0 {
		return Window{}
	}
	return Window{Tokens: m.Context, Source: Configured}
}

// Best is the window that is most to be believed; of two that are so alike, the first.
func Best(windows ...Window) Window {
	var best Window
	for _, w := range windows {
		if w.Tokens > 0 && cmp.Compare(w.Source, best.Source) > 0 {
			best = w
		}
	}
	return best
}

// String says for people whose word the size is: "a guess", "from the configuration".
func (s Source) String() string {
	switch s {
	case Guessed:
		return "a guess: neither the configuration, the server nor the catalog tells it"
	case Kindred:
		return "taken from a model of its family"
	case Trained:
		return "what the model was trained for; the server may have loaded it with less"
	case Catalogued:
		return "from the catalog"
	case Listed, Loaded:
		return "from the server"
	case Configured:
		return "from the configuration"
	}
	return "not known"
}

// String is the window for people: "128k tokens, a guess: …".
func (w Window) String() string {
	if w.Of == "" {
		return fmt.Sprintf("%s tokens, %s", Tokens(w.Tokens), w.Source)
	}
	return fmt.Sprintf("%s tokens, %s (%s)", Tokens(w.Tokens), w.Source, w.Of)
}

// Tokens is a number of tokens as people say it: 128k, 1.0M.
func Tokens(n int) string {
	switch {
	case n >= 1_000_000:
		return fmt.Sprintf("%.1fM", float64(n)/1e6)
	case n >= 1000:
		return fmt.Sprintf("%dk", n/1000)
	}
	return fmt.Sprint(n)
}
