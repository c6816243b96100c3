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
)

var update = flag.Bool("update", false, "rewrite the screens")

// Every .screen file is a story and how it looks at 40, 80 and 120 columns: the
// whole terminal, what is in the scrollback too. Live rows begin with a bar.
//
// The lines of a story are events as in a log, without seq and time, and
//
//	type TEXT      press the keys of a text
//	key NAME …     press keys
//	paste TEXT     paste, \n is a line's end
//	wait 1.5s      let time pass, one second at a time
//	draw           draw a frame
//	size HEIGHT    make the terminal as high from here on (24 at the start)
//	lost           lose the connection
//	words          break finished lines between words (Options.Words)
func TestScreens(t *testing.T) {
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
			var story string
			sections := map[string]string{}
			for _, f := range a.Files {
				if f.Name == "story" {
					story = string(f.Data)
				} else {
					sections[f.Name] = string(f.Data)
				}
			}
			out := &txtar.Archive{Comment: a.Comment, Files: []txtar.File{{Name: "story", Data: []byte(story)}}}
			for _, width := range []int{40, 80, 120} {
				got := play(t, story, width)
				name := strconv.Itoa(width)
				out.Files = append(out.Files, txtar.File{Name: name, Data: []byte(got)})
				if !*update && got != sections[name] {
					t.Errorf("at %d columns\n%s\nwant\n%s", width, got, sections[name])
				}
			}
			if *update {
				if err := os.WriteFile(file, txtar.Format(out), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// play tells a story and returns the terminal as text.
func play(t *testing.T, story string, width int) string {
	t.Helper()
	return picture(stageOf(t, story, width))
}

// stageOf tells a story.
func stageOf(t *testing.T, story string, width int) *stage {
	t.Helper()
	s := newStage(t, width, 24, term.ReflowLogical)
	s.draw()
	for n, l := range strings.Split(strings.TrimSpace(story), "\n") {
		word, rest, _ := strings.Cut(l, " ")
		switch word {
		case "", "#":
		case "type":
			s.write(rest)
		case "key":
			s.press(strings.Fields(rest)...)
		case "paste":
			s.reduce(Typed{term.Paste{Text: strings.ReplaceAll(rest, `\n`, "\n")}})
		case "wait":
			d, err := time.ParseDuration(rest)
			if err != nil {
				t.Fatalf("line %d: %v", n+1, err)
			}
			for ; d > 0; d -= time.Second {
				s.draw()
				s.pass(min(d, time.Second))
			}
			s.draw()
		case "draw":
			s.draw()
		case "size":
			h, err := strconv.Atoi(rest)
			if err != nil {
				t.Fatalf("line %d: %v", n+1, err)
			}
			s.resize(width, h)
			s.draw()
		case "words":
			s.model.words = true
		case "lost":
			s.reduce(Lost{})
		default:
			var e event.Event
			if err := json.Unmarshal([]byte(l), &e); err != nil {
				t.Fatalf("line %d: %v", n+1, err)
			}
			s.tell(e)
		}
	}
	s.draw()
	return s
}

// tell lets an event happen that says itself in which session.
func (s *stage) tell(e event.Event) {
	s.seq++
	e.Seq, e.Time = s.seq, s.now
	if e.Session == "" {
		e.Session = sessionID
	}
	s.reduce(Happened{e})
	s.control.Apply(e)
}

// picture is the terminal as text: a bar marks live rows.
func picture(s *stage) string {
	var b strings.Builder
	top := len(s.screen.rows) - s.screen.h + s.screen.y
	if s.shown.Caret.Visible {
		top -= s.shown.Caret.Row
	}
	begun := false
	for i, r := range s.screen.rows {
		text := strings.TrimRight(r.text(), " ")
		begun = begun || text != "" || i >= top
		switch {
		case !begun:
		case i < top:
			fmt.Fprintf(&b, "%s\n", strings.TrimRight("  "+text, " "))
		case i < top+len(s.shown.Live):
			fmt.Fprintf(&b, "%s\n", strings.TrimRight("| "+text, " "))
		}
	}
	return b.String()
}
