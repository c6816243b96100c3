package journal

import (
	"encoding/binary"
	"encoding/json"
	"errors"

	"parley/internal/event"
	"parley/internal/transcript"
)

// A session of 100 MB has some ten thousand entries, nearly all without content
// since a compaction took it. Read as JSON they would be most of the time that
// opening takes, so those are kept in a form of their own: this byte, which
// begins no JSON, and then the fields in order, numbers as varints and strings
// after their lengths.
const bare = 1

// appendEntry appends the stored form of an entry.
func appendEntry(b []byte, e *transcript.Entry) ([]byte, error) {
	if e.Content != nil {
		data, err := json.Marshal(e)
		return append(b, data...), err
	}
	b = append(b, bare)
	for _, s := range []string{string(e.ID), string(e.Parent), e.Role, string(e.Run), string(e.Lane), e.Snippet, string(e.Reason)} {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	for _, n := range []uint64{uint64(e.Seq), uint64(e.First), uint64(e.Number), uint64(e.Answers)} {
		b = binary.AppendUvarint(b, n)
	}
	return e.Time.UTC().AppendBinary(b)
}

var errEntry = errors.New("the entry is cut")

// readEntry reads the stored form of an entry.
func readEntry(data []byte) (*transcript.Entry, error) {
	e := new(transcript.Entry)
	if len(data) == 0 || data[0] != bare {
		return e, json.Unmarshal(data, e)
	}
	_, err := readBare(e, string(data), data[1:])
	return e, err
}

// readBare reads an entry without content from data, the end of whole, and returns
// the rest. The strings of the entry share whole.
func readBare(e *transcript.Entry, whole string, data []byte) ([]byte, error) {
	for _, s := range []*string{(*string)(&e.ID), (*string)(&e.Parent), &e.Role, (*string)(&e.Run), (*string)(&e.Lane), &e.Snippet, (*string)(&e.Reason)} {
		n, size := binary.Uvarint(data)
		if size <= 0 || n > uint64(len(data)-size) {
			return nil, errEntry
		}
		from := len(whole) - len(data) + size
		*s = whole[from : from+int(n)]
		data = data[size+int(n):]
	}
	var numbers [4]uint64
	for i := range numbers {
		n, size := binary.Uvarint(data)
		if size <= 0 {
			return nil, errEntry
		}
		numbers[i], data = n, data[size:]
	}
	e.Seq, e.First, e.Number, e.Answers = event.Seq(numbers[0]), event.Seq(numbers[1]), int(numbers[2]), int(numbers[3])
	if len(data) < timeBytes {
		return nil, errEntry
	}
	return data[timeBytes:], e.Time.UnmarshalBinary(data[:timeBytes])
}

// timeBytes is the length of a time in UTC (time.Time.AppendBinary).
const timeBytes = 15
