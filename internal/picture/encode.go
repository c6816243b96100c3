package picture

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
	"slices"
)

// smallest is the longest side below which a picture is not worth sending.
const smallest = 64

// qualities are those of a JPEG, from the best; below the last, a smaller picture shows more.
var qualities = []int{85, 70, 50}

// shrink scales a picture until its file is small enough.
func shrink(from image.Image, o orientation, format string, long int, l Limits) ([]byte, string, error) {
	for least := min(smallest, long); long >= least; long = long * 3 / 4 {
		to := turned(scaled(from, long), o)
		for _, try := range attempts(to, format, l.Types) {
			out, err := try.encode(to)
			if err != nil {
				return nil, "", fmt.Errorf("it cannot be written anew: %w", err)
			}
			if !over(len(out), l.Bytes) {
				return out, try.mediaType, nil
			}
		}
	}
	return nil, "", fmt.Errorf("it does not get smaller than %d bytes", l.Bytes)
}

// attempt is one way to write a picture.
type attempt struct {
	mediaType string
	quality   int
}

// attempts are the ways to write a picture, the one that shows most first. A server that reads neither format, if there
// is one, gets a PNG.
func attempts(i *image.RGBA, format string, types []string) (out []attempt) {
	asPNG := slices.Contains(types, "image/png") || !slices.Contains(types, "image/jpeg")
	if asPNG && format != "jpeg" {
		out = append(out, attempt{mediaType: "image/png"})
	}
	if slices.Contains(types, "image/jpeg") && (i.Opaque() || !asPNG) {
		for _, q := range qualities {
			out = append(out, attempt{"image/jpeg", q})
		}
	}
	if len(out) == 0 {
		out = append(out, attempt{mediaType: "image/png"})
	}
	return out
}

func (a attempt) encode(i *image.RGBA) ([]byte, error) {
	var out bytes.Buffer
	if a.mediaType == "image/png" {
		err := png.Encode(&out, i)
		return out.Bytes(), err
	}
	if !i.Opaque() {
		white := image.NewRGBA(i.Rect)
		draw.Draw(white, white.Rect, image.NewUniform(color.White), image.Point{}, draw.Src)
		draw.Draw(white, white.Rect, i, i.Rect.Min, draw.Over)
		i = white
	}
	err := jpeg.Encode(&out, i, &jpeg.Options{Quality: a.quality})
	return out.Bytes(), err
}
