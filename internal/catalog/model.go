package catalog

import "time"

// A Model is what is known of one model at one provider. What is not known is the zero value.
type Model struct {
	// Provider is the catalog's name of who serves it, Name the name that its server takes.
	Provider, Name string
	// Context is the size of the window and Output the most of one answer, in tokens.
	Context, Output int
	Thinking        Thinking
	Images          Images
	// Tools says whether the model calls tools.
	Tools Answer
	Price Price
	// Released is the day it came, Retires the day on which its vendor ends it. Assured is the day until which the
	// vendor serves it at the least.
	Released, Retires, Assured time.Time
}

// Answer is yes, no, or not known.
type Answer int8

// The answers.
const (
	Unknown Answer = iota
	Yes
	No
)

// Images is what a model takes of pictures. A limit of 0 is not known.
type Images struct {
	Taken Answer
	// Edge is the longest side in pixels and Bytes the size of a picture that need not be scaled down.
	Edge, Bytes int
	// Number is how many one request may hold, and Request its size in bytes with all of them.
	Number, Request int
}

// Retired reports whether the vendor has ended the model by then.
func (m Model) Retired(now time.Time) bool { return !m.Retires.IsZero() && !now.Before(m.Retires) }

// Over returns the facts of m, and those of base where m has none: a user's own entry over the catalog's.
func (m Model) Over(base Model) Model {
	first(&m.Provider, base.Provider)
	first(&m.Name, base.Name)
	first(&m.Context, base.Context)
	first(&m.Output, base.Output)
	first(&m.Tools, base.Tools)
	first(&m.Released, base.Released)
	first(&m.Retires, base.Retires)
	first(&m.Assured, base.Assured)
	first(&m.Images, base.Images)
	if m.Thinking.Way == "" {
		m.Thinking = base.Thinking
	}
	if m.Price.unknown() {
		m.Price = base.Price
	}
	return m
}

func first[T comparable](value *T, otherwise T) {
	var zero T
	if *value == zero {
		*value = otherwise
	}
}
