package main

import (
	"crypto/sha256"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// loadArgument makes the program one process of the load.
const loadArgument = "-be-load"

// burdens starts processes that compete for the processor, and every fourth for
// the disk too. They end with end, and with this process however that ends.
func burdens(n int) (end func(), err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "load")
	if err != nil {
		return nil, err
	}
	var pipes []io.Closer
	var running []*exec.Cmd
	end = func() {
		for i, cmd := range running {
			_ = pipes[i].Close()
			_ = cmd.Wait() // it has nothing to say
		}
		_ = os.RemoveAll(dir)
	}
	for i := range n {
		file := ""
		if i%4 == 3 {
			file = filepath.Join(dir, "file"+string(rune('a'+i%26)))
		}
		cmd := exec.Command(self, loadArgument, file)
		pipe, err := cmd.StdinPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			end()
			return nil, err
		}
		pipes, running = append(pipes, pipe), append(running, cmd)
	}
	return end, nil
}

// burden computes until stdin ends, and writes to a file, if it has one, what it
// computes, through to the disk.
func burden(file string) {
	runtime.GOMAXPROCS(2) // one for the end of stdin
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	b := make([]byte, 1<<20)
	for {
		for range 16 {
			sum := sha256.Sum256(b)
			copy(b, sum[:])
		}
		if file == "" {
			continue
		}
		if err := write(file, b); err != nil {
			os.Exit(1)
		}
	}
}

func write(name string, b []byte) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	_, err = file.Write(b)
	return errors.Join(err, file.Sync(), file.Close())
}
