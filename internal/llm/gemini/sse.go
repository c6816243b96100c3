package gemini

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// longest is the longest event in bytes; pictures make long ones.
const longest = 64 << 20

var errLong = errors.New("an event is longer than 64 MiB")

// events reads the data of server-sent events
// (https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream). An event that the stream
// does not finish is none.
type events struct {
	r    *bufio.Reader
	data []byte
	line []byte
}

func newEvents(r io.Reader) *events { return &events{r: bufio.NewReaderSize(r, 32<<10)} }

// next is the next event's data, valid until the next call; io.EOF after the last.
func (e *events) next() ([]byte, error) {
	e.data = e.data[:0]
	for {
		line, err := e.read()
		if err != nil {
			return nil, err
		}
		if len(line) == 0 {
			if len(e.data) > 0 {
				return e.data[:len(e.data)-1], nil
			}
			continue
		}
		value, ok := bytes.CutPrefix(line, []byte("data:"))
		if !ok {
			continue
		}
		value, _ = bytes.CutPrefix(value, []byte(" "))
		if len(e.data)+len(value) > longest {
			return nil, errLong
		}
		e.data = append(append(e.data, value...), '\n')
	}
}

// read is the next line without its end.
func (e *events) read() ([]byte, error) {
	e.line = e.line[:0]
	for {
		piece, err := e.r.ReadSlice('\n')
		e.line = append(e.line, piece...)
		switch {
		case err == nil:
			return bytes.TrimSuffix(e.line[:len(e.line)-1], []byte("\r")), nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		case len(e.line) > longest:
			return nil, errLong
		}
	}
}
