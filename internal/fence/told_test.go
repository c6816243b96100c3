package fence

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley/internal/fence/inside"
)

// office is a plan for reading messages by.
func office() *Reader {
	return newReader("/work", plan{
		mounts: []inside.Mount{
			{Kind: inside.Write, Path: "/tmp"}, {Kind: inside.Write, Path: "/work"}, {Kind: inside.Hide, Path: "/work/.env"},
			{Kind: inside.Write, Path: "/work/.git"}, {Kind: inside.Read, Path: "/work/.git/config"}, {Kind: inside.Hide, Path: "/home/u/.ssh"},
		},
		names: [][2]string{{"/home/link/.ssh", "/home/u/.ssh"}},
	})
}

// The file is the documentation of what is understood.
func TestMessages(t *testing.T) {
	text, err := os.ReadFile("testdata/messages.txt")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	for i, message := range lines {
		if message == "" || message[0] == '#' || message[0] == '\t' {
			continue
		}
		want := ""
		if i+1 < len(lines) && strings.HasPrefix(lines[i+1], "\t") {
			want = strings.TrimSpace(lines[i+1])
		}
		r := office()
		// A message may come in pieces, among other lines.
		r.Read(1, []byte("before\n"+message[:len(message)/2]))
		r.Read(2, []byte("on the other stream\n"))
		r.Read(1, []byte(message[len(message)/2:]+"\nafter"))
		got := ""
		for _, f := range r.Refusals() {
			got += fmt.Sprintf(" %s %s", map[bool]string{true: "write", false: "read"}[f.Write], f.Path)
		}
		if got = strings.TrimSpace(got); got != want {
			t.Errorf("%s\n\t%q, want %q", message, got, want)
		}
	}
}

// Whatever is printed, what is told is forbidden, bounded, and each path once.
func TestMessagesLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := office()
		pieces := rapid.SliceOf(rapid.SampledFrom([]string{
			"cat: ", "/home/u/.ssh/x", ": Permission denied", "\n", "'", "\"", "Read-only file system", "open ", "/work/.env", "/etc/", "a", ":", " ", "\x00", "é",
			strings.Repeat("x", 5000), "[Errno 13] ", "EROFS", "touch: cannot touch '", "../", "./",
		})).Draw(t, "pieces")
		for i, p := range pieces {
			r.Read(i%2, []byte(p))
		}
		seen := map[string]bool{}
		found := r.Refusals()
		for _, f := range found {
			if seen[f.Path] || !r.plan.hidden(f.Path) && (!f.Write || r.plan.writable(f.Path)) {
				t.Fatalf("%+v", f)
			}
			seen[f.Path] = true
		}
		if len(found) > mostPaths {
			t.Fatal(len(found))
		}
	})
}
