// Parley is a coding agent that lives in a daemon. See README.md.
package main

import (
	"os"

	"parley/internal/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:])) }
