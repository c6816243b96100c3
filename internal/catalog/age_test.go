package catalog

import (
	"os"
	"testing"
	"time"

	"parley/test/need"
)

// The catalog that is built in is of today's models. It looks at the real date and so fails by itself one day, which is
// what `make steady` is for: PARLEY_STEADY=1 asks for it.
func TestCatalogIsOfToday(t *testing.T) {
	need.Asked(t, os.Getenv("PARLEY_STEADY") == "1", "PARLEY_STEADY=1: it depends on the day")
	if age := Embedded().Age(time.Now()); age.Old {
		t.Errorf("internal/catalog/models.txt is %d months old: `go run ./test/catalog` makes a new one; "+
			"look at aliases.txt and lifecycle.txt, too", age.Months)
	}
}
