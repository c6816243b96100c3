//go:build !linux || !amd64

package rig

import (
	"fmt"
	"os"
)

// Tracer says that there is none here.
func Tracer([]string) int {
	fmt.Fprintln(os.Stderr, "tracer: not on this system")
	return 125
}
