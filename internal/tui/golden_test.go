package tui

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"parley/internal/event"
	"parley/internal/term"
	"parley/test/need"
)

var update = flag.Bool("update", false, "rewrite the screens")

// Every .screen file is a script and how it looks at 40, 80 and 120 columns: the
// whole terminal, what is in the scrollback too. Live rows begin with a bar. The
// last section has the styles at 80 columns (see styles).
//
// A script plays a session that really happened, from testdata/sessions (its
// README says how one is recorded), and what a person does meanwhile. The clock
// is the recording's. Its lines are
//
//	session NAME    the recording; its client is us
//	until KIND [N]  what happens, up to and with an event of that kind: the N-th, the last, or the first
//	reads TEXT      what happens, until this has been written, by the model or by a call
//	end             what happens, to the end
//	resume KIND [N] instead: we come after that event, and see what is left of what was before
//	history TEXT    something that was written in an earlier session; before session
//	type TEXT       press the keys of a text
//	key NAME …      press keys
//	paste TEXT      paste; \n is a line's end, \t a tab
//	wait 1.5s       let time pass, with what happens in it
//	draw            draw a frame
//	size HEIGHT     make the terminal as high from here on (24 at the start)
//	lost            lose the connection
//	back            have it again
//	words           break finished lines between words (Options.Words)
//
// What cannot be recorded yet, because nothing in Parley makes it, is told by
// events as they would stand in a log, without seq and time; such a script says so
// in its first lines.
func TestScreens(t *testing.T) {
	need.Time(t)
	files, err := filepath.Glob("testdata/*.screen")
	if err != nil || len(files) == 0 {
		t.Fatal("no screens", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".screen"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			want := map[string]string{}
			for _, f := range a.Files {
				want[f.Name] = string(f.Data)
			}
			out := &txtar.Archive{Comment: a.Comment, Files: []txtar.File{{Name: "story", Data: []byte(want["story"])}}}
			section := func(name, got string) {
				out.Files = append(out.Files, txtar.File{Name: name, Data: []byte(got)})
				if !*update && got != want[name] {
					t.Errorf("%s\n%s\nwant\n%s", name, got, want[name])
				}
			}
			for _, width := range []int{40, 80, 120} {
				section(strconv.Itoa(width), play(t, want["story"], width))
			}
			section("styles", styles(t, harnessOf(t, want["story"], 80)))
			if *update {
				if err := os.WriteFile(file, txtar.Format(out), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// Only a script that plays no recording has events by hand, and it says why.
func TestScreensAreRecorded(t *testing.T) {
	files, err := filepath.Glob("testdata/*.screen")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range a.Files {
			if f.Name == "story" && strings.Contains(string(f.Data), `{"type":`) && !strings.Contains(string(a.Comment), "Not recorded:") {
				t.Errorf("%s tells events by hand and does not say why", file)
			}
		}
	}
}

// play plays a script and returns the terminal as text.
func play(t *testing.T, story string, width int) string {
	t.Helper()
	return picture(harnessOf(t, story, width))
}

// harnessOf plays a script.
func harnessOf(t *testing.T, story string, width int) *harness {
	t.Helper()
	told := newPlayback(newHarness(t, width, 24, term.ReflowLogical))
	told.draw()
	for n, l := range strings.Split(strings.TrimSpace(story), "\n") {
		word, rest, _ := strings.Cut(l, " ")
		if err := told.line(word, rest, l); err != nil {
			t.Fatalf("line %d: %s: %v", n+1, l, err)
		}
	}
	told.draw()
	return told.harness
}

// line does what a line of a script says.
func (s *playback) line(word, rest, whole string) error {
	switch word {
	case "", "#":
	case "session":
		return s.session(rest)
	case "until":
		return s.until(rest)
	case "reads":
		return s.reads(rest)
	case "end":
		s.rest(time.Time{})
	case "resume":
		return s.resume(rest)
	case "history":
		s.past = append(s.past, written(rest))
	case "type":
		s.write(rest)
	case "key":
		s.press(strings.Fields(rest)...)
	case "paste":
		s.reduce(Typed{term.Paste{Text: written(rest)}})
	case "wait":
		d, err := time.ParseDuration(rest)
		s.rest(s.now.Add(d))
		return err
	case "draw":
		s.draw()
	case "size":
		h, err := strconv.Atoi(rest)
		s.resize(s.screen.w, h)
		s.draw()
		return err
	case "words":
		s.model.words = true
	case "lost":
		s.reduce(Lost{})
	case "back":
		s.reduce(Opened{Client: us})
	default:
		var e event.Event
		if err := json.Unmarshal([]byte(whole), &e); err != nil {
			return err
		}
		s.tell(e)
	}
	return nil
}

// written is a text of a script with its line ends and tabs.
func written(text string) string {
	return strings.NewReplacer(`\n`, "\n", `\t`, "\t").Replace(text)
}

// tell lets an event happen that says itself in which session.
func (s *harness) tell(e event.Event) {
	s.seq = max(s.seq, s.model.state.Seq) + 1
	in := s.model.state.In(e.Session)
	if e.Session == "" {
		e.Session, in = sessionID, s.model.state
	}
	if in != nil {
		id := e.Session
		e = in.Now(e.Body)
		e.Session = id
	}
	e.Seq, e.Time = s.seq, s.now
	s.reduce(Happened{e})
}

// picture is the terminal as text: a bar marks live rows.
func picture(s *harness) string {
	var b strings.Builder
	shownRows(s, func(mark string, r erow) {
		fmt.Fprintf(&b, "%s\n", strings.TrimRight(mark+r.text(), " "))
	})
	return b.String()
}

// shownRows gives the rows from the first that holds something, each with the
// bar of a live row or without.
func shownRows(s *harness, row func(mark string, r erow)) {
	top := len(s.screen.rows) - s.screen.h + s.screen.y
	if s.shown.Caret.Visible {
		top -= s.shown.Caret.Row
	}
	begun := false
	for i, r := range s.screen.rows {
		begun = begun || strings.TrimRight(r.text(), " ") != "" || i >= top
		switch {
		case !begun:
		case i < top:
			row("  ", r)
		case i < top+len(s.shown.Live):
			row("| ", r)
		}
	}
}

// letters name the styles of a row below it. Green and red that are reversed are
// the words of a diff that changed.
var letters = map[string]string{
	"": " ", "7": "#", "90 7": "#", "90": ".", "36": "a", "32": "g", "31": "r", "33": "y", "35": "m", "32 7": "+", "31 7": "-",
	"1": "B", "36 1": "A", "35 1": "M", "3": "i", "4": "u", "90 4": "u", "36 4": "l", "9": "s", "1 3": "I",
}

// styles shows how the rows look that have more to them than plain and dim text:
// below each a letter for every character, as letters has them.
func styles(t *testing.T, s *harness) string {
	t.Helper()
	var b strings.Builder
	shownRows(s, func(mark string, r erow) {
		below := ""
		for _, c := range r.cells {
			l, ok := letters[styleOf(c.style)]
			if !ok {
				t.Errorf("the style %q has no letter", styleOf(c.style))
			}
			if c.text == " " && c.style == "" || l == "" {
				l = " "
			}
			below += l + strings.Repeat(" ", max(c.width-1, 0))
		}
		if below = strings.TrimRight(below, " "); strings.Trim(below, " .") != "" {
			fmt.Fprintf(&b, "%s\n  %s\n", strings.TrimRight(mark+r.text(), " "), below)
		}
	})
	return b.String()
}

// styleOf is a style as its colour and its attributes in order.
func styleOf(codes string) string {
	color, attrs := "", map[string]bool{}
	for _, code := range strings.Split(codes, ";") {
		switch {
		case code == "0":
			color, attrs = "", map[string]bool{}
		case code == "39":
			color = ""
		case len(code) == 2:
			color = code
		case code != "":
			attrs[code] = true
		}
	}
	out := []string{}
	if color != "" {
		out = append(out, color)
	}
	for _, a := range []string{"1", "3", "4", "7", "9"} {
		if attrs[a] {
			out = append(out, a)
		}
	}
	return strings.Join(out, " ")
}
