package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// gobench runs benchmarks of a package of this module and returns the seconds of
// an operation, by name without "Benchmark".
func gobench(pkg, pattern, length string, count int) (map[string]sample, error) {
	tool := os.Getenv("GO")
	if tool == "" {
		tool = "go"
	}
	cmd := exec.Command(tool, "test", "-run", "^$", "-bench", pattern, "-benchtime", length, "-count", strconv.Itoa(count), pkg)
	root, err := exec.Command(tool, "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return nil, fmt.Errorf("find the module: %w", err)
	}
	cmd.Dir = filepath.Clean(strings.TrimSpace(string(root)))
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%v: %w: %s", cmd.Args, err, out.String())
	}
	found, err := parseBench(&out)
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("%s has no benchmark %s", pkg, pattern)
	}
	return found, err
}

// benchLine is a line of go test -bench: the name ends with the number of
// processors where that is not 1.
var benchLine = regexp.MustCompile(`^Benchmark(\S+?)(?:-\d+)?\s+\d+\s+(\S+) ns/op`)

func parseBench(r io.Reader) (map[string]sample, error) {
	found := make(map[string]sample)
	scan := bufio.NewScanner(r)
	for scan.Scan() {
		m := benchLine.FindStringSubmatch(scan.Text())
		if m == nil {
			continue
		}
		ns, err := strconv.ParseFloat(m[2], 64)
		if err != nil {
			return nil, err
		}
		s := found[m[1]]
		s.add(ns / 1e9)
		found[m[1]] = s
	}
	return found, scan.Err()
}
