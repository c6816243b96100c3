package journal

import (
	"strings"

	"parley/internal/command"
	"parley/internal/event"
)

// maxID is the longest id; with every suffix it stays below the 255 bytes that
// file systems allow a name.
const maxID = 64

// CheckID returns a command.Fault invalid unless id can name a session: "sess-"
// and then lower-case letters, digits and hyphens, at most 64 bytes. It is
// asked before any path is made of an id.
func CheckID(id event.SessionID) error {
	rest, ok := strings.CutPrefix(string(id), "sess-")
	if !ok || rest == "" || len(id) > maxID {
		return command.Faultf(command.Invalid, "%.80q is not a session id", string(id))
	}
	for i := 0; i < len(rest); i++ {
		if c := rest[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' {
			return command.Faultf(command.Invalid, "%.80q is not a session id", string(id))
		}
	}
	return nil
}
