package picture

import (
	"image"
	"image/draw"
)

// scaled is a picture with its longest side cut to so many pixels: each pixel is the mean of those it stands for. The
// source is read a strip at a time, so that only its decoded form is in memory whole; the filters of golang.org/x/image
// keep 32 bytes for each of its rows' pixels.
func scaled(from image.Image, long int) *image.RGBA {
	b := from.Bounds()
	w, h := b.Dx(), b.Dy()
	if m := max(w, h); m > long {
		w, h = max(1, w*long/m), max(1, h*long/m)
	}
	to := image.NewRGBA(image.Rect(0, 0, w, h))
	if w == b.Dx() && h == b.Dy() {
		draw.Draw(to, to.Rect, from, b.Min, draw.Src)
		return to
	}
	columns := spans(b.Dx(), w)
	sums := make([]uint64, 4*w)
	pixels := image.NewRGBA(image.Rect(0, 0, b.Dx(), b.Dy()/h+1))
	for y, rows := range spans(b.Dy(), h) {
		strip := pixels.SubImage(image.Rect(0, 0, b.Dx(), rows.to-rows.from)).(*image.RGBA)
		draw.Draw(strip, strip.Rect, from, image.Pt(b.Min.X, b.Min.Y+rows.from), draw.Src)
		clear(sums)
		for row := range strip.Rect.Dy() {
			add(sums, strip.Pix[row*strip.Stride:], columns)
		}
		line := to.Pix[y*to.Stride:]
		for x, c := range columns {
			n := uint64((c.to - c.from) * (rows.to - rows.from))
			for i := range 4 {
				line[4*x+i] = byte((sums[4*x+i] + n/2) / n)
			}
		}
	}
	return to
}

// span is the source pixels of one side that a pixel stands for.
type span struct{ from, to int }

func spans(from, to int) []span {
	out := make([]span, to)
	for i := range out {
		out[i] = span{i * from / to, max(i*from/to+1, (i+1)*from/to)}
	}
	return out
}

// add adds a row's pixels to the sums of their columns.
func add(sums []uint64, row []byte, columns []span) {
	for x, c := range columns {
		var r, g, b, a uint64
		for p := 4 * c.from; p < 4*c.to; p += 4 {
			r += uint64(row[p])
			g += uint64(row[p+1])
			b += uint64(row[p+2])
			a += uint64(row[p+3])
		}
		s := sums[4*x : 4*x+4]
		s[0] += r
		s[1] += g
		s[2] += b
		s[3] += a
	}
}
