package runtime

import (
	"encoding/json"
	"testing"

	"parley/internal/tool"
)

// A call is titled with the arguments that matter, in one line, whatever they hold.
func TestCallTitles(t *testing.T) {
	tools := tool.NewSet(builtin()...)
	for _, c := range []struct{ tool, arguments, want string }{
		{"bash", `{"command":"go test ./...","timeout_ms":5}`, "go test ./..."},
		{"bash", `{"command":"a\nb"}`, "a …"},
		{"bash", `{"command":"\u001b[2Jls\u202e"}`, "[2Jls"},
		{"bash", `{"command":["ls"]}`, `["ls"]`},
		{"read", `{"path":"a.go","offset":3}`, "a.go"},
		{"read", `{"file":"a.go"}`, "a.go"},
		{"edit", `{"edits":[],"path":"a.go"}`, "a.go"},
		{"write", `{"content":"x","path":"a.go"}`, "a.go"},
		{"ls", `{}`, ""},
		{"grep", `{"pattern":"log\\.","path":"auth/"}`, `"log\." auth/`},
		{"grep", `{"pattern":"log","glob":"*.go"}`, `"log" *.go`},
		{"glob", `{"pattern":"**/*.go"}`, "**/*.go"},
		{"glob", `{"pattern":"*.go","path":"src"}`, "*.go src"},
		{"fetch", `{"url":"https://example.com/"}`, "https://example.com/"},
		{"task", `{"prompt":"Find all callers.","description":"find callers"}`, "find callers"},
	} {
		tl, _ := tools.Get(c.tool)
		if got := tool.Title(tl, json.RawMessage(c.arguments)); got != c.want {
			t.Errorf("%s %s: %q, want %q", c.tool, c.arguments, got, c.want)
		}
	}
}
