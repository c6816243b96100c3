package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"
)

// A unit says how a figure is written.
type unit int

const (
	seconds unit = iota
	size
	rate   // a second
	share  // of 1
	number // of anything
)

// A sample is what was measured several times.
type sample struct {
	unit   unit
	values []float64
}

func (s *sample) add(v float64)         { s.values = append(s.values, v) }
func (s *sample) took(d time.Duration)  { s.add(d.Seconds()) }
func one(u unit, v float64) sample      { return sample{u, []float64{v}} }
func (s sample) sorted() []float64      { return slices.Sorted(slices.Values(s.values)) }
func (s sample) median() float64        { return s.quantile(0.5) }
func (s sample) per(n float64) sample   { return s.each(func(v float64) float64 { return v / n }) }
func (s sample) minus(v float64) sample { return s.each(func(x float64) float64 { return x - v }) }
func (s sample) write(v float64) string { return write(s.unit, v) }
func (s sample) text() string           { return s.write(s.median()) }
func (s sample) times(t sample) float64 { return s.median() / t.median() }

func (s sample) each(f func(float64) float64) sample {
	out := sample{unit: s.unit}
	for _, v := range s.values {
		out.add(f(v))
	}
	return out
}

// quantile is the value that a share q of the sample does not exceed; between two
// values their mean where q is a half.
func (s sample) quantile(q float64) float64 {
	v := s.sorted()
	if len(v) == 0 {
		return math.NaN()
	}
	if q == 0.5 && len(v)%2 == 0 {
		return (v[len(v)/2-1] + v[len(v)/2]) / 2
	}
	return v[max(0, int(math.Ceil(q*float64(len(v))))-1)]
}

func (s sample) spread() string {
	v := s.sorted()
	if len(v) < 2 {
		return ""
	}
	return s.write(v[0]) + " – " + s.write(v[len(v)-1])
}

// write gives a number three digits and a unit.
func write(u unit, v float64) string {
	if math.IsNaN(v) {
		return "–"
	}
	switch u {
	case seconds:
		return scaled(v, []step{{1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}, {1e-9, "ns"}})
	case size:
		return scaled(v, []step{{1e6, "MB"}, {1e3, "kB"}, {1, "B"}})
	case rate:
		return digits(v) + "/s"
	case share:
		return digits(100*v) + " %"
	case number:
	}
	return digits(v)
}

type step struct {
	size float64
	name string
}

func scaled(v float64, steps []step) string {
	for _, s := range steps {
		if math.Abs(v) >= s.size {
			return digits(v/s.size) + " " + s.name
		}
	}
	if v == 0 {
		return "0 " + steps[len(steps)-1].name
	}
	s := steps[len(steps)-1]
	return digits(v/s.size) + " " + s.name
}

// digits writes three significant digits, and all of a number past 1,000.
func digits(v float64) string {
	a := math.Abs(v)
	switch {
	case a == 0:
		return "0"
	case a >= 1000:
		text := strconv.FormatFloat(math.Round(v), 'f', 0, 64)
		for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
			text = text[:i] + "," + text[i:]
		}
		return text
	case a >= 100:
		return fmt.Sprintf("%.0f", v)
	case a >= 10:
		return fmt.Sprintf("%.1f", v)
	case a >= 0.01:
		return fmt.Sprintf("%.2f", v)
	}
	return fmt.Sprintf("%.1g", v)
}
