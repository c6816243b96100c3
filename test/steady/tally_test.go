package main

import (
	"strings"
	"testing"
)

// What go test says of a package: a test that fails once of three times, one of
// whose parts does; a package that ends in the middle of a test; one that cannot
// be compiled.
const report = `{"Action":"start","Package":"p/a"}
{"Action":"run","Package":"p/a","Test":"TestOne"}
{"Action":"run","Package":"p/a","Test":"TestOne/part"}
{"Action":"output","Package":"p/a","Test":"TestOne/part","Output":"    a_test.go:1: first\n"}
{"Action":"fail","Package":"p/a","Test":"TestOne/part","Elapsed":0}
{"Action":"fail","Package":"p/a","Test":"TestOne","Elapsed":0}
{"Action":"run","Package":"p/a","Test":"TestOne"}
{"Action":"run","Package":"p/a","Test":"TestOne/part"}
{"Action":"output","Package":"p/a","Test":"TestOne/part","Output":"    a_test.go:1: second\n"}
{"Action":"fail","Package":"p/a","Test":"TestOne/part","Elapsed":0}
{"Action":"fail","Package":"p/a","Test":"TestOne","Elapsed":0}
{"Action":"run","Package":"p/a","Test":"TestOne"}
{"Action":"run","Package":"p/a","Test":"TestOne/part"}
{"Action":"pass","Package":"p/a","Test":"TestOne/part","Elapsed":0}
{"Action":"pass","Package":"p/a","Test":"TestOne","Elapsed":0}
{"Action":"fail","Package":"p/a","Elapsed":1}
{"Action":"start","Package":"p/b"}
{"Action":"run","Package":"p/b","Test":"TestTwo"}
{"Action":"output","Package":"p/b","Output":"signal: killed\n"}
{"Action":"fail","Package":"p/b","Elapsed":1}
{"Action":"start","Package":"p/c"}
{"Action":"output","Package":"p/c","Output":"FAIL\tp/c [build failed]\n"}
{"Action":"fail","Package":"p/c","Elapsed":0,"FailedBuild":"p/c"}
`

// Each failure is one row, what failed most first, with what it said the first
// time; that what holds it failed too is not said.
func TestFailuresAreTallied(t *testing.T) {
	tally, begun := newTally(3), 0
	if err := tally.read(strings.NewReader(report), func() error { begun++; return nil }); err != nil || begun != 1 {
		t.Fatalf("begun %d times: %v", begun, err)
	}
	var out strings.Builder
	n := tally.print(&out)
	const want = `  2 of 3 failed: p/a TestOne/part
  1 of 3 failed: p/b
  1 of 3 failed: p/c

--- p/a TestOne/part, the first time:
    a_test.go:1: first

--- p/b, the first time:
signal: killed

--- p/c, the first time:
FAIL	p/c [build failed]
2 passed, 3 tests failed
`
	if out.String() != want || n != 3 {
		t.Errorf("%d:\n%s", n, out.String())
	}
}
