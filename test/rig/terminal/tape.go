package terminal

import (
	"bytes"
	"encoding/json"
	"os"
)

// A Tape is what happened to a terminal, in the order in which it did. Its lines
// in a file are commands of xterm.cjs: played to it they happen again.
type Tape []Moment

// A Moment is one of: bytes that the terminal took in; the terminal's new size;
// the size that the program was told.
type Moment struct {
	Write  []byte `json:"write,omitempty"`
	Resize []int  `json:"resize,omitempty"`
	Told   []int  `json:"told,omitempty"`
	MS     int64  `json:"ms"` // since the terminal was opened
}

// Bytes is all that the terminal took in.
func (t Tape) Bytes() []byte {
	var b []byte
	for _, m := range t {
		b = append(b, m.Write...)
	}
	return b
}

// Save writes the tape to a file.
func (t Tape) Save(path string) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	for _, m := range t {
		if err := e.Encode(m); err != nil {
			return err
		}
	}
	return os.WriteFile(path, b.Bytes(), 0o644)
}

// Load reads a tape from a file.
func Load(path string) (Tape, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var t Tape
	for d := json.NewDecoder(file); d.More(); {
		var m Moment
		if err := d.Decode(&m); err != nil {
			return nil, err
		}
		t = append(t, m)
	}
	return t, nil
}
