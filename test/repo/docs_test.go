package repo

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/event/eventtest"
	"parley/internal/transcript"
)

var update = flag.Bool("update", false, "rewrite docs/protocol.md")

// docs/protocol.md says what the code says.
func TestProtocolDocument(t *testing.T) {
	const file = "../../docs/protocol.md"
	want := protocol(t)
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil || string(got) != want {
		t.Errorf("%s is not what the code says; go test ./test/repo -run Document -update writes it (%v)", file, err)
	}
}

const protocolHead = `# The protocol

Generated from the code by ` + "`go test ./test/repo -run Document -update`" + `; do not edit.

A session is a log of events. This page lists every kind of event with its keys, the laws that every log keeps, and
the commands of the native dialect. Keys are snake_case; durations are integers in milliseconds, named ` + "`*_ms`" + `; times
are RFC 3339 in UTC with nanoseconds; a key that is absent is empty, zero or false.

## The native dialect

Lines of JSON over a Unix socket, UTF-8, ended by LF. The client speaks first:

    > {"type":"hello","protocol":1,"client":{"name":"…","version":"…","build":"…"},"session":ID|"new"|"last"|null,"since":SEQ|null,"cwd":"…","env":{…},"capabilities":["ask","presence","content"]}
    < {"type":"welcome","protocol":1,"server":{"name":"…","version":"…","build":"…","pid":1},"client":"…","session":ID|null,"head":SEQ}
    > {"type":"prompt","id":"7","session":ID,"data":{"text":"…"}}
    < {"type":"result","id":"7","ok":true,"data":{…}}
    < {"type":"result","id":"8","ok":false,"error":{"code":"busy","message":"…","retry_ms":500}}

A session that is followed is a line ` + "`{\"type\":\"state\",…}`" + ` where the stream does not begin at the session's start, and
then its events, the lines that have a seq. Without since it begins at the start of the open run; with since every later
event comes, in order, without gap or repeat; 0 is everything. Who folds the events into the state has the state of one
that was there from the start. A client that is behind gets deltas (block.grew, call.grew) merged: the offset of the
first, the seq of the last.

The state names the last entries only, at most its window, and without their content, so that a line is short however long
the session is. Read gives the rest: the entries page by page (limit, then leaf set to the parent of the first one that
came), the events page by page (limit, then before set to the seq of the first). A client that needs all entries with
their content, as one that makes a dialect of the state does, says so by the capability content; ask says that it can
answer asks, presence that the others are to see it.

## Envelope

| key | meaning |
|---|---|
| seq | position in the log: rises strictly, holes are legal, a value is never used twice |
| time | when it was appended |
| session | the session, or the sub-agent whose events its root's log carries |
| run, turn, step, response | what it happened in; absent outside |
| cause | the command that led here, CONNECTION/ID |
| type | the kind |
| data | the kind's own keys |

An unknown key is ignored; an unknown type is carried and never fatal.
`

func protocol(t *testing.T) string {
	var out strings.Builder
	out.WriteString(protocolHead)
	out.WriteString("\n## Events\n")
	for i, b := range event.Kinds() {
		fmt.Fprintf(&out, "\n### %s\n\n", event.KindOf(b))
		if e := (event.Event{Body: b}); !e.Durable() {
			out.WriteString("A delta, not durable: the ended event of its block or call repeats what it carries.\n\n")
		}
		keys(&out, reflect.TypeOf(b))
		line, err := eventtest.All()[i].AppendJSON(nil)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&out, "\n    %s\n", line)
	}
	out.WriteString("\n## Laws\n\n`parley check` and every append hold a log to them, and name each violation.\n\n| law | what it says |\n|---|---|\n")
	for _, l := range transcript.Laws() {
		fmt.Fprintf(&out, "| %s | %s |\n", l.Law, l.Text)
	}
	out.WriteString("\n## Commands\n")
	for _, b := range command.Bodies() {
		fmt.Fprintf(&out, "\n### %s\n\n", command.Name(b))
		keys(&out, reflect.TypeOf(b))
	}
	out.WriteString("\n## Faults\n\nA fault has a code, a message for people, and perhaps retry_ms. The codes: invalid, not_found, busy, denied, closed,\ncanceled, limit, provider, tool, internal.\n")
	return out.String()
}

// keys lists the keys of a struct, those of nested ones behind a dot.
func keys(out *strings.Builder, rt reflect.Type) {
	if rt.NumField() == 0 {
		out.WriteString("No keys.\n")
		return
	}
	out.WriteString("| key | type | meaning |\n|---|---|---|\n")
	var walk func(prefix string, rt reflect.Type)
	walk = func(prefix string, rt reflect.Type) {
		for i := range rt.NumField() {
			f := rt.Field(i)
			if f.Anonymous {
				walk(prefix, f.Type)
				continue
			}
			key, options, _ := strings.Cut(f.Tag.Get("json"), ",")
			kind, inner := shape(f.Type)
			if strings.Contains(options, "omit") {
				kind += ", optional"
			}
			fmt.Fprintf(out, "| %s%s | %s | %s |\n", prefix, key, kind, strings.ReplaceAll(f.Tag.Get("doc"), "|", "\\|"))
			if inner != nil {
				walk(prefix+key+".", inner)
			}
		}
	}
	walk("", rt)
}

// shape names a type as JSON has it, and gives the struct inside.
func shape(rt reflect.Type) (string, reflect.Type) {
	switch rt.Kind() {
	case reflect.Pointer:
		return shape(rt.Elem())
	case reflect.Slice:
		if rt.Elem().Kind() == reflect.Uint8 {
			return "any JSON", nil
		}
		kind, inner := shape(rt.Elem())
		return "list of " + kind, inner
	case reflect.Struct:
		return "object", rt
	case reflect.String:
		return "string", nil
	case reflect.Bool:
		return "boolean", nil
	case reflect.Float64:
		return "number", nil
	}
	return "integer", nil
}

// A relative link of a document leads to a file that is there.
func TestLinksLead(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#:]+)(#[^)]*)?\)`)
	found := 0
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md"} {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range link.FindAllSubmatch(text, -1) {
				found++
				if _, err := os.Stat(filepath.Join(filepath.Dir(file), string(m[1]))); err != nil {
					t.Errorf("%s: %v", file, err)
				}
			}
		}
	}
	if found < 10 {
		t.Fatalf("%d links", found)
	}
}
