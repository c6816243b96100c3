package main

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/event"
	"parley/internal/journal"
	"parley/internal/journal/sqlite"
	"parley/internal/transcript"
)

func TestSampleIsLegal(t *testing.T) {
	for _, c := range []struct {
		name      string
		s         sample
		text, all string
		p95       float64
	}{
		{"none", sample{}, "–", "", 0},
		{"one", one(size, 27_650_000), "27.6 MB", "", 27_650_000},
		{"odd", sample{seconds, []float64{0.003, 0.001, 0.0021}}, "2.10 ms", "1.00 ms – 3.00 ms", 0.003},
		{"even", sample{seconds, []float64{1, 4, 2, 3}}, "2.50 s", "1.00 s – 4.00 s", 4},
		{"small", sample{seconds, []float64{0, 0, 0.00000004}}, "0 ns", "0 ns – 40.0 ns", 0.00000004},
		{"rate", sample{rate, []float64{1234567, 999, 12}}, "999/s", "12.0/s – 1,234,567/s", 1234567},
		{"share", one(share, 0.0002), "0.02 %", "", 0.0002},
	} {
		if got := [2]string{c.s.text(), c.s.spread()}; got != [2]string{c.text, c.all} {
			t.Errorf("%s: %q", c.name, got)
		}
		if len(c.s.values) > 0 && c.s.quantile(0.95) != c.p95 {
			t.Errorf("%s: p95 %v", c.name, c.s.quantile(0.95))
		}
	}
}

func TestParseBench(t *testing.T) {
	got, err := parseBench(strings.NewReader(`goos: linux
BenchmarkMarkdown/pipe/1024k-2         	      20	  54321000 ns/op	  19.31 MB/s
BenchmarkMarkdown/pipe/1024k-2         	      21	  50000000 ns/op	  19.31 MB/s
BenchmarkDurable/100_writers 	     100	      12.5 ns/op
PASS
`))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]float64{"Markdown/pipe/1024k": {0.054321, 0.05}, "Durable/100_writers": {1.25e-8}}
	have := make(map[string][]float64)
	for name, s := range got {
		have[name] = s.values
	}
	if d := cmp.Diff(want, have); d != "" {
		t.Error(d)
	}
}

func TestParseModel(t *testing.T) {
	for name, want := range map[string]string{"hello": "hello 0 0", "words-20000": "words 20000 0", "lines-10-500": "lines 10 500"} {
		kind, n, pace, err := parseModel(name)
		if got := strings.Join([]string{kind, digits(float64(n)), digits(float64(pace))}, " "); err != nil || strings.ReplaceAll(strings.ReplaceAll(got, ",", ""), ".0", "") != want {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
	for _, name := range []string{"words-x", "words-1-2-3"} {
		if _, _, _, err := parseModel(name); err == nil {
			t.Errorf("%s is a model", name)
		}
	}
}

// A generated session is one that the program could have made: each event is
// legal after those before it, nothing is open, and there was a summary.
func TestGeneratedSessionIsLegal(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	const id event.SessionID = "sess-01k0aaaaaaaaaaaaaaaaaaaaaa"
	w, err := ordinary(func(_, bytes int) bool { return bytes > 100_000 }).write(ctx, dir, "/tmp", id)
	if err != nil {
		t.Fatal(err)
	}
	store, err := sqlite.Open(dir, journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	log, err := store.Open(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	s, n := transcript.New(), 0
	for e, err := range log.After(ctx, 0) {
		if err != nil {
			t.Fatal(err)
		}
		if violations := transcript.Check(s, e); len(violations) > 0 {
			t.Fatalf("%d %s: %v", e.Seq, e.Kind(), violations)
		}
		s.Apply(e)
		n++
		if e.Seq == log.Head() {
			break
		}
	}
	if n != w.events || w.bytes < 100_000 || s.Summary == nil || s.Run != nil || s.Counts.Runs != w.runs {
		t.Errorf("%+v, %d read, %+v", w, n, s.Counts)
	}
}
