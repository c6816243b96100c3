package e2e

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"

	"parley/test/rig"
)

const talked = `{"text":"I write it."}
{"call":{"id":"c1","name":"write","arguments":{"path":"a.txt","content":"x\n"}}}
{"stop":"tool_calls"}
{"text":"Written."}
{"stop":""}
{"text":"Once more."}
{"stop":""}
`

// A terminal on which nothing can be drawn gets line mode: prompts, an ask and
// its answer, one session, and nothing that a dumb terminal cannot show.
func TestDumbTerminalLineMode(t *testing.T) {
	t.Parallel()
	home := newHome(t)
	if _, err := home.Write("talk.ndjson", talked); err != nil {
		t.Fatal(err)
	}
	cmd := home.Command("--model", "script/talk.ndjson")
	cmd.Env = append(cmd.Env, "TERM=dumb")
	terminal, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: 80, Rows: 24})
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	var mu sync.Mutex
	var all bytes.Buffer
	over := make(chan struct{})
	go func() {
		defer close(over)
		b := make([]byte, 4096)
		for {
			n, err := terminal.Read(b)
			mu.Lock()
			all.Write(b[:n])
			mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	said := func() string {
		mu.Lock()
		defer mu.Unlock()
		return all.String()
	}
	// until waits for the end of what is said to be a text, for the n-th time.
	until := func(text string, n int) {
		t.Helper()
		for end := time.Now().Add(rig.Patience); !strings.HasSuffix(said(), text) || strings.Count(said(), text) < n; {
			if time.Now().After(end) {
				t.Fatalf("no %q for the %d. time in\n%s", text, n, said())
			}
			time.Sleep(time.Millisecond)
		}
	}
	const ready = "\n$ "
	until(ready, 1)
	// A "y" that was begun before the ask was shown is no answer to it.
	terminal.WriteString("make a file\ny")
	until("y/r/a/p/n/d? ", 1)
	terminal.WriteString("\n")
	until("y/r/a/p/n/d? ", 2)
	if !strings.Contains(said(), "typed before the question was shown") {
		t.Errorf("type-ahead is not told of:\n%s", said())
	}
	if _, err := os.Stat(filepath.Join(home.Work, "a.txt")); err == nil {
		t.Error("type-ahead allowed the call")
	}
	terminal.WriteString("y\n")
	until(ready, 2)
	terminal.WriteString("again\n")
	until(ready, 3)
	terminal.WriteString("\x04")
	if err := cmd.Wait(); err != nil {
		t.Errorf("left with %v:\n%s", err, said())
	}
	<-over
	text := said()
	for _, want := range []string{"line mode", "Allow write?", "Written.", "Once more."} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if i := strings.IndexFunc(text, func(r rune) bool { return r < 0x20 && r != '\r' && r != '\n' || r == 0x7f }); i >= 0 {
		t.Errorf("a control character in %q", text[max(0, i-20):min(len(text), i+20)])
	}
	if n := strings.Count(text, "make a file"); n != 1 {
		t.Errorf("what was typed stands there %d times:\n%s", n, text)
	}
	out, err := home.Run("sessions", "list")
	if err != nil || strings.Count(out.Out, "sess-") != 1 {
		t.Errorf("sessions, want one: %v\n%s", err, out.Out)
	}
}
