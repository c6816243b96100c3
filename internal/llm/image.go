package llm

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"sync"

	"parley/internal/picture"
)

// ImageLimits are the limits of a wire, or of a model, for pictures; 0 where none is known.
type ImageLimits struct {
	// Absent says that it takes no pictures.
	Absent bool
	// Types are the media types that it reads. What is of another is converted.
	Types []string
	// Edge is the longest side in pixels, Bytes the size of a file. What is larger is scaled.
	Edge, Bytes int
	// Number is how many one request may hold, and Total the size of their files together. Of more the oldest are left
	// out.
	Number, Total int
}

// within are the limits of both.
func (l ImageLimits) within(other ImageLimits) ImageLimits {
	least := func(a, b int) int {
		if a == 0 || b > 0 && b < a {
			return b
		}
		return a
	}
	l.Absent = l.Absent || other.Absent
	if other.Types != nil {
		l.Types = other.Types
	}
	l.Edge, l.Bytes = least(l.Edge, other.Edge), least(l.Bytes, other.Bytes)
	l.Number, l.Total = least(l.Number, other.Number), least(l.Total, other.Total)
	return l
}

// Picture is one of a request's pictures.
type Picture struct {
	// Index counts them from 0, in the order of the messages and of the pictures in each: those of a result where the
	// result stands.
	Index int
	// SHA256 is that of its bytes as the request had them, in hexadecimal digits.
	SHA256 string
}

// fitted is a request with pictures that its wire and its model take.
type fitted struct {
	Request
	attached []attached
}

// attached is a picture that is sent, and which of the request's it is.
type attached struct {
	index    int
	original []byte
	sent     []byte
}

func (s attached) picture() Picture {
	sum := sha256.Sum256(s.original)
	return Picture{Index: s.index, SHA256: hex.EncodeToString(sum[:])}
}

// fitted scales the pictures of a request, and leaves out what the limits have no room for, with a word in its place. The
// messages of the request are not touched.
func (r Request) fitted(wire ImageLimits) fitted {
	f := fitter{limits: wire.within(r.Images)}
	if f.images(r.Messages); len(f.all) == 0 {
		return fitted{Request: r}
	}
	f.drop()
	messages := slices.Clone(r.Messages)
	at := 0
	for i, m := range messages {
		messages[i].Parts, at = f.replace(m.Role, m.Parts, at)
	}
	r.Messages = messages
	return fitted{r, f.attached()}
}

// fitter makes the pictures of a request fit.
type fitter struct {
	limits ImageLimits
	all    []fit
}

// fit is a picture and what becomes of it: an image, or a word that says why it is left out.
type fit struct {
	from Image
	to   Image
	word string
}

func (f *fitter) images(messages []Message) {
	for _, m := range messages {
		for _, c := range m.Parts {
			switch c := c.(type) {
			case Image:
				f.all = append(f.all, f.one(c))
			case ToolResult:
				for _, i := range c.Images {
					f.all = append(f.all, f.one(i))
				}
			}
		}
	}
}

func (f *fitter) one(from Image) fit {
	if f.limits.Absent {
		return fit{from: from, word: "this model takes no pictures"}
	}
	to, err := scaled.fit(from, picture.Limits{Types: f.limits.Types, Edge: f.limits.Edge, Bytes: f.limits.Bytes})
	if err != nil {
		return fit{from: from, word: err.Error()}
	}
	return fit{from: from, to: to}
}

// drop leaves out the oldest pictures where there are too many. It drops several at a time where it can: each one that
// goes changes the prompt at its place, and the cache behind it is lost.
func (f *fitter) drop() {
	var sent []*fit
	total := 0
	for i := range f.all {
		if one := &f.all[i]; one.word == "" {
			sent, total = append(sent, one), total+len(one.to.Data)
		}
	}
	n := 0
	for n < len(sent) && (f.limits.Number > 0 && len(sent)-n > f.limits.Number || f.limits.Total > 0 && total > f.limits.Total) {
		total -= len(sent[n].to.Data)
		n++
	}
	const some = 16
	if n > 0 {
		n = max(n, min((n+some-1)/some*some, len(sent)*3/4))
	}
	for _, one := range sent[:n] {
		one.word = "there are too many in this conversation; later ones are shown"
	}
}

// replace is the parts of a message with its pictures fitted, and the number of the next picture. An answer's text stays as
// it is: opaque data counts in it.
func (f *fitter) replace(role Role, parts []Content, at int) ([]Content, int) {
	out := make([]Content, 0, len(parts))
	for _, c := range parts {
		switch c := c.(type) {
		case Image:
			switch one := f.all[at]; {
			case one.word == "":
				out = append(out, one.to)
			case role != Assistant:
				out = append(out, Text{leftOut(one.word)})
			}
			at++
		case ToolResult:
			var images []Image
			for range c.Images {
				if one := f.all[at]; one.word == "" {
					images = append(images, one.to)
				} else {
					if c.Text != "" {
						c.Text += "\n"
					}
					c.Text += leftOut(one.word)
				}
				at++
			}
			c.Images = images
			out = append(out, c)
		default:
			out = append(out, c)
		}
	}
	return out, at
}

func leftOut(word string) string { return fmt.Sprintf("[a picture is left out here: %s]", word) }

func (f *fitter) attached() (out []attached) {
	for i, one := range f.all {
		if one.word == "" {
			out = append(out, attached{i, one.from.Data, one.to.Data})
		}
	}
	return out
}

// scaled keeps what was scaled: a conversation sends its pictures with every step.
var scaled = &album{most: 32 << 20}

// album keeps scaled pictures, the last used the longest, up to a size.
type album struct {
	most int

	mu    sync.Mutex
	size  int
	pages []page
}

type page struct {
	sum [sha256.Size]byte
	fit fit
	err error
}

// fit is the picture within the limits.
func (a *album) fit(from Image, l picture.Limits) (Image, error) {
	if kind, ok := picture.Fits(from.Data, from.MediaType, l); ok {
		return Image{kind, from.Data}, nil
	}
	h := sha256.New()
	fmt.Fprintf(h, "%v %s ", l, from.MediaType)
	h.Write(from.Data)
	sum := [sha256.Size]byte(h.Sum(nil))
	if p, ok := a.find(sum); ok {
		return p.fit.to, p.err
	}
	p := page{sum: sum}
	p.fit.to.Data, p.fit.to.MediaType, p.err = picture.Fit(from.Data, from.MediaType, l)
	a.keep(p)
	return p.fit.to, p.err
}

func (a *album) find(sum [sha256.Size]byte) (page, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	i := slices.IndexFunc(a.pages, func(p page) bool { return p.sum == sum })
	if i < 0 {
		return page{}, false
	}
	p := a.pages[i]
	a.pages = append(slices.Delete(a.pages, i, i+1), p)
	return p, true
}

func (a *album) keep(p page) {
	const each = 256 // bytes that a page takes besides its picture
	a.mu.Lock()
	defer a.mu.Unlock()
	a.pages = append(a.pages, p)
	a.size += len(p.fit.to.Data) + each
	for a.size > a.most && len(a.pages) > 1 {
		a.size -= len(a.pages[0].fit.to.Data) + each
		a.pages = slices.Delete(a.pages, 0, 1)
	}
}
