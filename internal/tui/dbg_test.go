package tui

import (
	"flag"
	"fmt"
	"parley/internal/term"
	"strings"
	"testing"
)

var dbg = flag.Uint64("dbg", 0, "")
var dbgR = flag.Int("dbgr", 0, "")

func TestDbg(t *testing.T) {
	if *dbg == 0 {
		t.Skip()
	}
	tell(t, *dbg, term.Reflow(*dbgR))
}

var history []string

func (s *stage) trace(what string) {
	if *dbg == 0 {
		return
	}
	var b strings.Builder
	fmt.Fprintf(&b, "== %s size %dx%d cur %d,%d\n", what, s.screen.w, s.screen.h, s.screen.x, s.screen.y)
	for i, l := range s.screen.screen() {
		c := " "
		if i == s.screen.y {
			c = ">"
		}
		if i < s.screen.y-12 {
			continue
		}
		if len(l) > 50 {
			l = l[:50]
		}
		fmt.Fprintf(&b, "%s %q\n", c, l)
	}
	history = append(history, b.String())
	if n := strings.Count(strings.Join(s.screen.logical(), "\n"), "⠋ bash run #00001#"); n > 1 || n == 1 && strings.Contains(strings.Join(s.commits, " "), "bash run #00001#  failed") {
		for _, h := range history[max(0, len(history)-6):] {
			fmt.Println(h)
		}
		s.t.FailNow()
	}
	if strings.HasPrefix(what, "put") {
		got := strings.Join(s.screen.logical(), "\n")
		ok := true
		at := 0
		for _, l := range s.commits {
			i := strings.Index(got[at:], strings.TrimRight(l, " "))
			if i < 0 {
				ok = false
				fmt.Println("LOST", l)
				break
			}
			at += i
		}
		if !ok {
			for _, h := range history[max(0, len(history)-4):] {
				fmt.Println(h)
			}
			s.t.FailNow()
		}
	}
}
