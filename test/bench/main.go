// Bench measures the built program: what the project promises of its speed and
// memory, each figure beside a reference that was measured in the same run.
//
// It guarantees that a figure is the program's own: a real daemon, real sockets,
// a real pseudo-terminal, and a model server on 127.0.0.1 that speaks
// chat-completions. Each home is new and goes when its section ends. A bound
// that is missed is marked in the table and fails nothing; only a section that
// could not be measured makes the exit code 1.
//
// It does not profile, and it keeps no history.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
)

// A section measures one subject. The first word of its title is the issue that
// sets the bounds.
type section struct {
	name, title string
	run         func(*bench) error
}

var sections = []section{
	{"version", "#2 start of the program", versions},
	{"run", "#2 one prompt, headless", oneShot},
	{"deltas", "#2 20,000 streamed deltas to stdout", streamed},
	{"flat", "#2 cost of an event, first and 100,000th", flat},
	{"size", "#2 a session of 1 MB and one of 100 MB", sizes},
	{"append", "#4 durable appends", appends},
	{"attach", "#4 attach to 100,000 events", attaches},
	{"fanout", "#4 20,000 deltas to native clients", fanOut},
	{"markdown", "#5 1 MB of streamed markdown in line mode", markdowns},
	{"nous", "#6 nous", nousTrips},
	{"tui", "#7 the terminal", terminal},
}

// bench is one run of the whole.
type bench struct {
	parley string
	dir    string
	model  *model
	table  table

	mu     sync.Mutex // guards the fields below
	stages []*fixture
}

func main() {
	if len(os.Args) == 4 && os.Args[1] == "decode" {
		if err := decodeChild(os.Args[2], os.Args[3]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	parley := flag.String("parley", "bin/parley", "the binary that is measured")
	flag.Usage = usage
	flag.Parse()
	for _, name := range flag.Args() {
		if !slices.ContainsFunc(sections, func(s section) bool { return s.name == name }) {
			usage()
			os.Exit(2)
		}
	}
	if err := measure(*parley, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func usage() {
	fmt.Fprintln(os.Stderr, "bench [-parley FILE] [SECTION...]")
	for _, s := range sections {
		fmt.Fprintf(os.Stderr, "  %-9s %s\n", s.name, s.title)
	}
}

func measure(parley string, only []string) error {
	path, err := filepath.Abs(parley)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b := &bench{parley: path, dir: dir, table: table{out: os.Stdout}}
	if b.model, err = newModel(); err != nil {
		return err
	}
	defer b.model.Close()
	defer b.close()
	go b.interrupted()
	machine(os.Stdout, path, dir)
	b.table.head()
	var failed []error
	for _, s := range sections {
		if len(only) > 0 && !slices.Contains(only, s.name) {
			continue
		}
		b.table.title(s.title)
		if err := s.run(b); err != nil {
			b.table.failed(err)
			failed = append(failed, fmt.Errorf("%s: %w", s.name, err))
		}
		b.close()
	}
	b.table.foot()
	return errors.Join(failed...)
}

// interrupted leaves nothing behind when somebody loses patience.
func (b *bench) interrupted() {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	<-signals
	b.close()
	os.RemoveAll(b.dir)
	os.Exit(130)
}

// close ends every daemon that a section started.
func (b *bench) close() {
	b.mu.Lock()
	stages := b.stages
	b.stages = nil
	b.mu.Unlock()
	for _, s := range stages {
		if err := s.close(); err != nil {
			b.table.failed(fmt.Errorf("close %s: %w", strings.TrimPrefix(s.Dir, b.dir+"/"), err))
		}
	}
}
