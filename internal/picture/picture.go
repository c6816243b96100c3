// Package picture makes a picture one that a model's server takes: small enough, upright, still, and in a format that it
// knows.
//
// [Fit] is a pure function of bytes. What fits comes back as it is, byte for byte, so that a prompt keeps its prefix; what
// is scaled comes out the same each time. Photographs stay JPEG; everything else stays PNG, with its transparency, as long
// as it is small enough that way.
//
// It guarantees that no picture is decoded that would have more than [MaxPixels], however small its file is, that one is
// decoded at a time, and that a JPEG whose EXIF says that it lies on its side is stood up. Of an animation the first picture
// is taken. It does not know what a server takes: that is the caller's [Limits].
package picture

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	_ "image/gif"  // decoded by its name
	_ "image/jpeg" // decoded by its name
	_ "image/png"  // decoded by its name
	"slices"
	"sync"

	_ "golang.org/x/image/webp" // decoded by its name
)

// MaxPixels is the most pixels of a picture that is decoded: at four bytes each, 256 MB.
const MaxPixels = 64_000_000

// Limits is what a server takes. 0 is no limit.
type Limits struct {
	// Types are the media types that it reads; those of [Decodable] that are not among them are converted.
	Types []string
	// Edge is the longest side in pixels.
	Edge int
	// Bytes is the size of the file.
	Bytes int
}

// ErrUnreadable is that of bytes that are no picture that can be read here.
var ErrUnreadable = errors.New("it is not a picture that can be read")

// decoding lets one picture be decoded at a time: each may take hundreds of megabytes.
var decoding sync.Mutex

// Fits tells whether a picture is within the limits as it is, and its media type, which is what the bytes say and not what
// was said of them. Nothing but the head of the file is read.
func Fits(data []byte, said string, l Limits) (mediaType string, ok bool) {
	shape, format, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		// A format that only the server reads.
		ok = slices.Contains(l.Types, said) && !slices.Contains(decodable, said)
		return said, ok && !over(len(data), l.Bytes)
	}
	mediaType = "image/" + format
	ok = slices.Contains(l.Types, mediaType) && !over(max(shape.Width, shape.Height), l.Edge) && !over(len(data), l.Bytes)
	return mediaType, ok && (format != "jpeg" || orientationOf(data) == upright)
}

// Fit is the picture within the limits, and its media type. The error says in words why there is none, without the
// picture's name.
func Fit(data []byte, said string, l Limits) (out []byte, mediaType string, err error) {
	if mediaType, ok := Fits(data, said, l); ok {
		return data, mediaType, nil
	}
	shape, format, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, "", ErrUnreadable
	}
	most := MaxPixels
	if shape.ColorModel == color.NRGBA64Model || shape.ColorModel == color.RGBA64Model {
		most /= 2 // they take eight bytes each
	}
	if shape.Width <= 0 || shape.Height <= 0 || shape.Width > most/shape.Height {
		return nil, "", fmt.Errorf("it has %d × %d pixels, the most is %d million", shape.Width, shape.Height, most/1_000_000)
	}
	decoding.Lock()
	defer decoding.Unlock()
	whole, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, "", ErrUnreadable
	}
	long := max(shape.Width, shape.Height)
	if l.Edge > 0 {
		long = min(long, l.Edge)
	}
	o := upright
	if format == "jpeg" {
		o = orientationOf(data)
	}
	return shrink(framed(whole, shape), o, format, long, l)
}

// decodable are the media types that this package reads.
var decodable = []string{"image/gif", "image/jpeg", "image/png", "image/webp"}

func over(n, most int) bool { return most > 0 && n > most }

// framed puts the first picture of an animation, which may be a part of its frame, where it belongs.
func framed(i image.Image, shape image.Config) image.Image {
	frame := image.Rect(0, 0, shape.Width, shape.Height)
	if i.Bounds() == frame {
		return i
	}
	return within{i, frame}
}

// within is a picture in a larger frame that is transparent where the picture is not.
type within struct {
	image.Image
	frame image.Rectangle
}

// Bounds is the frame.
func (w within) Bounds() image.Rectangle { return w.frame }

// At is the picture's, or nothing beside it.
func (w within) At(x, y int) color.Color {
	if !image.Pt(x, y).In(w.Image.Bounds()) {
		return color.Transparent
	}
	return w.Image.At(x, y)
}
