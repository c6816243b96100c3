package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// ask asks the model server for an answer as a bare HTTP client.
func ask(base, model string) (*http.Response, error) {
	r, err := http.Post(base+"/chat/completions", "application/json", strings.NewReader(fmt.Sprintf(`{"model":%q,"stream":true,"messages":[{"role":"user","content":"go"}]}`, model)))
	if err != nil {
		return nil, err
	}
	if r.StatusCode != http.StatusOK {
		r.Body.Close()
		return nil, fmt.Errorf("model server: %s", r.Status)
	}
	return r, nil
}

// raw reads an answer to its end: the server's own time.
func (b *bench) raw(model string) (time.Duration, error) {
	begin := time.Now()
	r, err := ask(b.model.base, model)
	if err != nil {
		return 0, err
	}
	defer r.Body.Close()
	_, err = io.Copy(io.Discard, r.Body)
	return time.Since(begin), err
}

// decodeChild is this program as a client that does nothing with an answer but decode it, the plain way. It prints what
// that took, in nanoseconds: time, processor time, deltas.
func decodeChild(base, model string) error {
	before, begin := ownTime(), time.Now()
	r, err := ask(base, model)
	if err != nil {
		return err
	}
	defer r.Body.Close()
	n := 0
	lines := bufio.NewScanner(r.Body)
	for lines.Scan() {
		data, ok := bytes.CutPrefix(lines.Bytes(), []byte("data: {"))
		if !ok {
			continue
		}
		var chunk struct {
			Choices []struct {
				Delta struct {
					Content string `json:"content"`
				} `json:"delta"`
			} `json:"choices"`
		}
		if err := json.Unmarshal(append([]byte("{"), data...), &chunk); err != nil {
			return err
		}
		for _, c := range chunk.Choices {
			if c.Delta.Content != "" {
				n++
			}
		}
	}
	if err := lines.Err(); err != nil {
		return err
	}
	_, err = fmt.Println(time.Since(begin).Nanoseconds(), (ownTime() - before).Nanoseconds(), n)
	return err
}

// ownTime is the processor time that this process has used.
func ownTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// decode runs decodeChild.
func (b *bench) decode(model string) (wall, used time.Duration, err error) {
	self, err := os.Executable()
	if err != nil {
		return 0, 0, err
	}
	out, err := exec.Command(self, "decode", b.model.base, model).Output()
	if err != nil {
		return 0, 0, fmt.Errorf("decoding alone: %w", err)
	}
	var n int
	_, err = fmt.Sscan(string(out), &wall, &used, &n)
	return wall, used, err
}

// echo is a server on a Unix socket that sends back each line at once, for a
// round trip that nothing is done for.
func (b *bench) echo() (client net.Conn, err error) {
	path := filepath.Join(b.dir, "echo")
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, err
	}
	go func() {
		defer l.Close()
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		r := bufio.NewReader(conn)
		for {
			line, err := r.ReadSlice('\n')
			if err != nil {
				return
			}
			if _, err := conn.Write(line); err != nil {
				return
			}
		}
	}()
	return net.Dial("unix", path)
}
