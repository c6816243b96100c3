package journal

import "time"

// Options are what a store is opened with. The zero value is for production.
type Options struct {
	// Now is the clock that events are stamped with.
	Now func() time.Time
	// AfterFunc calls f once in a goroutine of its own when d has passed, unless
	// stop was called before; time.AfterFunc where it is nil.
	AfterFunc func(d time.Duration, f func()) (stop func() bool)
	// Fail is asked at every [Point]; an error stops the operation there as an
	// error of the disk would. A test may also end the process in it.
	Fail func(Point) error
}

// A Point is a place at which an operation can be made to fail.
type Point string

// The points, in the order in which a batch meets them.
const (
	PointBegin   Point = "begin"   // before the transaction begins
	PointDrop    Point = "drop"    // in it, before rows are deleted
	PointRow     Point = "row"     // in it, before each row
	PointReserve Point = "reserve" // in it, before the reservation
	PointEntry   Point = "entry"   // in it, before each entry of a snapshot
	PointCommit  Point = "commit"  // before it is committed
	PointKept    Point = "kept"    // it is durable, and nobody has seen it
	PointBlob    Point = "blob"    // before a blob gets its name
	PointCreate  Point = "create"  // before a new session gets its name
)

// Reach asks Fail.
func (o Options) Reach(p Point) error {
	if o.Fail == nil {
		return nil
	}
	return o.Fail(p)
}

func (o Options) now() time.Time {
	if o.Now != nil {
		return o.Now().UTC()
	}
	return time.Now().UTC()
}

func (o Options) afterFunc(d time.Duration, f func()) (stop func() bool) {
	if o.AfterFunc != nil {
		return o.AfterFunc(d, f)
	}
	return time.AfterFunc(d, f).Stop
}
