package catalog

import (
	"fmt"
	"time"
)

// An Age is how long ago a catalog's facts were published.
type Age struct {
	Days, Months int
	// Old: nine months or more, in which most models of a year are replaced.
	Old bool
}

// Age is the catalog's at a time.
func (h Header) Age(now time.Time) Age {
	now = now.UTC()
	months := (now.Year()-h.Dated.Year())*12 + int(now.Month()-h.Dated.Month())
	if now.Day() < h.Dated.Day() {
		months--
	}
	return Age{Days: max(0, int(now.Sub(h.Dated).Hours()/24)), Months: max(0, months), Old: months >= 9}
}

// String is the age for people, with what to do about it.
func (a Age) String() string {
	switch {
	case a.Old:
		return fmt.Sprintf("%d months old: `parley models --refresh` gets a newer one", a.Months)
	case a.Days == 1:
		return "1 day old"
	}
	return fmt.Sprintf("%d days old", a.Days)
}
