// Package config is the program's configuration as plain data: where it is
// read from, how its layers are merged, and what is wrong with it.
//
// The layers, from the strongest: flags, environment, workspace files
// (.parley/config.jsonc from the current folder up to the workspace root),
// the user's file (~/.config/parley/config.jsonc), built-in. Objects are merged
// key by key; the lists of permission rules are joined; anything else replaces.
//
// Guaranteed:
//   - The environment, the folders and what is trusted are parameters. Nothing
//     here looks at the process's own environment, so a daemon can resolve the
//     configuration of each client.
//   - All that is wrong in all files is reported together, each with file, line
//     and column, an unknown key with the known one it resembles.
//   - Every value knows where it came from ([Origins]).
//   - A workspace file that the user has not trusted by its hash sets the model
//     and takes permissions away; the rest of it is withheld, and listed.
//   - A key of a provider is a [Secret]: read from the environment only, and
//     never shown by any way of printing it.
//
// The package also knows every path the program uses ([Paths]) and keeps what
// the user decided for good ([Store]: trusted files, permission rules).
//
// It does not know what a permission rule means; [Sources] takes a function
// that checks one. It does not know which types of providers there are, nor
// what their servers are called; Sources takes a list ([Kinds]). It asks no server anything, and knows of
// models only what the user says of them.
package config
