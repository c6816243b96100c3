// Package catalog knows the models that providers serve: how much they take, how they think, what they cost, and until
// when they are there. Names of models are data with a date; no other package holds one.
//
// # What it holds
//
// models.txt is made by `go run ./test/catalog` from a public package (NOTICE names it and its licence) and embedded as
// it is: a header, then a line for each model, by provider. Nothing of it is read before it is asked for, and then only
// the lines in question. lifecycle.txt and aliases.txt are written by hand: the dates on which vendors retire models,
// each with its source, and the families that the words default and fast stand for.
//
// # How it is used
//
//	c, word := catalog.Load(path)              // the newer of the embedded catalog and the refreshed one at path
//	id := c.Provider("mine", "https://…")      // which provider of the catalog a configured one is; "" is none
//	r, err := c.Resolve(id, "default", listed, now) // a name for an alias, and why this one
//	m, match := c.Find(id, "claude-sonnet-5-5")     // what is known of a name
//	m = own.Over(m)                            // what the user says of it wins
//	w := catalog.Best(own.Configured(), asked, match.Window(c, m), catalog.Guess())
//	m.Price.Cost(usage)                        // of one request
//	c.Age(now).Old                             // nine months: time for a new one
//
// [Nearest] finds what was meant by a name that a server does not have, and [Unique] the provider of a name that was
// given without one.
//
// # Guarantees
//
//   - A [Catalog] is immutable and safe for concurrent use.
//   - The zero value of each fact means that it is not known; a price that is not known is told apart from one that is 0.
//   - A file that [Load] takes was read to its last line and is within bounds; whatever else is there, the embedded
//     catalog is used and the word says so.
//   - [Catalog.Resolve] names a model that the server lists, where it has a list; never one that is known to be retired
//     if there is another.
//
// # What it does not do
//
// It asks no server: package window reads what a server says of its models, package refresh fetches a newer catalog. It
// does not know which provider has a key, and sends nothing to a model.
package catalog
