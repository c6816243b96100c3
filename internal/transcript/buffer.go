package transcript

import "encoding/json"

// Buffer is text that can only be appended to. Appending costs what is appended; a
// copy made by clip shares the text so far.
type Buffer struct{ b []byte }

// Len returns the length in bytes.
func (g Buffer) Len() int { return len(g.b) }

// String returns the whole text.
func (g Buffer) String() string { return string(g.b) }

// From returns the text from byte i on; the empty string where there is none.
func (g Buffer) From(i int) string {
	if i < 0 || i >= len(g.b) {
		return ""
	}
	return string(g.b[i:])
}

// add appends text that begins at offset and returns how much of it is new: an
// overlap is passed over, a gap is refused.
func (g *Buffer) add(offset int, text string) int {
	skip := len(g.b) - offset
	if offset < 0 || skip < 0 || skip >= len(text) {
		return 0
	}
	g.b = append(g.b, text[skip:]...)
	return len(text) - skip
}

func (g Buffer) clip() Buffer { return Buffer{g.b[:len(g.b):len(g.b)]} }

// MarshalJSON gives a string.
func (g Buffer) MarshalJSON() ([]byte, error) { return json.Marshal(string(g.b)) }

// UnmarshalJSON reads a string.
func (g *Buffer) UnmarshalJSON(b []byte) error {
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}
	g.b = []byte(s)
	return nil
}
