package picture_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley/internal/picture"
)

var usual = picture.Limits{Types: []string{"image/png", "image/jpeg", "image/webp"}, Edge: 100, Bytes: 100_000}

func asPNG(t testing.TB, i image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, i); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func asJPEG(t testing.TB, i image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, i, nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// plain is a picture of one colour with a red corner at the upper left.
func plain(w, h int, c color.Color) *image.NRGBA {
	i := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			i.Set(x, y, c)
			if x < w/4 && y < h/4 {
				i.Set(x, y, color.NRGBA{255, 0, 0, 255})
			}
		}
	}
	return i
}

func fit(t *testing.T, data []byte, said string, l picture.Limits) (image.Image, string, []byte) {
	t.Helper()
	out, kind, err := picture.Fit(data, said, l)
	if err != nil {
		t.Fatal(err)
	}
	i, format, err := image.Decode(bytes.NewReader(out))
	if err != nil || "image/"+format != kind {
		t.Fatalf("%v: %s that is said to be %s", err, format, kind)
	}
	return i, kind, out
}

// What fits comes back byte for byte; its type is what the bytes say.
func TestFitsAlready(t *testing.T) {
	data := asPNG(t, plain(100, 50, color.White))
	for _, said := range []string{"image/png", "image/jpeg", ""} {
		out, kind, err := picture.Fit(data, said, usual)
		if err != nil || kind != "image/png" || !bytes.Equal(out, data) {
			t.Errorf("%q: %s, %v, changed %v", said, kind, err, !bytes.Equal(out, data))
		}
	}
	if out, kind, err := picture.Fit(data, "image/png", picture.Limits{Types: usual.Types}); err != nil || kind != "image/png" || !bytes.Equal(out, data) {
		t.Errorf("without limits: %s, %v", kind, err)
	}
}

// Too many pixels are scaled, with the corners where they were, and the same each time.
func TestScaled(t *testing.T) {
	for _, size := range [][4]int{{400, 200, 100, 50}, {200, 400, 50, 100}, {1000, 3, 100, 1}, {101, 101, 100, 100}} {
		data := asPNG(t, plain(size[0], size[1], color.NRGBA{0, 0, 255, 255}))
		i, kind, out := fit(t, data, "image/png", usual)
		if b := i.Bounds(); b.Dx() != size[2] || b.Dy() != size[3] || kind != "image/png" {
			t.Errorf("%v: %v, %s", size, b, kind)
		}
		if r, _, b, _ := i.At(i.Bounds().Dx()-1, i.Bounds().Dy()-1).RGBA(); r != 0 || b != 0xffff {
			t.Errorf("%v: the far corner is %v", size, i.At(i.Bounds().Dx()-1, i.Bounds().Dy()-1))
		}
		if _, _, again := fit(t, data, "image/png", usual); !bytes.Equal(out, again) {
			t.Errorf("%v: not the same twice", size)
		}
	}
}

// What is transparent stays so, also at the edge of what is not: no dark rim.
func TestTransparent(t *testing.T) {
	i := image.NewNRGBA(image.Rect(0, 0, 300, 300))
	for y := range 300 {
		for x := range 151 {
			i.Set(x, y, color.NRGBA{255, 255, 255, 255})
		}
	}
	got, kind, _ := fit(t, asPNG(t, i), "image/png", usual)
	if kind != "image/png" {
		t.Fatal(kind)
	}
	for x, want := range map[int]color.NRGBA{10: {255, 255, 255, 255}, 50: {255, 255, 255, 85}, 90: {}} {
		if c := color.NRGBAModel.Convert(got.At(x, 50)); c != want {
			t.Errorf("at %d: %v, want %v", x, c, want)
		}
	}
	// A server that reads JPEG alone gets it on white.
	l := usual
	l.Types = []string{"image/jpeg"}
	got, _, _ = fit(t, asPNG(t, i), "image/png", l)
	if r, g, b, _ := got.At(90, 50).RGBA(); r < 0xf000 || g < 0xf000 || b < 0xf000 {
		t.Errorf("on %v", got.At(90, 50))
	}
}

// A file that is too large gets smaller: a JPEG first by its quality, then by its size; what has no place for less is an error.
func TestBytes(t *testing.T) {
	noise := image.NewNRGBA(image.Rect(0, 0, 90, 90))
	r := rand.New(rand.NewPCG(1, 2))
	for i := range noise.Pix {
		noise.Pix[i] = byte(r.Uint32()) | 1
	}
	opaque := image.NewNRGBA(noise.Rect)
	copy(opaque.Pix, noise.Pix)
	for i := 3; i < len(opaque.Pix); i += 4 {
		opaque.Pix[i] = 255
	}
	l := usual
	l.Bytes = 6_000
	for name, data := range map[string][]byte{"opaque": asPNG(t, opaque), "photograph": asJPEG(t, opaque)} {
		i, kind, out := fit(t, data, "", l)
		if len(out) > l.Bytes || kind != "image/jpeg" || i.Bounds().Dx() != 90 {
			t.Errorf("%s: %d bytes, %s, %v", name, len(out), kind, i.Bounds())
		}
	}
	l.Bytes = 20_000
	if i, kind, out := fit(t, asPNG(t, noise), "", l); len(out) > l.Bytes || kind != "image/png" || i.Bounds().Dx() >= 90 {
		t.Errorf("with transparency: %d bytes, %s, %v", len(out), kind, i.Bounds())
	}
	l.Bytes = 50
	if _, _, err := picture.Fit(asPNG(t, noise), "", l); err == nil || !strings.Contains(err.Error(), "smaller than 50 bytes") {
		t.Errorf("%v", err)
	}
}

// Of an animation the first picture is taken, at its place.
func TestAnimation(t *testing.T) {
	palette := color.Palette{color.NRGBA{0, 255, 0, 255}, color.NRGBA{255, 0, 0, 255}, color.Transparent}
	first := image.NewPaletted(image.Rect(10, 10, 20, 20), palette)
	second := image.NewPaletted(image.Rect(0, 0, 40, 40), palette)
	for i := range first.Pix {
		first.Pix[i] = 1
	}
	var b bytes.Buffer
	err := gif.EncodeAll(&b, &gif.GIF{Image: []*image.Paletted{first, second}, Delay: []int{1, 1}, Config: image.Config{ColorModel: palette, Width: 40, Height: 40}})
	if err != nil {
		t.Fatal(err)
	}
	i, kind, _ := fit(t, b.Bytes(), "image/gif", usual)
	if kind != "image/png" || i.Bounds().Dx() != 40 {
		t.Errorf("%s %v", kind, i.Bounds())
	}
	for at, want := range map[int]color.NRGBA{15: {255, 0, 0, 255}, 30: {}} {
		if c := color.NRGBAModel.Convert(i.At(at, at)); c != want {
			t.Errorf("at %d: %v, want %v", at, c, want)
		}
	}
}

// withEXIF is a JPEG whose camera was held that way.
func withEXIF(jpeg []byte, order binary.ByteOrder, orientation uint16) []byte {
	tiff := []byte("MM\x00*")
	if order == binary.LittleEndian {
		tiff = []byte("II*\x00")
	}
	tiff = order.(binary.AppendByteOrder).AppendUint32(tiff, 8)
	tiff = order.(binary.AppendByteOrder).AppendUint16(tiff, 1)
	for _, v := range []uint16{0x0112, 3} {
		tiff = order.(binary.AppendByteOrder).AppendUint16(tiff, v)
	}
	tiff = order.(binary.AppendByteOrder).AppendUint32(tiff, 1)
	tiff = order.(binary.AppendByteOrder).AppendUint16(tiff, orientation)
	tiff = append(tiff, 0, 0, 0, 0, 0, 0)
	segment := append([]byte("Exif\x00\x00"), tiff...)
	out := append([]byte{0xff, 0xd8, 0xff, 0xe1}, byte((len(segment)+2)>>8), byte(len(segment)+2))
	return append(append(out, segment...), jpeg[2:]...)
}

// A photograph is stood up, whatever way its camera was held, small or large: the red corner comes to the upper left.
func TestOrientation(t *testing.T) {
	upright := plain(40, 24, color.NRGBA{0, 0, 255, 255})
	// held is the upright picture as a camera wrote it: the inverse of what EXIF says has to be done.
	held := map[uint16]func(x, y, w, h int) (int, int){
		1: func(x, y, _, _ int) (int, int) { return x, y }, 2: func(x, y, w, _ int) (int, int) { return w - 1 - x, y },
		3: func(x, y, w, h int) (int, int) { return w - 1 - x, h - 1 - y }, 4: func(x, y, _, h int) (int, int) { return x, h - 1 - y },
		5: func(x, y, _, _ int) (int, int) { return y, x }, 6: func(x, y, w, h int) (int, int) { return y, w - 1 - x },
		7: func(x, y, w, h int) (int, int) { return h - 1 - y, w - 1 - x }, 8: func(x, y, w, h int) (int, int) { return h - 1 - y, x },
	}
	for o, to := range held {
		w, h := 40, 24
		size := image.Rect(0, 0, w, h)
		if o >= 5 {
			size = image.Rect(0, 0, h, w)
		}
		file := image.NewNRGBA(size)
		for y := range h {
			for x := range w {
				fx, fy := to(x, y, w, h)
				file.Set(fx, fy, upright.At(x, y))
			}
		}
		for _, order := range []binary.ByteOrder{binary.BigEndian, binary.LittleEndian} {
			data := withEXIF(asJPEG(t, file), order, o)
			for _, edge := range []int{100, 20} {
				l := usual
				l.Edge = edge
				i, _, out := fit(t, data, "image/jpeg", l)
				b := i.Bounds()
				if edge == 100 && (b.Dx() != 40 || b.Dy() != 24) || edge == 20 && (b.Dx() != 20 || b.Dy() != 12) {
					t.Errorf("%d at %d: %v", o, edge, b)
					continue
				}
				if o == 1 && edge == 100 && !bytes.Equal(out, data) {
					t.Error("one that is upright was written anew")
				}
				corner := func(x, y int) bool { r, _, b, _ := i.At(x, y).RGBA(); return r > b }
				if !corner(1, 1) || corner(b.Dx()-2, 1) || corner(1, b.Dy()-2) || corner(b.Dx()-2, b.Dy()-2) {
					t.Errorf("%d at %d: the red corner is elsewhere", o, edge)
				}
			}
		}
	}
}

// header is a PNG that says its size and holds next to nothing.
func header(w, h uint32, depth byte) []byte {
	chunk := func(name string, data []byte) []byte {
		out := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
		body := append([]byte(name), data...)
		return binary.BigEndian.AppendUint32(append(out, body...), crc32.ChecksumIEEE(body))
	}
	shape := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, w), h)
	return append([]byte("\x89PNG\r\n\x1a\n"), append(chunk("IHDR", append(shape, depth, 6, 0, 0, 0)), chunk("IDAT", nil)...)...)
}

// A small file that says it is huge is refused before its pixels are made.
func TestBomb(t *testing.T) {
	for _, data := range [][]byte{header(30_000, 30_000, 8), header(1<<15, 1<<15, 8), header(8_000, 8_000, 16)} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _, err := picture.Fit(data, "image/png", usual)
		runtime.ReadMemStats(&after)
		if err == nil || !strings.Contains(err.Error(), "pixels, the most is") {
			t.Errorf("%v", err)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > 1<<20 {
			t.Errorf("%d bytes were allocated", used)
		}
	}
}

// What is no picture is said to be none; a format that only the server reads goes as it is.
func TestUnreadable(t *testing.T) {
	l := usual
	l.Types = append([]string{"image/heic"}, usual.Types...)
	cut := asPNG(t, plain(400, 400, color.White))
	for name, c := range map[string]struct {
		data []byte
		said string
	}{
		"nothing": {nil, "image/png"}, "text": {[]byte("hello"), "image/png"}, "cut": {cut[:len(cut)/2], "image/png"},
		"a large one that we cannot scale": {make([]byte, 200_000), "image/heic"}, "a format that nobody reads": {[]byte("x"), "image/tiff"},
	} {
		if _, _, err := picture.Fit(c.data, c.said, l); !errors.Is(err, picture.ErrUnreadable) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if out, kind, err := picture.Fit([]byte("heic"), "image/heic", l); string(out) != "heic" || kind != "image/heic" || err != nil {
		t.Errorf("%q %s %v", out, kind, err)
	}
}

// webp is a picture of one pixel.
const webp = "UklGRiQAAABXRUJQVlA4IBgAAAAwAQCdASoBAAEAAgA0JaQAA3AA/vuUAAA="

// A WebP is converted where a server does not read it.
func TestWebP(t *testing.T) {
	data, err := base64.StdEncoding.DecodeString(webp)
	if err != nil {
		t.Fatal(err)
	}
	l := usual
	l.Types = []string{"image/png"}
	if _, kind, _ := fit(t, data, "image/webp", l); kind != "image/png" {
		t.Error(kind)
	}
	if out, kind, err := picture.Fit(data, "image/webp", usual); kind != "image/webp" || !bytes.Equal(out, data) || err != nil {
		t.Errorf("%s %v", kind, err)
	}
}

// Whatever size and limit: the result is within both, keeps its shape, and is not larger than it was.
func TestWithinLimits(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w, h := rapid.IntRange(1, 300).Draw(rt, "w"), rapid.IntRange(1, 300).Draw(rt, "h")
		l := picture.Limits{Types: usual.Types, Edge: rapid.IntRange(1, 300).Draw(rt, "edge")}
		out, _, err := picture.Fit(asPNG(t, plain(w, h, color.NRGBA{9, 9, 200, 255})), "", l)
		if err != nil {
			rt.Fatal(err)
		}
		shape, _, err := image.DecodeConfig(bytes.NewReader(out))
		if err != nil || max(shape.Width, shape.Height) > max(1, l.Edge) || shape.Width > w || shape.Height > h {
			rt.Fatalf("%v: %d × %d of %d × %d within %d", err, shape.Width, shape.Height, w, h, l.Edge)
		}
	})
}

// FuzzFit holds any bytes: they are a picture within the limits, or none.
func FuzzFit(f *testing.F) {
	f.Add([]byte("x"), "image/png")
	f.Add(asPNG(f, plain(120, 10, color.Black)), "image/png")
	f.Add(withEXIF(asJPEG(f, plain(12, 10, color.Black)), binary.LittleEndian, 6), "image/jpeg")
	f.Add(header(70, 70, 8), "")
	f.Fuzz(func(t *testing.T, data []byte, said string) {
		out, kind, err := picture.Fit(data, said, usual)
		if err != nil {
			return
		}
		shape, format, err := image.DecodeConfig(bytes.NewReader(out))
		if err != nil || "image/"+format != kind || max(shape.Width, shape.Height) > usual.Edge || len(out) > usual.Bytes {
			t.Errorf("%v: %s %d × %d, %d bytes, said to be %s", err, format, shape.Width, shape.Height, len(out), kind)
		}
	})
}

func BenchmarkScreenshot(b *testing.B) {
	data := asPNG(b, plain(9000, 2000, color.White))
	l := picture.Limits{Types: usual.Types, Edge: 2000, Bytes: 3_900_000}
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := picture.Fit(data, "image/png", l); err != nil {
			b.Fatal(err)
		}
	}
}
