package picture

import (
	"bytes"
	"encoding/binary"
	"image"
)

// orientation is how a camera was held, in the numbers of EXIF (CIPA DC-008, 4.6.5.1.6, tag 0x0112).
type orientation int

const upright orientation = 1

// orientationOf reads a JPEG's orientation. Whatever makes no sense is upright.
func orientationOf(data []byte) orientation {
	const start, app1, scan = 0xd8, 0xe1, 0xda
	if len(data) < 4 || data[0] != 0xff || data[1] != start {
		return upright
	}
	for at := 2; at+4 <= len(data) && data[at] == 0xff && data[at+1] != scan; {
		size := int(binary.BigEndian.Uint16(data[at+2:]))
		end := at + 2 + size
		if size < 2 || end > len(data) {
			break
		}
		if tiff, ok := bytes.CutPrefix(data[at+4:end], []byte("Exif\x00\x00")); ok && data[at+1] == app1 {
			return tagged(tiff)
		}
		at = end
	}
	return upright
}

// tagged finds the orientation in the first directory of a TIFF structure.
func tagged(tiff []byte) orientation {
	const tag, short = 0x0112, 3
	if len(tiff) < 8 {
		return upright
	}
	var order binary.ByteOrder = binary.BigEndian
	if tiff[0] == 'I' {
		order = binary.LittleEndian
	}
	at := order.Uint32(tiff[4:])
	if uint64(at)+2 > uint64(len(tiff)) {
		return upright
	}
	entries := tiff[at+2:]
	for range order.Uint16(tiff[at:]) {
		if len(entries) < 12 {
			break
		}
		if order.Uint16(entries) == tag && order.Uint16(entries[2:]) == short {
			if o := orientation(order.Uint16(entries[8:])); o > upright && o <= 8 {
				return o
			}
			break
		}
		entries = entries[12:]
	}
	return upright
}

// turned is a picture stood up.
func turned(from *image.RGBA, o orientation) *image.RGBA {
	if o == upright {
		return from
	}
	w, h := from.Rect.Dx(), from.Rect.Dy()
	size := image.Rect(0, 0, w, h)
	if o >= 5 {
		size = image.Rect(0, 0, h, w)
	}
	to := image.NewRGBA(size)
	for y := range size.Dy() {
		for x := range size.Dx() {
			sx, sy := o.source(x, y, w, h)
			copy(to.Pix[to.PixOffset(x, y):][:4], from.Pix[from.PixOffset(sx, sy):][:4])
		}
	}
	return to
}

// source is where in a picture of that size the pixel of its upright form is.
func (o orientation) source(x, y, w, h int) (int, int) {
	switch o {
	case 2:
		return w - 1 - x, y
	case 3:
		return w - 1 - x, h - 1 - y
	case 4:
		return x, h - 1 - y
	case 5:
		return y, x
	case 6:
		return y, h - 1 - x
	case 7:
		return w - 1 - y, h - 1 - x
	case 8:
		return w - 1 - y, x
	}
	return x, y
}
