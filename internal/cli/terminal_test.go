package cli

import (
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/creack/pty"

	"parley/test/rig"
)

// A window is the program on a terminal that answers no question, which some do
// not.
type window struct {
	t      *testing.T
	cmd    *exec.Cmd
	screen *os.File
	gone   chan struct{}
	mu     sync.Mutex // of said
	said   strings.Builder
}

func (h home) open(args ...string) *window {
	h.t.Helper()
	w := &window{t: h.t, cmd: h.Command(args...), gone: make(chan struct{})}
	w.cmd.Env = slices.Concat(w.cmd.Env, []string{"TERM=xterm-256color"})
	var err error
	if w.screen, err = pty.StartWithSize(w.cmd, &pty.Winsize{Rows: 24, Cols: 80}); err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() {
		_ = w.cmd.Process.Kill() // it may have left by itself
		w.screen.Close()
	})
	go func() {
		defer close(w.gone)
		b := make([]byte, 4096)
		for {
			n, err := w.screen.Read(b)
			w.mu.Lock()
			w.said.Write(b[:n])
			w.mu.Unlock()
			if err != nil {
				return // the program has left
			}
		}
	}()
	return w
}

// drawn is all that was written so far.
func (w *window) drawn() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.said.String()
}

// shows reports whether a text was drawn.
func (w *window) shows(text string) bool { return strings.Contains(w.drawn(), text) }

// until presses a key, and again, until a text was drawn. Without a key it waits.
func (w *window) until(key, text string) {
	w.t.Helper()
	err := rig.Until(func() (bool, error) {
		if key != "" {
			w.press(key)
		}
		return w.shows(text), nil
	})
	if err != nil {
		w.t.Fatalf("%q: %v; drawn was:\n%q", text, err, w.drawn())
	}
}

func (w *window) press(keys string) {
	w.t.Helper()
	if _, err := w.screen.WriteString(keys); err != nil {
		w.t.Fatal(err)
	}
}

// leave is Ctrl+D, as soon as no run is open.
func (w *window) leave() {
	w.t.Helper()
	err := rig.Until(func() (bool, error) {
		select {
		case <-w.gone:
			return true, nil
		default:
			// It may be gone by now.
			_, _ = w.screen.WriteString("\x04")
			return false, nil
		}
	})
	if err = errors.Join(err, w.cmd.Wait()); err != nil {
		w.t.Fatalf("%v; drawn was:\n%q", err, w.drawn())
	}
}

// The key up brings back what was said to an earlier session of the folder, and
// nothing of another folder's.
func TestInputsOfEarlierSessions(t *testing.T) {
	h := newHome(t)
	h.write("work/ok.ndjson", "{\"text\":\"It is forty-two.\"}\n{\"stop\":\"\"}\n")
	h.write("elsewhere/ok.ndjson", "{\"text\":\"It is forty-two.\"}\n{\"stop\":\"\"}\n")
	first := h.open("--model", "script/ok.ndjson")
	first.until("", "›")
	first.press("what is the answer")
	first.press("\r")
	first.until("", "It is forty-two.")
	first.leave()
	if got := h.run("run", "--cwd", h.Dir+"/elsewhere", "--model", "script/ok.ndjson", "of another folder"); got.Code != 0 {
		t.Fatal(got)
	}
	second := h.open()
	second.until("", "›")
	if second.shows("what is the answer") {
		t.Fatal("a new session begins with what is to be found")
	}
	second.until("\x1b[A", "what is the answer")
	second.press("\x1b[A\x1b[A")
	second.press("\x03")
	second.leave()
	if second.shows("of another folder") {
		t.Errorf("the inputs of another folder are here too:\n%q", second.drawn())
	}
}

// ui.wrap says who breaks the lines that are finished: by itself the terminal
// does, and gets each whole; with "words" it gets what fits, without a word cut.
func TestWrapSetting(t *testing.T) {
	const reply = "One paragraph that does not fit into a row of eighty columns is a single line in a log and several rows on a screen."
	for wrap, whole := range map[string]bool{"": true, "terminal": true, "words": false} {
		t.Run(wrap, func(t *testing.T) {
			h := newHome(t)
			h.write("work/say.ndjson", `{"text":"`+reply+`\n\nAnd that was all."}`+"\n"+`{"stop":""}`+"\n")
			if wrap != "" {
				h.set("PARLEY_CONFIG", h.write("config.jsonc", `{"ui": {"wrap": "`+wrap+`"}}`))
			}
			w := h.open("--model", "script/say.ndjson")
			w.until("", "›")
			w.press("say it\r")
			w.until("", "And that was all.")
			w.leave()
			if got := w.shows(reply); got != whole {
				t.Errorf("written as one line: %t; drawn was:\n%q", got, w.drawn())
			}
		})
	}
}
