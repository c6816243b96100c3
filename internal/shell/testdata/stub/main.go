// The program that tests put on a PATH: it notes how it was called in the file $STUB_LOG, and does what its words say.
package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Call is a line of the log.
type Call struct {
	Args, Env []string
	Folder    string
}

func main() {
	note()
	// What is printed is not lost work: only spew ends where nobody reads.
	signal.Ignore(syscall.SIGPIPE)
	code := 0
	for _, a := range os.Args[1:] {
		name, value, _ := strings.Cut(a, "=")
		n, _ := strconv.Atoi(value)
		switch name {
		case "out":
			os.Stdout.WriteString(value + "\n")
		case "err":
			os.Stderr.WriteString("stub: " + value + "\n")
		case "cat":
			io.Copy(os.Stdout, os.Stdin)
		case "read":
			io.ReadFull(os.Stdin, make([]byte, n))
		case "spew": // until nobody reads any more, which ends this by SIGPIPE
			signal.Reset(syscall.SIGPIPE)
			block := bytes.Repeat([]byte("spew\n"), 1000)
			for {
				if _, err := os.Stdout.Write(block); err != nil {
					os.Exit(99)
				}
			}
		case "sleep":
			time.Sleep(time.Hour)
		case "descriptors": // those that were handed on beside the three
			for fd := 3; fd < 100; fd++ {
				if flags, _, err := syscall.Syscall(syscall.SYS_FCNTL, uintptr(fd), syscall.F_GETFD, 0); err == 0 && flags&syscall.FD_CLOEXEC == 0 {
					os.Stdout.WriteString(strconv.Itoa(fd) + "\n")
				}
			}
		case "signal":
			syscall.Kill(os.Getpid(), syscall.Signal(n))
			time.Sleep(time.Second) // it comes to another thread, perhaps later
		case "exit":
			code = n
		}
	}
	os.Exit(code)
}

func note() {
	name, ok := os.LookupEnv("STUB_LOG")
	if !ok {
		return
	}
	env := os.Environ()
	slices.Sort(env)
	folder, _ := syscall.Getwd()
	line, _ := json.Marshal(Call{os.Args, env, folder})
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
	if err != nil {
		os.Exit(98)
	}
	file.Write(append(line, '\n'))
	file.Close()
}
