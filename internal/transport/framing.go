package transport

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
)

// A Framing says where a frame begins and ends on a byte stream.
type Framing interface {
	// Append appends a frame to b as it goes over the stream.
	Append(b, frame []byte) []byte

	// Next reads the next frame. The error is as that of Conn.ReadFrame. skip
	// is what an earlier call returned: work that is left of a frame over the
	// limit.
	Next(r *bufio.Reader, skip int64) (frame []byte, left int64, err error)
}

// Lines are frames that end with LF. A CR before it is not part of the frame; an
// empty line is an empty frame.
type Lines struct {
	Max  int  // bytes of a line; 0: MaxFrame
	Tail bool // the last line counts also where it has no LF
}

// Append appends the frame and LF.
func (l Lines) Append(b, frame []byte) []byte { return append(append(b, frame...), '\n') }

const toLineEnd = -1

// Next reads a line.
func (l Lines) Next(r *bufio.Reader, skip int64) ([]byte, int64, error) {
	if skip == toLineEnd {
		if err := discardLine(r); err != nil {
			return nil, 0, err
		}
	}
	return l.line(r)
}

func (l Lines) line(r *bufio.Reader) (line []byte, left int64, err error) {
	limit := l.Max
	if limit == 0 {
		limit = MaxFrame
	}
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case err == nil:
			line = trim(line)
			if len(line) > limit {
				return nil, 0, &LimitError{limit}
			}
			return line, 0, nil
		case err == bufio.ErrBufferFull && len(line) > limit+1: // one may be the CR
			return nil, toLineEnd, &LimitError{limit}
		case err == bufio.ErrBufferFull:
		case err == io.EOF && l.Tail && len(line) > 0:
			if line = trim(line); len(line) > limit {
				return nil, 0, &LimitError{limit}
			}
			return line, 0, nil
		default:
			return nil, 0, err
		}
	}
}

func trim(line []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
}

func discardLine(r *bufio.Reader) error {
	for {
		switch _, err := r.ReadSlice('\n'); err {
		case bufio.ErrBufferFull:
		default:
			return err
		}
	}
}

// Length are frames behind their length, four bytes, big-endian.
type Length struct {
	Max int // bytes of a frame; 0: MaxFrame
}

// Append appends the length and the frame.
func (l Length) Append(b, frame []byte) []byte {
	return append(binary.BigEndian.AppendUint32(b, uint32(len(frame))), frame...)
}

// Next reads a length and its frame. A stream that ends inside a frame is
// io.ErrUnexpectedEOF.
func (l Length) Next(r *bufio.Reader, skip int64) ([]byte, int64, error) {
	limit := l.Max
	if limit == 0 {
		limit = MaxFrame
	}
	if n, err := io.CopyN(io.Discard, r, skip); err != nil {
		return nil, skip - n, err
	}
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, 0, err
	}
	n := binary.BigEndian.Uint32(head[:])
	if int64(n) > int64(limit) {
		return nil, int64(n), &LimitError{limit}
	}
	// A length is only a claim: what is allocated grows with what has come.
	frame, err := io.ReadAll(io.LimitReader(r, int64(n)))
	if err == nil && len(frame) < int(n) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, 0, err
	}
	return frame, 0, nil
}
