package main

import (
	"bufio"
	"context"
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

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

// raw asks the model server for an answer as a bare HTTP client and reads it to
// its end: the server's own time.
func (b *bench) raw(model string) (time.Duration, error) {
	begin := time.Now()
	r, err := http.Post(b.model.base+"/chat/completions", "application/json", strings.NewReader(fmt.Sprintf(`{"model":%q,"stream":true,"messages":[{"role":"user","content":"go"}]}`, model)))
	if err != nil {
		return 0, err
	}
	defer r.Body.Close()
	if r.StatusCode != http.StatusOK {
		return 0, fmt.Errorf("model server: %s", r.Status)
	}
	_, err = io.Copy(io.Discard, r.Body)
	return time.Since(begin), err
}

// sdkChild is this program as a client that does nothing with an answer but have
// the provider's SDK decode it. It prints what that took, in nanoseconds: time,
// processor time, deltas.
func sdkChild(base, model string) error {
	before, begin := ownTime(), time.Now()
	chat := openai.NewChatCompletionService(option.WithBaseURL(base+"/"), option.WithAPIKey("bench"))
	stream := chat.NewStreaming(context.Background(), openai.ChatCompletionNewParams{Model: model, Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("go")}})
	n := 0
	for stream.Next() {
		for _, c := range stream.Current().Choices {
			if c.Delta.Content != "" {
				n++
			}
		}
	}
	if err := stream.Err(); err != nil {
		return err
	}
	_, err := fmt.Println(time.Since(begin).Nanoseconds(), (ownTime() - before).Nanoseconds(), n)
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

// sdk runs sdkChild.
func (b *bench) sdk(model string) (wall, used time.Duration, err error) {
	self, err := os.Executable()
	if err != nil {
		return 0, 0, err
	}
	out, err := exec.Command(self, "sdk", b.model.base, model).Output()
	if err != nil {
		return 0, 0, fmt.Errorf("the SDK alone: %w", err)
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
