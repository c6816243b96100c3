package shell

import (
	"io"
	"path"
	"strconv"
	"strings"
	"unicode/utf8"
)

// own runs a word of our own. Its output may have to wait for a reader, so it runs beside the rest.
func (c *child) own() (wait func() int) {
	text, code := c.says()
	done := make(chan int, 1)
	go func() {
		defer c.release()
		if _, err := io.WriteString(c.streams.Out, text); err != nil && text != "" {
			code = 1
		}
		done <- code
	}()
	return func() int {
		select {
		case code := <-done:
			return code
		case <-c.ctx.Done():
			return 1
		}
	}
}

// says is what a word of our own prints, and its exit code.
func (c *child) says() (text string, code int) {
	switch c.step.Args[0] {
	case "pwd":
		return path.Join(c.plan.root, c.step.Folder) + "\n", 0
	case "false":
		return "", 1
	case "echo":
		return echo(c.arguments()), 0
	}
	return "", 0
}

// arguments are the words after the name, with the digits of $? in them.
func (c *child) arguments() []string {
	args := make([]string, len(c.step.words))
	for i, w := range c.step.words {
		for _, p := range w.parts {
			if p.kind == statusKind {
				p.text = strconv.Itoa(c.code)
			}
			args[i] += p.text
		}
	}
	return args[1:]
}

// echo is what bash's echo prints: its options are words of the letters n, e and E at the beginning.
func echo(args []string) string {
	end, escapes := "\n", false
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' && strings.Trim(args[0][1:], "neE") == "" {
		for _, letter := range args[0][1:] {
			switch letter {
			case 'n':
				end = ""
			default:
				escapes = letter == 'e'
			}
		}
		args = args[1:]
	}
	text := strings.Join(args, " ")
	if escapes {
		var stopped bool
		if text, stopped = unescape(text); stopped {
			end = ""
		}
	}
	return text + end
}

// escapes of echo -e that are one letter.
var escapes = map[byte]byte{'a': 7, 'b': 8, 'e': 27, 'E': 27, 'f': 12, 'n': 10, 'r': 13, 't': 9, 'v': 11, '\\': '\\'}

// coded escapes are a number: its base, and how many digits it has at most.
var coded = map[byte]struct{ base, digits int }{'0': {8, 3}, 'x': {16, 2}, 'u': {16, 4}, 'U': {16, 8}}

// unescape reads the escapes of echo -e; \c stops all output.
func unescape(s string) (text string, stopped bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		letter, simple := escapes[s[i]]
		number, isNumber := coded[s[i]]
		switch {
		case s[i] == 'c':
			return b.String(), true
		case simple:
			b.WriteByte(letter)
		case isNumber:
			n := numeral(s[i+1:], number.base, number.digits)
			value, _ := strconv.ParseUint(s[i+1:i+1+n], number.base, 32)
			b.WriteString(encoded(s[i], value, n))
			i += n
		default:
			b.WriteString(s[i-1 : i+1])
		}
	}
	return b.String(), false
}

// numeral is how many digits of the base begin the text, up to most.
func numeral(s string, base, most int) int {
	n := 0
	for n < len(s) && n < most && strings.IndexByte("0123456789abcdefABCDEF"[:base+base/16*6], s[n]) >= 0 {
		n++
	}
	return n
}

// encoded is what the escape of a letter with a number of so many digits stands for.
func encoded(letter byte, value uint64, count int) string {
	switch {
	case letter == '0':
		return string([]byte{byte(value)})
	case count == 0:
		return "\\" + string(letter)
	case letter == 'x':
		return string([]byte{byte(value)})
	}
	return string(utf8.AppendRune(nil, rune(value)))
}
