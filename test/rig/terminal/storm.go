package terminal

import "math/rand/v2"

// A Storm is how sizes change while a program writes.
type Storm []Move

// A Move begins when the program has come to a line of its fixture, at some moment
// around the bytes of it.
type Move struct {
	At    int     `json:"at"`    // the number of the line
	Where string  `json:"where"` // before the bytes are taken in, after they are queued, inside, or later
	Cut   float64 `json:"cut"`   // inside: how much of them is before
	Wait  int     `json:"wait"`  // later: how many ms
	Steps []Step  `json:"steps"`
}

// A Step is one change of size. The terminal changes first, or the program is
// told first.
type Step struct {
	Size [2]int `json:"size"`
	Told bool   `json:"told"` // first
	Late int    `json:"late"` // ms until the other one
	Gap  int    `json:"gap"`  // ms until the next step
}

// stations are sizes that have each broken something somewhere: a shrink of both
// sides at once, of the height to ten rows, and back, and half the width.
var stations = [][2]int{{50, 24}, {110, 30}, {60, 12}, {160, 40}, {80, 10}, {80, 40}, {44, 40}, {100, 24}}

// Widths are those that a screen has between the moves of a storm.
func Widths() []int {
	widths := []int{80}
	for _, s := range stations {
		widths = append(widths, s[0])
	}
	return widths
}

// NewStorm makes moves over a fixture of n lines: to each station and somewhere
// else in between, at one stroke or dragged there by hand.
func NewStorm(random *rand.Rand, n int) Storm {
	var out Storm
	at := [2]int{80, 24}
	to := func(size [2]int, steps int) {
		m := Move{
			At:    (len(out) + 1) * n / (2 * len(stations)),
			Where: []string{"before", "after", "inside", "later"}[random.IntN(4)], Cut: random.Float64(), Wait: random.IntN(20),
		}
		for i := range steps {
			// Where the hand goes is told exactly; how fast it goes is not.
			size := [2]int{at[0] + (size[0]-at[0])*(i+1)/steps, at[1] + (size[1]-at[1])*(i+1)/steps}
			m.Steps = append(m.Steps, Step{Size: size, Told: random.IntN(3) == 0, Late: max(0, random.IntN(24)-12), Gap: random.IntN(16)})
		}
		at = size
		out = append(out, m)
	}
	for i, s := range stations {
		to(s, 1)
		if i%3 == 0 {
			to([2]int{40 + random.IntN(121), 10 + random.IntN(36)}, 6+random.IntN(10))
		}
	}
	to([2]int{80, 24}, 1)
	return out
}

// NewAlternatingStorm makes moves over a fixture of n lines: to a high and narrow screen, whose
// live rows are as many as there ever are, and on to one of ten rows, which the
// program hears of late. Tmux tells of a second change a quarter of a second after
// the first, whoever asks.
func NewAlternatingStorm(random *rand.Rand, n int) Storm {
	const strokes = 20
	var out Storm
	for i := range strokes {
		width := 40 + random.IntN(30)
		high, low := [2]int{width, 20 + random.IntN(21)}, [2]int{width + random.IntN(3)*20, 10}
		out = append(out, Move{At: (i + 1) * n / (strokes + 1), Where: "after", Steps: []Step{
			{Size: high, Gap: 5 + random.IntN(40)}, {Size: low, Late: 250},
		}})
	}
	return out
}

// Count is how many changes of size there are.
func (s Storm) Count() int {
	n := 0
	for _, m := range s {
		n += len(m.Steps)
	}
	return n
}
