package llm

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// maxEvent is the most bytes of one event: a picture of a model comes in one, in base64.
const maxEvent = 32 << 20

var errLong = errors.New("an event is longer than 32 MiB")

// events reads the data of server-sent events
// (https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream). Their names are not read:
// each wire says in its data what an event is. An event that the stream does not finish is none.
type events struct {
	// ping is called for each comment that says that the server is at work.
	ping func()

	r    *bufio.Reader
	line []byte // of which the reader had only a part
	data []byte
}

func newEvents(r io.Reader, ping func()) *events {
	return &events{ping: ping, r: bufio.NewReaderSize(r, 32<<10)}
}

// next is the next event's data without white space around it, never empty, and valid until the next call; io.EOF
// comes after the last.
func (e *events) next() ([]byte, error) {
	e.data = e.data[:0]
	for {
		line, err := e.readLine()
		if err != nil {
			return nil, err
		}
		if len(line) == 0 {
			if data := bytes.TrimSpace(e.data); len(data) > 0 {
				return data, nil
			}
			e.data = e.data[:0]
			continue
		}
		value, ok := bytes.CutPrefix(line, []byte("data:"))
		if !ok {
			if line[0] == ':' && alive[string(bytes.TrimSpace(line[1:]))] != "" {
				e.ping()
			}
			continue
		}
		value, _ = bytes.CutPrefix(value, []byte(" "))
		if len(e.data)+len(value) >= maxEvent {
			return nil, errLong
		}
		if len(e.data) == 0 && len(e.line) > 0 {
			// A long line is not copied: its buffer becomes the data, and the old data's buffer takes the next line.
			e.data, e.line = append(value, '\n'), e.data
			continue
		}
		e.data = append(append(e.data, value...), '\n')
	}
}

// readLine is the next line without its end, valid until the next call.
func (e *events) readLine() ([]byte, error) {
	e.line = e.line[:0]
	for {
		piece, err := e.r.ReadSlice('\n')
		if err == nil && len(e.line) == 0 {
			return trimEnd(piece), nil
		}
		e.line = append(e.line, piece...)
		switch {
		case err == nil:
			return trimEnd(e.line), nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		case len(e.line) > maxEvent:
			return nil, errLong
		}
	}
}

// trimEnd takes the end off a whole line.
func trimEnd(line []byte) []byte {
	return bytes.TrimSuffix(line[:len(line)-1], []byte("\r"))
}
