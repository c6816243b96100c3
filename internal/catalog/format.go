package catalog

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// The data file:
//
//	# comments
//	parley-catalog 1
//	package NAME VERSION
//	integrity sha512-…
//	licence MIT
//	dated 2026-11-10
//	tools yes
//	images a EDGE BYTES NUMBER REQUEST           a class of limits for pictures; 0 is not known
//	models N
//	provider NAME WIRE BASE-URL
//	NAME CONTEXT OUTPUT THINKING IMAGES PRICE [ABOVE PRICE]…      separated by tabs, in order of the names
//	end N
//
// THINKING is as [Thinking.String] writes it, IMAGES the letter of a class, or - for none, and PRICE the dollars for a
// million tokens of input, output, cached input and input written to the cache, or - where no price is known.
const version = "parley-catalog 1"

// A Section is the models of one provider behind one address, to be written.
type Section struct {
	Provider, Wire, Base string
	Models               []Model
}

// Encode writes a data file. Sections and their models are in the order that [Catalog.Check] asks for.
func Encode(comment string, h Header, sections []Section) string {
	var b strings.Builder
	for line := range strings.Lines(comment) {
		b.WriteString("# " + line)
	}
	fmt.Fprintf(&b, "\n%s\npackage %s %s\nintegrity %s\nlicence %s\ndated %s\ntools %s\n", version, h.Package, h.Version,
		h.Integrity, h.Licence, h.Dated.Format(time.DateOnly), map[Answer]string{Unknown: "-", Yes: "yes", No: "no"}[h.Tools])
	for i, c := range h.Images {
		fmt.Fprintf(&b, "images %c %d %d %d %d\n", 'a'+i, c.Edge, c.Bytes, c.Number, c.Request)
	}
	fmt.Fprintf(&b, "models %d\n", h.Count)
	for _, s := range sections {
		fmt.Fprintf(&b, "provider %s %s %s\n", s.Provider, s.Wire, s.Base)
		for _, m := range s.Models {
			b.WriteString(h.line(m))
		}
	}
	fmt.Fprintf(&b, "end %d\n", h.Count)
	return b.String()
}

func (h Header) line(m Model) string {
	images := "-"
	for i, c := range h.Images {
		if m.Images.Taken == Yes && c == m.Images {
			images = string(rune('a' + i))
		}
	}
	line := fmt.Sprintf("%s\t%d\t%d\t%s\t%s\t%s", m.Name, m.Context, m.Output, m.Thinking, images, m.Price.Rates)
	for _, t := range m.Price.Tiers {
		line += fmt.Sprintf("\t%d\t%s", t.Above, t.Rates)
	}
	return line + "\n"
}

// String is the four rates, or "-" where the first two are not known.
func (r Rates) String() string {
	if !r.Input.known && !r.Output.known {
		return "-"
	}
	return fmt.Sprintf("%s %s %s %s", r.Input, r.Output, r.CachedRead, r.CachedWrite)
}

func parseHeader(text string) (Header, error) {
	var h Header
	known := false
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if !known {
			if line != version {
				return h, fmt.Errorf("it does not begin with %q", version)
			}
			known = true
			continue
		}
		if err := h.field(line); err != nil {
			return h, fmt.Errorf("%q: %w", brief(line), err)
		}
	}
	if h.Package == "" || h.Integrity == "" || h.Licence == "" || h.Count < 1 {
		return h, fmt.Errorf("its header does not say of what package, sum, licence and size it is")
	}
	if h.Dated.Year() < 2020 || h.Dated.Year() > 2199 {
		return h, fmt.Errorf("its header does not say of which day it is")
	}
	return h, nil
}

func (h *Header) field(line string) (err error) {
	key, value, _ := strings.Cut(line, " ")
	words := strings.Fields(value)
	if len(words) == 0 {
		return fmt.Errorf("there is no value")
	}
	switch key {
	case "package":
		if h.Package, h.Version, _ = strings.Cut(value, " "); !plain(h.Package) || !plain(h.Version) {
			return fmt.Errorf("not a name and a version")
		}
	case "integrity":
		h.Integrity = value
	case "licence":
		h.Licence = value
	case "dated":
		h.Dated, err = time.Parse(time.DateOnly, value)
	case "tools":
		h.Tools = map[string]Answer{"yes": Yes, "no": No}[value]
	case "images":
		err = h.class(words)
	case "models":
		h.Count, err = number(value, 1, mostModels)
	default:
		err = fmt.Errorf("an unknown key")
	}
	return err
}

func (h *Header) class(words []string) (err error) {
	if len(words) != 5 || words[0] != string(rune('a'+len(h.Images))) || len(h.Images) > 'z'-'a' {
		return fmt.Errorf("not the next letter and four numbers")
	}
	c := Images{Taken: Yes}
	for i, n := range []*int{&c.Edge, &c.Bytes, &c.Number, &c.Request} {
		if *n, err = number(words[i+1], 0, math.MaxInt32); err != nil {
			return err
		}
	}
	h.Images = append(h.Images, c)
	return nil
}

func parseSection(text string) (section, error) {
	head, lines, _ := strings.Cut(text, "\n")
	words := strings.Split(head, " ")
	if len(words) != 3 || !plain(words[0]) || !plain(words[1]) || !plain(words[2]) || lines == "" {
		return section{}, fmt.Errorf("%q: not a provider with its wire, address and models", brief(head))
	}
	return section{words[0], words[1], words[2], lines}, nil
}

// Bounds of what a line may say: beyond them a file is taken for damaged.
const (
	mostModels = 20_000
	mostTokens = 100_000_000
	longest    = 200 // bytes of a name
)

func (c *Catalog) parseLine(provider, line string) (Model, error) {
	m := Model{Provider: provider, Tools: c.Tools}
	f := strings.Split(line, "\t")
	if len(f) < 6 || len(f)%2 != 0 {
		return m, fmt.Errorf("%s: %q: not a model's line", provider, brief(line))
	}
	m.Name = f[0]
	var err, err2 error
	m.Context, err = number(f[1], 0, mostTokens)
	m.Output, err2 = number(f[2], 0, max(m.Context, 0))
	var ok, ok2 bool
	m.Thinking, ok = parseThinking(f[3])
	m.Images, ok2 = c.class(f[4])
	if !plain(m.Name) || len(m.Name) > longest || err != nil || err2 != nil || !ok || !ok2 {
		return m, fmt.Errorf("%s: %q: it is not written as it should be, or out of bounds", provider, brief(line))
	}
	if m.Price.Rates, ok = parseRates(f[5]); !ok {
		return m, fmt.Errorf("%s/%s: its price is not one", provider, m.Name)
	}
	for above := 0; len(f) > 6; f = f[2:] {
		var t Tier
		if t.Above, err = number(f[6], above+1, mostTokens); err != nil {
			return m, fmt.Errorf("%s/%s: its tiers are not in order", provider, m.Name)
		}
		if t.Rates, ok = parseRates(f[7]); !ok || !t.Input.known {
			return m, fmt.Errorf("%s/%s: the price of a tier is not one", provider, m.Name)
		}
		above = t.Above
		m.Price.Tiers = append(m.Price.Tiers, t)
	}
	dates().apply(&m)
	return m, nil
}

func (c *Catalog) class(letter string) (Images, bool) {
	if letter == "-" {
		return Images{Taken: No}, true
	}
	if len(letter) != 1 || letter[0] < 'a' || int(letter[0]-'a') >= len(c.Images) {
		return Images{}, false
	}
	return c.Images[letter[0]-'a'], true
}

func parseRates(text string) (r Rates, ok bool) {
	if text == "-" {
		return r, true
	}
	for i, rate := range []*Rate{&r.Input, &r.Output, &r.CachedRead, &r.CachedWrite} {
		var word string
		if word, text, ok = strings.Cut(text, " "); ok == (i == 3) {
			return r, false
		}
		if *rate, ok = parseRate(word); !ok || i < 2 && !rate.known {
			return r, false
		}
	}
	return r, true
}

// parseRate reads a decimal number, exactly; "-" is a rate that is not known.
func parseRate(text string) (Rate, bool) {
	if text == "-" {
		return Rate{}, true
	}
	whole, part, _ := strings.Cut(text, ".")
	if len(part) > 6 || len(whole) > 5 {
		return Rate{}, false
	}
	micros, err := strconv.ParseUint(whole+(part + "000000")[:6], 10, 63)
	r := Rate{int64(micros), true}
	return r, err == nil && micros <= dearest*1e6 && r.String() == text
}

func number(text string, least, most int) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most || text != strconv.Itoa(n) {
		return 0, fmt.Errorf("%q is not a number from %d to %d", brief(text), least, most)
	}
	return n, nil
}

// brief is the beginning of a text that goes into an error.
func brief(text string) string { return text[:min(len(text), 60)] }
