package fence

import (
	"fmt"
	"strings"
)

// mostWords bounds how many things of a kind are told in words.
const mostWords = 8

// Stopped says what was stopped, each thing in a few words, for people and for models.
func (t Told) Stopped() []string {
	var list []string
	for _, h := range t.Hosts {
		list = append(list, "connecting to "+h.String())
	}
	list = few(list)
	var paths, other []string
	for _, p := range t.Paths {
		paths = append(paths, map[bool]string{true: "changing ", false: "reading "}[p.Write]+p.Path)
	}
	for _, c := range t.Calls {
		other = append(other, c.words())
	}
	for _, path := range t.Aside {
		other = append(other, "what git would run: it was moved to "+path)
	}
	for _, path := range t.Lost {
		other = append(other, path+" was replaced from outside, and guarded anew")
	}
	for _, text := range t.Plain {
		other = append(other, "the cache "+text+"; the command's own starts empty")
	}
	return append(append(list, few(paths)...), few(other)...)
}

// words names a refused system call.
func (c Call) words() string {
	times := ""
	if c.Count > 1 {
		times = fmt.Sprintf(", %d times", c.Count)
	}
	args := make([]string, len(c.Args))
	for i, a := range c.Args {
		args[i] = fmt.Sprintf("%#x", a)
	}
	return "the system call " + c.Name + "(" + strings.Join(args, ", ") + ")" + times
}

// few keeps the first things of a list, and says how many more there are.
func few(list []string) []string {
	if len(list) <= mostWords {
		return list
	}
	return append(list[:mostWords:mostWords], fmt.Sprintf("%d more like the last", len(list)-mostWords))
}
