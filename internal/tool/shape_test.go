package tool_test

import (
	"encoding/json"
	"strings"
	"testing"

	"parley/internal/tool"
)

// Why an answer does not fit; empty: it does.
func TestAnswerIsHeldAgainstItsSchema(t *testing.T) {
	shape, err := tool.NewShape(json.RawMessage(`{"type": "array", "items": {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"], "additionalProperties": false}}`))
	if err != nil {
		t.Fatal(err)
	}
	for answer, want := range map[string]string{
		`[{"n": 1}]`:                              "",
		" \n[]\n":                                 "",
		"```json\n[{\"n\": 1}]\n```":              "",
		"```\n[]\n```\n":                          "",
		"```yaml\n[]\n```":                        "not one JSON value",
		"Here it is:\n```json\n[]\n```":           "not one JSON value",
		"```json\n[]\n```\nand\n```json\n[]\n```": "not one JSON value",
		`[] []`:              "not one JSON value",
		``:                   "not one JSON value",
		`[{"n": 1, "n": 2}]`: "not one JSON value",
		`{}`:                 "answer must be an array, not an object",
		`[{"n": "1"}]`:       "answer[0].n must be an integer, not a string",
		`[{"n": 1}, {}]`:     "answer[1].n is missing",
		`[{"n": 1, "m": 2}]`: "unknown property answer[0].m",
	} {
		err := shape.Check(answer)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, not %q", answer, err, want)
		}
	}
}

// No answer makes the check panic, and what is read of it is part of it.
func FuzzShape(f *testing.F) {
	shape, err := tool.NewShape(json.RawMessage(`{"anyOf": [{"type": "integer"}, {"type": "object", "required": ["a"]}]}`))
	if err != nil {
		f.Fatal(err)
	}
	for _, text := range []string{"1", "```json\n{\"a\":1}\n```", "``````", "```\n```", "```json"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		_ = shape.Check(text)
		if !strings.Contains(text, tool.Value(text)) {
			t.Errorf("%q is not in %q", tool.Value(text), text)
		}
	})
}
