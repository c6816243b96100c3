package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A figure is one line of the table.
type figure struct {
	what  string
	got   sample
	value string // what stands for the sample, where that is not its median
	ref   string // what the reference is
	was   sample // of the reference, in the same unit
	bound bound
}

// A bound is what an issue asks for. The zero bound asks for nothing.
type bound struct {
	text string
	met  bool
}

// atMost bounds a figure itself.
func atMost(u unit, got, most float64) bound {
	return bound{"≤ " + write(u, most), got <= most}
}

// within bounds a ratio.
func within(ratio, most float64) bound {
	return bound{fmt.Sprintf("≤ %s×", digits(most)), ratio <= most}
}

type table struct {
	out    io.Writer
	shown  int
	bounds int
	missed []string
	broken int
}

const (
	whatWidth  = 54
	valueWidth = 11
	rangeWidth = 22
	refWidth   = 42
)

func (t *table) head() {
	t.line("", "median", "min – max", "n", "reference", "median", "ratio", "bound")
}

func (t *table) line(what, value, spread, n, ref, was, ratio, bound string) {
	fmt.Fprintln(t.out, strings.TrimRight(strings.Join([]string{
		left(what, whatWidth), right(value, valueWidth), right(spread, rangeWidth), right(n, 5), " " + left(ref, refWidth), right(was, valueWidth), right(ratio, 8), " " + bound}, " "), " "))
}

func left(s string, n int) string {
	return s + strings.Repeat(" ", max(0, n-utf8.RuneCountInString(s)))
}
func right(s string, n int) string {
	return strings.Repeat(" ", max(0, n-utf8.RuneCountInString(s))) + s
}

func (t *table) title(s string) { fmt.Fprintf(t.out, "\n%s\n", s) }

func (t *table) failed(err error) {
	t.broken++
	fmt.Fprintf(t.out, "  NOT MEASURED: %v\n", err)
}

func (t *table) row(f figure) {
	t.shown++
	value, ratio, was := f.value, "", ""
	if value == "" {
		value = f.got.text()
	}
	if len(f.was.values) > 0 {
		was = f.was.text()
		if f.was.median() > 0 && f.was.unit == f.got.unit {
			ratio = digits(f.got.times(f.was)) + "×"
		}
	}
	verdict := f.bound.text
	if verdict != "" {
		t.bounds++
		if f.bound.met {
			verdict += "  ok"
		} else {
			verdict += "  MISSED"
			t.missed = append(t.missed, fmt.Sprintf("%s: %s, %s", f.what, value, f.bound.text))
		}
	}
	t.line("  "+f.what, value, f.got.spread(), strconv.Itoa(len(f.got.values)), f.ref, was, ratio, verdict)
}

func (t *table) foot() {
	fmt.Fprintf(t.out, "\n%d figures, %d bounds, %d missed", t.shown, t.bounds, len(t.missed))
	if t.broken > 0 {
		fmt.Fprintf(t.out, ", %d not measured", t.broken)
	}
	fmt.Fprintln(t.out)
	for _, m := range t.missed {
		fmt.Fprintln(t.out, "MISSED  "+m)
	}
}

// machine says where the figures come from.
func machine(out io.Writer, parley, dir string) {
	cpu := "unknown processor"
	if text, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		cpu = field(string(text), "model name")
	}
	memory := ""
	if text, err := os.ReadFile("/proc/meminfo"); err == nil {
		if kib, err := strconv.Atoi(strings.TrimSuffix(field(string(text), "MemTotal"), " kB")); err == nil {
			memory = fmt.Sprintf(", %d GiB", (kib+1<<19)>>20)
		}
	}
	system := runtime.GOOS
	if text, err := exec.Command("uname", "-sr").Output(); err == nil {
		system = strings.TrimSpace(string(text))
	}
	load := ""
	if text, err := os.ReadFile("/proc/loadavg"); err == nil {
		load = ", load " + strings.Join(strings.Fields(string(text))[:3], " ")
	}
	fmt.Fprintf(out, "%s × %d%s, %s, %s%s\n", cpu, runtime.NumCPU(), memory, system, runtime.Version(), load)
	if text, err := exec.Command(parley, "version").Output(); err == nil {
		long := int64(0)
		if info, err := os.Stat(parley); err == nil {
			long = info.Size()
		}
		fmt.Fprintf(out, "%s, %s; homes in %s\n\n", strings.ReplaceAll(strings.TrimSpace(string(text)), "\n", ", "), write(size, float64(long)), dir)
	}
}

// field is the value of the first line "name : value".
func field(text, name string) string {
	for line := range strings.Lines(text) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
