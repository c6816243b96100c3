package terminal

import (
	"bufio"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/creack/pty"
)

//go:embed xterm.cjs
var script []byte

// Versions are the modules of the versions of xterm.js.
var Versions = map[string]string{"5.5": "@xterm/headless", "6.0": "xterm-headless-6"}

// An Xterm is xterm.js in a process that also reads the program's terminal, so
// that it can change its size between any two bytes.
type Xterm struct {
	master  *os.File
	program *exec.Cmd
	ended   chan struct{}
	node    *exec.Cmd
	in      *json.Encoder
	close   func() error
	dir     string
	tell    *os.File // sizes that are to be set
	told    *os.File
	said    strings.Builder

	mu      sync.Mutex // guards the fields below
	next    int
	answers map[int]chan []byte
	gone    bool
}

// Missing says what an Xterm of this version lacks here; modules is a folder of
// node's.
func Missing(modules, version string) error {
	node, err := exec.LookPath("node")
	if err != nil {
		return errors.New("node is not installed")
	}
	probe := exec.Command(node, "-e", "require(process.argv[1])", filepath.Join(modules, Versions[version]))
	if out, err := probe.CombinedOutput(); err != nil {
		return fmt.Errorf("xterm.js %s is not installed (sh test/tools.sh): %s", version, out)
	}
	return nil
}

// An Opening is how an Xterm is opened.
type Opening struct {
	Dir     string // for its files
	Modules string // node's
	Version string // a key of Versions
	Size    [2]int
	Cut     uint32 // seed of reads that end anywhere; 0: a read takes all that is there
}

// scrollback is how many rows every terminal keeps.
const scrollback = 50000

// Open runs a program in an xterm.js.
func Open(o Opening, program *exec.Cmd) (*Xterm, error) {
	path := filepath.Join(o.Dir, "xterm.cjs")
	if err := os.WriteFile(path, script, 0o644); err != nil {
		return nil, err
	}
	x := &Xterm{program: program, ended: make(chan struct{}), dir: o.Dir, answers: make(map[int]chan []byte)}
	master, slave, err := pty.Open()
	if err != nil {
		return nil, err
	}
	defer slave.Close()
	x.master = master
	if err := pty.Setsize(master, winsize(o.Size)); err != nil {
		return nil, errors.Join(err, master.Close())
	}
	if err := x.start(path, o); err != nil {
		return nil, errors.Join(err, master.Close())
	}
	program.Stdin, program.Stdout, program.Stderr = slave, slave, slave
	program.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := program.Start(); err != nil {
		close(x.ended)
		return nil, errors.Join(err, x.Close())
	}
	go func() {
		_ = program.Wait() // how it ended is in its state
		close(x.ended)
	}()
	return x, nil
}

func winsize(size [2]int) *pty.Winsize {
	return &pty.Winsize{Cols: uint16(size[0]), Rows: uint16(size[1])}
}

// start starts node.
func (x *Xterm) start(path string, o Opening) error {
	ask, tell, err := os.Pipe()
	if err != nil {
		return err
	}
	told, answer, err := os.Pipe()
	if err != nil {
		return err
	}
	x.tell, x.told = ask, answer
	c := exec.Command("node", path, filepath.Join(o.Modules, Versions[o.Version]),
		fmt.Sprint(o.Size[0]), fmt.Sprint(o.Size[1]), fmt.Sprint(scrollback), fmt.Sprint(o.Cut), "pty")
	c.ExtraFiles = []*os.File{x.master, tell, told}
	c.Stderr = &x.said
	in, err := c.StdinPipe()
	if err != nil {
		return err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return err
	}
	if err := c.Start(); err != nil {
		return err
	}
	// Node reads and writes without waiting for a poller.
	if err := syscall.SetNonblock(int(x.master.Fd()), false); err != nil {
		return err
	}
	tell.Close()
	told.Close()
	x.node, x.in, x.close = c, json.NewEncoder(in), in.Close
	go x.size()
	go x.listen(bufio.NewReader(out))
	return nil
}

// size sets the size of the program's terminal whenever node asks for it.
func (x *Xterm) size() {
	for {
		var size [2]int
		if _, err := fmt.Fscan(x.tell, &size[0], &size[1]); err != nil {
			return
		}
		if pty.Setsize(x.master, winsize(size)) != nil {
			return
		}
		if _, err := x.told.Write([]byte{1}); err != nil {
			return
		}
	}
}

// listen hands answers to who asked.
func (x *Xterm) listen(out *bufio.Reader) {
	for {
		line, err := out.ReadBytes('\n')
		x.mu.Lock()
		if err != nil {
			x.gone = true
			for id, c := range x.answers {
				close(c)
				delete(x.answers, id)
			}
			x.mu.Unlock()
			return
		}
		var head struct{ ID int }
		if json.Unmarshal(line, &head) == nil && x.answers[head.ID] != nil {
			x.answers[head.ID] <- line
			delete(x.answers, head.ID)
		}
		x.mu.Unlock()
	}
}

// ask sends a command whose answer comes on the channel.
func (x *Xterm) ask(command map[string]any) (<-chan []byte, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.gone {
		return nil, errors.New("xterm.js ended")
	}
	x.next++
	c := make(chan []byte, 1)
	x.answers[x.next] = c
	command["id"] = x.next
	return c, x.in.Encode(command)
}

func (x *Xterm) do(command map[string]any, into any) error {
	c, err := x.ask(command)
	if err != nil {
		return err
	}
	select {
	case line, ok := <-c:
		if !ok {
			return errors.New("xterm.js ended")
		}
		return json.Unmarshal(line, into)
	case <-time.After(waitLimit):
		return fmt.Errorf("xterm.js does not answer to %v", command)
	}
}

// Type hands keys to the program.
func (x *Xterm) Type(keys string) error {
	_, err := x.master.WriteString(keys)
	return err
}

// Reflex types keys as soon as the program writes a text. The text may be read,
// and not be shown yet.
func (x *Xterm) Reflex(text, keys string) error {
	return x.do(map[string]any{"reflex": text, "keys": []byte(keys)}, &struct{}{})
}

// Typed reports whether the text of the last Reflex came.
func (x *Xterm) Typed() bool {
	var said struct{ Typed bool }
	return x.do(map[string]any{"typed": true}, &said) == nil && said.Typed
}

// Shown are the rows in which frames showed the cursor, as they were then, in
// order.
func (x *Xterm) Shown() ([]string, error) {
	var said struct{ Shown []string }
	err := x.do(map[string]any{"shown": true}, &said)
	return said.Shown, err
}

// Resize changes the size, of the program's side and of the screen, at once.
func (x *Xterm) Resize(w, h int) error {
	return x.do(map[string]any{"exchange": []int{w, h}}, &struct{}{})
}

// Storm changes sizes while the program tells its fixture; what it returns waits
// for the end of that.
func (x *Xterm) Storm(s Storm) (wait func() error, err error) {
	c, err := x.ask(map[string]any{"storm": s})
	return func() error {
		select {
		case _, ok := <-c:
			if !ok {
				return errors.New("xterm.js ended in the storm")
			}
			return nil
		case <-time.After(2 * waitLimit):
			return errors.New("the fixture does not get to the end of the storm")
		}
	}, err
}

// Look returns what can be seen.
func (x *Xterm) Look() (Look, error) {
	var l Look
	return l, x.do(map[string]any{"look": true}, &l)
}

// Lines returns the lines of scrollback and screen, soft-wrapped rows joined.
func (x *Xterm) Lines() ([]string, error) {
	var said struct{ Lines []string }
	err := x.do(map[string]any{"lines": true}, &said)
	return said.Lines, err
}

// Reach waits until the program has written a line of its fixture.
func (x *Xterm) Reach(line int) error {
	return x.do(map[string]any{"reach": line}, &struct{}{})
}

// Tape returns all that happened so far.
func (x *Xterm) Tape() (Tape, error) {
	path := filepath.Join(x.dir, "tape")
	if err := x.do(map[string]any{"tape": path}, &struct{}{}); err != nil {
		return nil, err
	}
	return Load(path)
}

// Program is the command, which tells its pid.
func (x *Xterm) Program() *exec.Cmd { return x.program }

// Ended is closed when the program has ended.
func (x *Xterm) Ended() <-chan struct{} { return x.ended }

// Close ends the program, as the loss of its terminal does, and xterm.js.
func (x *Xterm) Close() error {
	if x.program.Process != nil {
		// It may have ended.
		_ = syscall.Kill(-x.program.Process.Pid, syscall.SIGKILL)
	}
	<-x.ended
	err := x.close()
	wait := x.node.Wait()
	x.master.Close()
	x.tell.Close()
	x.told.Close()
	if wait != nil {
		err = errors.Join(err, fmt.Errorf("xterm.js: %w: %s", wait, x.said.String()))
	}
	return err
}
