package agent

import (
	"math"

	"parley/internal/event"
	"parley/internal/llm"
	"parley/internal/room"
	"parley/internal/transcript"
)

// contents are what the next request is made of, as sources whose sizes are in the provider's tokens.
type contents struct {
	groups  []group
	sources []room.Source
	results map[int]*transcript.Call // by source
	total   int
}

// contents returns what the next request is made of. Its work is bounded by what is sent, however long the session is.
func (r *Run) contents(s *transcript.State) (contents, error) {
	return contentsOf(s, r.setup, r.scale(s))
}

// contentsOf counts with so many of the provider's tokens to one of our estimate.
func contentsOf(s *transcript.State, setup *Setup, scale float64) (contents, error) {
	c := contents{results: map[int]*transcript.Call{}}
	groups, _, err := groupsOf(s)
	if err != nil {
		return c, err
	}
	c.groups = groups
	add := func(kind room.Kind, group, bytes, rest int) {
		size := tokens(bytes, scale)
		c.sources = append(c.sources, room.Source{Kind: kind, Group: group, Size: size, Rest: min(size, tokens(rest, scale))})
		c.total += size
	}
	add(room.System, room.Before, len(setup.System), len(setup.System))
	add(room.Tools, room.Before, setup.toolBytes(s), 0)
	if s.Summary != nil {
		plan := len(planned(s.Summary.Plan))
		add(room.Planned, room.Before, plan, plan)
		add(room.Summary, room.Before, len(recall(s.Summary))-plan, 0)
	}
	m := newMessages(s, setup)
	wish := lastSaid(groups)
	for i, g := range groups {
		if g.part == nil {
			kind := room.Said
			if i == wish {
				kind = room.Wish
			}
			n := len(g.entry.Content.Text) + piece + pictureBytes*len(g.entry.Content.Attachments)
			add(kind, i, n, n)
			continue
		}
		said := saidBytes(g.part)
		add(room.Said, i, said, said)
		for k, share := range setup.shares(g.part.Calls) {
			call := g.part.Calls[k]
			size, rest := m.resultBytes(call, share)
			c.results[len(c.sources)] = call
			add(room.Result, i, size, rest)
		}
	}
	return c, nil
}

// What is taken for a piece of a message besides its text, and for a picture: about a thousand tokens, whatever its bytes.
const (
	piece        = 16
	pictureBytes = 4000
)

// tokens is our estimate for so many bytes, four to a token, in the provider's tokens.
func tokens(bytes int, scale float64) int { return int(math.Ceil(float64(bytes) / 4 * scale)) }

// lastSaid is the group of what the user said last, or -1.
func lastSaid(groups []group) int {
	for i := len(groups) - 1; i >= 0; i-- {
		if groups[i].part == nil {
			return i
		}
	}
	return -1
}

// saidBytes is what a step sends besides its results.
func saidBytes(p *transcript.Part) int {
	n := 0
	for _, b := range p.Blocks {
		n += len(b.Text) + piece
		if b.Role == event.RoleImage {
			n += pictureBytes
		}
	}
	for _, o := range p.Opaque {
		n += len(o.Data)
	}
	for _, c := range p.Calls {
		n += len(c.Name) + len(c.Arguments) + piece
	}
	for _, text := range p.Said {
		n += len(text) + piece
	}
	return n
}

// resultBytes is what a result sends, and what is left of it when it is elided.
func (m *messages) resultBytes(c *transcript.Call, share int) (size, rest int) {
	if c.Ended == nil {
		return piece, piece
	}
	left := len(m.gone(c)) + piece
	if m.elided[c.ID] {
		return left, left
	}
	size = min(len(c.Ended.Result), share+excerptBytes) + pictureBytes*len(c.Ended.Images) + piece
	if len(c.Ended.Result) <= smallResult && c.Ended.Images == nil {
		return size, size
	}
	return size, min(size, left+nameBytes)
}

const (
	smallResult  = 512 // a result that is not worth taking out
	nameBytes    = 150 // of the file that a result is yet to be put into
	excerptBytes = 200 // that say what is left out of a result
)

// toolBytes is what the schemas of the tools send.
func (s *Setup) toolBytes(state *transcript.State) int {
	n := 0
	for _, spec := range s.active(state).Specs() {
		n += len(spec.Name) + len(spec.Description) + len(spec.Schema) + piece
	}
	return n
}

// Size is how many tokens the transcript's next request has: by the provider's last count where it answered last, with an
// estimate only of what came after it.
func Size(s *transcript.State, setup *Setup) int {
	c, err := contentsOf(s, setup, scaleOf(s, setup))
	if err != nil {
		return 0
	}
	return c.total
}

// leastScale is the least that a count is believed: no text has so many bytes for a token. A server that says less counts
// something else, such as what it had not cached.
const leastScale = 0.25

// scaleOf is how many of the provider's tokens one of our estimate is, by its last count.
func scaleOf(s *transcript.State, setup *Setup) float64 {
	u := s.Usage
	if u.ContextEstimate == 0 || u.Step.Input == 0 || s.Answered != setup.Provider+"/"+setup.ModelName {
		return 1
	}
	if scale := float64(u.Step.Input) / float64(u.ContextEstimate); scale >= leastScale {
		return scale
	}
	return 1
}

// scale is [scaleOf], or what the last overflow taught, which is newer.
func (r *Run) scale(s *transcript.State) float64 { return max(scaleOf(s, r.setup), r.taught) }

// kept is what a request is made of, for people, by kind.
func (c contents) kept() []event.BudgetSource {
	var out []event.BudgetSource
	for kind := room.System; kind <= room.Result; kind++ {
		n := 0
		for _, s := range c.sources {
			if s.Kind == kind {
				n += s.Size
			}
		}
		if n > 0 {
			out = append(out, event.BudgetSource{Name: kind.String(), Tokens: n})
		}
	}
	return out
}

// window is how many tokens the model takes: what the server said in this run where that is less than was thought.
func (r *Run) window() int {
	if r.told > 0 && (r.setup.ContextLimit <= 0 || r.told < r.setup.ContextLimit) {
		return r.told
	}
	return r.setup.ContextLimit
}

// reserve is what of the window is kept for the answer.
func (r *Run) reserve() int {
	most := r.setup.MaxOutput
	if most <= 0 {
		most = unknownOutput
	}
	return min(most, r.window()/4)
}

// unknownOutput is the answer that room is kept for where nobody says how long it may be.
const unknownOutput = 32_000

// fitAnswer asks for no longer answer than there is room for beside a request of this size: some servers refuse it, though
// it would never be so long.
func (r *Run) fitAnswer(request *llm.Request, size int) {
	window := r.window()
	if request.MaxOutput <= 0 || window <= 0 {
		return
	}
	// A hundredth is for what a server adds and we do not know of.
	request.MaxOutput = min(request.MaxOutput, max(window-window/100-size, min(r.reserve(), leastAnswer)))
}

// leastAnswer is the shortest answer that is asked for where there is room for none.
const leastAnswer = 1024
