package llm

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// CallIDs gives out the ids of one answer's calls. The returned function keeps a server's id where it is free, and
// makes another where it is empty or was used before in the request or in this answer: some servers number the calls
// of every answer from zero.
func CallIDs(r Request) func(id string) string {
	used := make(map[string]bool)
	for _, m := range r.Messages {
		for _, p := range m.Parts {
			if c, ok := p.(ToolCall); ok {
				used[c.ID] = true
			}
		}
	}
	return func(id string) string {
		for id == "" || used[id] {
			id = "call_" + strings.ToLower(rand.Text()[:20])
		}
		used[id] = true
		return id
	}
}

// WireID is a call id as a wire accepts it: at most the given length, of letters, digits, _ and - only. An id of another
// provider that is longer or has other characters is mapped, always to the same id.
func WireID(id string, most int) string {
	fit := len(id) > 0 && len(id) <= most
	for i := 0; fit && i < len(id); i++ {
		b := id[i]
		fit = b == '_' || b == '-' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
	}
	if fit {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return "call_" + hex.EncodeToString(sum[:12])
}
