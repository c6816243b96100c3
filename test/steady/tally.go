package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// A name is a test, or a package where the test is empty.
type name struct{ pkg, test string }

// String is the name as people read it.
func (n name) String() string { return strings.TrimSpace(n.pkg + " " + n.test) }

// A tally counts what failed.
type tally struct {
	count  int
	failed map[name]int
	passed map[name]int
	said   map[name]*bytes.Buffer // by a run that has not ended yet
	first  map[name]string        // what it said when it failed first
}

func newTally(count int) *tally {
	return &tally{count: count, failed: make(map[name]int), passed: make(map[name]int), said: make(map[name]*bytes.Buffer), first: make(map[name]string)}
}

// read takes in what go test -json says; see go doc test2json. It calls begin
// when the first test is about to run.
func (t *tally) read(r io.Reader, begin func() error) error {
	scan := bufio.NewScanner(r)
	scan.Buffer(nil, 64<<20)
	for scan.Scan() {
		var e struct{ Action, Package, Test, Output string }
		if json.Unmarshal(scan.Bytes(), &e) != nil {
			continue // a word of the go command itself
		}
		if e.Action == "start" && begin != nil {
			if err := begin(); err != nil {
				return err
			}
			begin = nil
		}
		t.take(name{e.Package, e.Test}, e.Action, e.Output)
	}
	return scan.Err()
}

func (t *tally) take(n name, action, output string) {
	switch action {
	case "run", "start":
		t.said[n] = new(bytes.Buffer)
	case "output":
		if b := t.said[n]; b != nil {
			b.WriteString(output)
		}
	case "pass":
		t.passed[n]++
		delete(t.said, n)
	case "fail":
		if t.failed[n]++; t.failed[n] == 1 && t.said[n] != nil {
			t.first[n] = t.said[n].String()
		}
		delete(t.said, n)
	}
}

// above reports whether a failure of m is one of n because m is inside of it.
func (n name) above(m name) bool {
	if n.pkg != m.pkg || n == m {
		return false
	}
	return n.test == "" || strings.HasPrefix(m.test, n.test+"/")
}

// print writes a line for each test that failed, but for those that only hold
// one that did, and what each said first. It returns how many there are.
func (t *tally) print(w io.Writer) int {
	var names []name
	for n := range t.failed {
		names = append(names, n)
	}
	names = slices.DeleteFunc(names, func(n name) bool {
		return slices.ContainsFunc(names, n.above)
	})
	slices.SortFunc(names, func(a, b name) int {
		return cmp.Or(t.failed[b]-t.failed[a], strings.Compare(a.String(), b.String()))
	})
	for _, n := range names {
		fmt.Fprintf(w, "%3d of %d failed: %s\n", t.failed[n], max(t.count, t.failed[n]), n)
	}
	for _, n := range names {
		fmt.Fprintf(w, "\n--- %s, the first time:\n%s", n, end(t.first[n]))
	}
	runs := 0
	for n, times := range t.passed {
		if n.test != "" {
			runs += times
		}
	}
	fmt.Fprintf(w, "%d passed, %d tests failed\n", runs, len(names))
	return len(names)
}

// end is the last of a text, as much as anybody reads.
func end(text string) string {
	const most = 60
	lines := strings.SplitAfter(text, "\n")
	return strings.Join(lines[max(0, len(lines)-most):], "")
}
