package cli

import (
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// A typedLine is a line that a person typed in line mode.
type typedLine struct {
	text  string
	read  time.Time
	begun bool // a part of it had come before: see push
}

// manyLines is how many lines are read ahead, so that it is known when they came.
const manyLines = 1024

// typedLines reads what a person types, line by line.
func typedLines(in io.Reader) <-chan typedLine {
	out := make(chan typedLine, manyLines)
	go func() {
		defer close(out)
		buffer, line, parts := make([]byte, 4096), "", 0
		for {
			n, err := in.Read(buffer)
			now := time.Now()
			for chunk := string(buffer[:n]); chunk != ""; {
				part, rest, ended := strings.Cut(chunk, "\n")
				line += part
				parts++
				if ended {
					out <- typedLine{strings.TrimSuffix(line, "\r"), now, parts > 1}
					line, parts = "", 0
				}
				chunk = rest
			}
			if err != nil {
				if line != "" {
					out <- typedLine{line, now, parts > 1}
				}
				return
			}
		}
	}()
	return out
}

// push makes a terminal hand over the part of a line that was typed and not ended
// yet: it is no answer to what is shown next, nor is what follows on that line. A
// terminal that changes between reading by lines and by characters hands over what
// it has (termios(3), n_tty).
func push(in *os.File) {
	was, err := unix.IoctlGetTermios(int(in.Fd()), getTermios)
	if err != nil || was.Lflag&unix.ICANON == 0 {
		return
	}
	now := *was
	now.Lflag &^= unix.ICANON
	if unix.IoctlSetTermios(int(in.Fd()), setTermios, &now) == nil {
		_ = unix.IoctlSetTermios(int(in.Fd()), setTermios, was) // it was so before
	}
}
