package tool_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"parley/internal/tool"
)

// foreign is a tool of somebody else: it comes with any schema, and answers with the arguments that reached it.
func foreign(schema string) (tool.Tool, error) {
	return tool.Definition[json.RawMessage]{
		Spec:    tool.Spec{Name: "foreign", Schema: json.RawMessage(schema)},
		Targets: func(tool.World, json.RawMessage) (tool.Targets, error) { return tool.Targets{}, nil },
		Run: func(_ context.Context, _ tool.World, _ tool.Call, a json.RawMessage, _ tool.Grow) tool.Result {
			return tool.Result{Status: tool.Success, Text: string(a)}
		},
	}.New()
}

func answer(t testing.TB, schema, arguments string) string {
	t.Helper()
	tl, err := foreign(schema)
	if err != nil {
		t.Fatalf("%s: %v", schema, err)
	}
	r := tl.Run(context.Background(), tool.World{}, tool.Call{Arguments: tool.Normalise(tl, json.RawMessage(arguments))}, nil)
	return r.Text
}

// Every keyword of JSON Schema counts, and what does not fit is told in words that a model can act on.
func TestForeignSchema(t *testing.T) {
	const tree = `{"$defs":{"node":{"type":"object","required":["name"],"additionalProperties":false,
		"properties":{"name":{"type":"string"},"below":{"type":"array","items":{"$ref":"#/$defs/node"}}}}},
		"type":"object","properties":{"tree":{"$ref":"#/$defs/node"}}}`
	const ways = `{"type":"object","properties":{
		"to":{"anyOf":[{"type":"string","minLength":2},{"type":"object","required":["host"],"properties":{"host":{"type":"string"}}},{"type":"null"}]},
		"mode":{"enum":["fast","slow",3]},"level":{"type":["integer","null"],"exclusiveMinimum":0,"multipleOf":5},
		"word":{"type":"string","pattern":"^[a-z]+$","maxLength":4},"only":{"const":"this"},
		"pair":{"type":"array","prefixItems":[{"type":"string"},{"type":"integer"}],"items":false,"maxItems":3}}}`
	for _, c := range []struct{ schema, arguments, want string }{
		{tree, `{"tree":{"name":"a","below":[{"name":"b","below":[]}]}}`, `{"tree":{"below":[{"below":[],"name":"b"}],"name":"a"}}`},
		{tree, `{"tree":{"name":"a","below":[{"name":"b","below":[{"nane":"c"}]}]}}`, `foreign: unknown argument tree.below[0].below[0].nane, did you mean "name"?`},
		{tree, `{"tree":{"name":"a","below":null}}`, `{"tree":{"name":"a"}}`},
		{ways, `{"to":"ab","mode":3,"level":10,"word":"abc","only":"this","pair":["x",1]}`, `{"level":10,"mode":3,"only":"this","pair":["x",1],"to":"ab","word":"abc"}`},
		{ways, `{"to":null,"level":null,"mode":null}`, `{}`},
		{ways, `{"to":null,"level":null}`, `{"level":null,"to":null}`},
		{ways, `{"to":"a"}`, `foreign: to has 1 characters; the least is 2; or to must be an object, not a string; or to must be null, not a string`},
		{ways, `{"mode":"quick"}`, `foreign: mode must be one of "fast", "slow", 3`},
		{ways, `{"only":"that"}`, `foreign: only must be "this"`},
		{ways, `{"level":"5"}`, `{"level":5}`},
		{ways, `{"level":"five"}`, `foreign: level must be an integer or null, not a string`},
		{tree, `{"tree":"{\"name\":\"a\",\"below\":{\"name\":\"b\"}}"}`, `{"tree":{"below":[{"name":"b"}],"name":"a"}}`},
		{tree, `"{\"tree\":{\"name\":\"a\"}}"`, `{"tree":{"name":"a"}}`},
		{tree, `{"tree":"{\"name\":\"a\",\"name\":\"b\"}"}`, `foreign: tree must be an object, not a string`}, // which a counts is not ours to choose
		{`{"properties":{"n":{"anyOf":[{"type":"integer"},{"type":"null"}]}}}`, `{"n":" 7 "}`, `{"n":7}`},
		{`{"properties":{"n":{"type":["string","integer"]}}}`, `{"n":"7"}`, `{"n":"7"}`},  // a text is what is wanted
		{`{"properties":{"n":{"type":"integer"}}}`, `{"N":"7","n":1}`, `{"N":"7","n":1}`}, // an open object may mean another
		{ways, `{"word":"abcde"}`, `foreign: word has 5 characters; the most is 4`},
		{ways, `{"word":"ABC"}`, `foreign: the arguments do not fit: validating root: validating /properties/word: pattern: "ABC" does not match regular expression "^[a-z]+$"`},
		{ways, `{"level":7}`, `foreign: the arguments do not fit: validating root: validating /properties/level: multipleOf: 7/1 is not a multiple of 5.000000`},
		{ways, `{"pair":["x",1,2,3]}`, `foreign: pair has 4; the most is 3`},
		{`{"type":"object","properties":{"n":{"type":"integer"}},"if":{"required":["n"]},"then":{"required":["why"]}}`, `{"n":1}`,
			`foreign: the arguments do not fit: validating root: validating /then: required: missing properties: ["why"]`},
		{`true`, `{"any":[1,"x",null]}`, `{"any":[1,"x",null]}`},
		{`{"$schema":"http://json-schema.org/draft-07/schema","definitions":{"s":{"type":"string"}},"properties":{"a":{"$ref":"#/definitions/s","minLength":9}}}`, `{"a":"b"}`, `{"a":"b"}`},
		{`{"$schema":"https://json-schema.org/draft/2019-09/schema","properties":{"a":{"type":"string"}}}`, `{"a":1}`, `foreign: a must be a string, not a number`},
		{`{"$id":"https://example.com/a.json","$defs":{"s":{"type":"string"}},"properties":{"a":{"$ref":"https://example.com/a.json#/$defs/s"}}}`, `{"a":1}`, `foreign: a must be a string, not a number`},
		{`{"$defs":{"a/b~c d":{"type":"string"}},"properties":{"a":{"$ref":"#/$defs/a~1b~0c%20d"}}}`, `{"a":1}`, `foreign: a must be a string, not a number`},
		{`{"$defs":{"s":{"$anchor":"text","type":"string"}},"properties":{"a":{"$ref":"#text"}}}`, `{"a":1}`, `foreign: a must be a string, not a number`},
		{`{"properties":{"a":{"type":"string","pattern":"^(?!x)"}}}`, `{"a":"x"}`, `{"a":"x"}`}, // a pattern of another engine
		{`{"type":"object"}`, `{"a":1,"a":2}`, `the arguments of foreign are not valid JSON: "a" stands there twice`},
	} {
		if got := answer(t, c.schema, c.arguments); got != c.want {
			t.Errorf("%s\n%s:\n got %s\nwant %s", c.schema, c.arguments, got, c.want)
		}
	}
}

// branching is a schema whose check takes 2^n looks at one value.
func branching(n int) string {
	var b strings.Builder
	b.WriteString(`{"$ref":"#/$defs/s0","$defs":{`)
	for i := range n {
		fmt.Fprintf(&b, `"s%d":{"anyOf":[{"$ref":"#/$defs/s%d"},{"$ref":"#/$defs/s%d"}]},`, i, i+1, i+1)
	}
	fmt.Fprintf(&b, `"s%d":{"type":"object","required":["x"]}}}`, n)
	return b.String()
}

// A schema that loops, branches without end, or wants another document is refused when its tool is made, in words.
func TestHostileSchema(t *testing.T) {
	for schema, want := range map[string]string{
		`{"$ref":"#"}`: "goes in circles at #",
		`{"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"allOf":[{"$ref":"#/$defs/a"}]}}}`: "goes in circles at #/$defs/",
		`{"properties":{"a":{"not":{"$ref":"#/properties/a"}}}}`:                    "goes in circles at #/properties/a",
		branching(40):                      "goes in circles at #",
		`{"$ref":"https://example.com/x"}`: `$ref "https://example.com/x" leads nowhere`,
		`{"$ref":"#/$defs/none"}`:          `$ref "#/$defs/none" leads nowhere`,
		`{"$dynamicRef":"#a"}`:             "$dynamicRef is not read",
		`{"properties":{"a":{"$id":"b"}}}`: "an $id inside it",
		`{"properties":{"a":null}}`:        "it holds null",
		`{"type":7}`:                       "type",
		`{"properties":[]}`:                "properties",
		`nonsense`:                         "invalid character",
		``:                                 "unexpected EOF",
		`{"a":1,"a":2}`:                    `"a" stands there twice`,
		strings.Repeat(`{"items":`, 65) + `{}` + strings.Repeat(`}`, 65): "too deep",
		`{"enum":["` + strings.Repeat("x", 300<<10) + `"]}`:              "the most is",
		`{"anyOf":[` + strings.Repeat(`{},`, 5000) + `{}]}`:              "more than 4000 schemas",
	} {
		if _, err := foreign(schema); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.100s: %v, want %q", schema, err, want)
		}
	}
}

// A check that would take more looks than there is room for is refused, not begun.
func TestHostileArguments(t *testing.T) {
	const fork = `{"anyOf":[{"items":{"$ref":"#"}},{"items":{"$ref":"#"}},{"type":"object","properties":{"a":{"$ref":"#"}}}]}`
	deep := `{"a":` + strings.Repeat("[", 60) + strings.Repeat("]", 60) + `}`
	if got := answer(t, fork, deep); !strings.Contains(got, "too large for their schema to be checked") {
		t.Error(got)
	}
	long := `{"a":"` + strings.Repeat("x", 4<<20) + `"}`
	if got := answer(t, `{"properties":{"a":{"type":"string"}}}`, long); strings.HasPrefix(got, "foreign:") {
		t.Errorf("4 MB of text: %.200s", got)
	}
	if got := answer(t, `{"properties":{"a":{"type":"integer"}}}`, long); len(got) > 1000 {
		t.Errorf("the refusal has %d bytes", len(got))
	}
	if got := answer(t, `{"properties":{"a":{"type":"integer","pattern":"b"},"b":{"pattern":"y"}}}`, strings.Replace(long, `"a"`, `"b"`, 1)); len(got) > 1000 {
		t.Errorf("the refusal has %d bytes", len(got))
	}
}

// FuzzSchema: any schema with any arguments ends, in a result that keeps the contract.
func FuzzSchema(f *testing.F) {
	f.Add(`{"$ref":"#"}`, `{}`)
	f.Add(branching(3), `{"x":[null]}`)
	f.Add(`{"type":"object","properties":{"a":{"anyOf":[{"type":"null"},{"$ref":"#"}]}},"unevaluatedProperties":false}`, `{"a":{"a":null}}`)
	f.Add(`{"patternProperties":{"^x":{"uniqueItems":true,"contains":{"const":1e400}}}}`, `{"x":[1,1.0,1e0]}`)
	f.Add(`{"dependentSchemas":{"a":{"required":["b"]}},"dependentRequired":{"a":["c"]},"propertyNames":{"maxLength":3}}`, `{"a":1}`)
	f.Fuzz(func(t *testing.T, schema, arguments string) {
		tl, err := foreign(schema)
		if err != nil {
			return
		}
		r := tl.Run(context.Background(), tool.World{}, tool.Call{Arguments: json.RawMessage(arguments)}, nil)
		if strings.Contains(r.Text, "broke:") {
			t.Fatal(r.Text)
		}
		if r.Status == tool.Success && !json.Valid([]byte(r.Text)) {
			t.Fatalf("%s reached the tool", r.Text)
		}
	})
}
