// Package runtime resolves what a run works with, in the world of the client
// that prompts: the configuration as it holds in that client's environment and
// folder, the model and its provider, the tools and what they may reach, the
// permission rules, the system prompt and the environment of commands.
//
// A daemon has one [Resolver]. It reads everything anew for each run, so that a
// changed file or variable holds from the next prompt on; what it keeps between
// runs is only what cannot be read anew: connections to servers of models and,
// for a short while, what those servers said; the files that a session's tools
// have seen, and its background commands.
//
// [Models] answers which models there are and which one is meant by a name:
// servers are asked what they have, package catalog tells what is known of it,
// and the user's own entries stand above both. A model is put into a setup such
// that it is asked for no more than it takes.
//
// It guarantees that a key reaches neither the environment of commands nor an
// error, that no rule is without the place where it is written, and that an
// AGENTS.md is read only where it is a file of the project.
//
// It is where the program's tools and providers are listed ([Builtin]). It does not run
// anything: that is package agent. It does not know how it is called: flags and
// output are package cli's, which asks it also what holds without a run
// ([Models]).
package runtime
