package shell

import (
	"os"
	"testing"
)

// missing ends a test that needs a program which is not here. Where everything is asked for that is a failure.
func missing(t testing.TB, program string) {
	t.Helper()
	if os.Getenv("CI") == "true" || os.Getenv("PARLEY_LONG") == "1" {
		t.Fatalf("%s is not installed: sh test/tools.sh installs what tests need", program)
	}
	t.Skipf("%s is not installed: nothing of this was tested", program)
}
