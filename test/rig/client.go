package rig

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"parley/internal/event"
)

// A Client is one native connection. It keeps every line it saw, as bytes.
type Client struct {
	conn net.Conn

	mu    sync.Mutex // guards the fields below
	lines []Line
	err   error
	more  chan struct{} // closed when a line comes or the connection ends
}

// A Line is one line of the daemon.
type Line struct {
	Raw  string    `json:"-"`
	Type string    `json:"type"` // of an event: its kind
	Seq  event.Seq `json:"seq"`  // 0: not an event
	ID   string    `json:"id"`   // of a result
}

// Dial connects to a daemon. Nothing is said yet.
func Dial(socket string) (*Client, error) {
	c, err := Connect(socket)
	if err == nil {
		go c.read()
	}
	return c, err
}

// Connect is a client that never reads: what it is sent stays in the socket.
func Connect(socket string) (*Client, error) {
	conn, err := net.Dial("unix", socket)
	if err != nil {
		return nil, err
	}
	return &Client{conn: conn, more: make(chan struct{})}, nil
}

func (c *Client) read() {
	r := bufio.NewReaderSize(c.conn, 64<<10)
	for {
		text, err := r.ReadString('\n')
		c.mu.Lock()
		if err == nil {
			l := Line{Raw: strings.TrimSuffix(text, "\n")}
			err = json.Unmarshal([]byte(text), &l)
			c.lines = append(c.lines, l)
		}
		c.err = err
		close(c.more)
		c.more = make(chan struct{})
		c.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// Send says a line.
func (c *Client) Send(line string) error {
	_, err := io.WriteString(c.conn, line+"\n")
	return err
}

// Do says a command and waits for its result, which it returns without a look
// at whether it is good.
func (c *Client) Do(name, id string, session event.SessionID, data any) (Reply, error) {
	body, err := json.Marshal(data)
	if err != nil {
		return Reply{}, err
	}
	from := len(c.Lines())
	if err := c.Send(fmt.Sprintf(`{"type":%q,"id":%q,"session":%q,"data":%s}`, name, id, session, body)); err != nil {
		return Reply{}, err
	}
	line, _, err := c.Wait(from, func(l Line) bool { return l.Type == "result" && l.ID == id })
	if err != nil {
		return Reply{}, fmt.Errorf("%s: %w", name, err)
	}
	var r Reply
	return r, json.Unmarshal([]byte(line.Raw), &r)
}

// A Reply is a result as it stands on the wire.
type Reply struct {
	OK    bool            `json:"ok"`
	Data  json.RawMessage `json:"data"`
	Error *Fault          `json:"error"`
}

// A Fault is a refusal as it stands on the wire.
type Fault struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Error is what a person reads.
func (f *Fault) Error() string { return f.Code + ": " + f.Message }

// Fault is what a refusal says; nil for an answer.
func (r Reply) Fault() error {
	if r.OK {
		return nil
	}
	if r.Error == nil {
		return errors.New("a refusal without an error")
	}
	return r.Error
}

// Hello connects to a session and returns its id and the welcome. Session is an
// id, new, last or empty; since is nil for the start of the open run.
func Hello(socket, name, session string, since *event.Seq, cwd string, capabilities ...string) (*Client, event.SessionID, error) {
	c, err := Dial(socket)
	if err != nil {
		return nil, "", err
	}
	if err := c.Send(HelloLine(name, session, since, cwd, capabilities...)); err != nil {
		return c, "", err
	}
	line, _, err := c.Wait(0, func(l Line) bool { return l.Type == "welcome" || l.Type == "fault" })
	if err == nil && line.Type == "fault" {
		err = line.Fault()
	}
	var said struct {
		Session event.SessionID `json:"session"`
	}
	if err == nil {
		err = json.Unmarshal([]byte(line.Raw), &said)
	}
	return c, said.Session, err
}

// Fault is what a line of type fault says.
func (l Line) Fault() error {
	var f struct {
		Error *Fault `json:"error"`
	}
	if err := json.Unmarshal([]byte(l.Raw), &f); err != nil {
		return err
	}
	if f.Error == nil {
		return errors.New("a fault without an error")
	}
	return f.Error
}

// HelloLine is the first line of a client.
func HelloLine(name, session string, since *event.Seq, cwd string, capabilities ...string) string {
	h := map[string]any{"type": "hello", "protocol": 1, "client": map[string]string{"name": name}, "since": since, "cwd": cwd, "capabilities": capabilities}
	if session != "" {
		h["session"] = session
	}
	line, err := json.Marshal(h)
	if err != nil {
		panic(err) // strings and a number
	}
	return string(line)
}

// Lines are all that came so far.
func (c *Client) Lines() []Line {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clip(c.lines)
}

// Said is the end of what came, for people.
func (c *Client) Said() string {
	const most, width = 20, 300
	lines := c.Lines()
	var out strings.Builder
	for _, l := range lines[max(0, len(lines)-most):] {
		out.WriteString(l.Raw[:min(width, len(l.Raw))] + "\n")
	}
	return out.String()
}

// Wait waits for a line past the first from ones and returns it with its index.
// The error of a connection that ends first is io.EOF or what ended it.
func (c *Client) Wait(from int, want func(Line) bool) (Line, int, error) {
	late := time.NewTimer(Patience)
	defer late.Stop()
	for i := from; ; {
		c.mu.Lock()
		lines, err, more := c.lines, c.err, c.more
		c.mu.Unlock()
		for ; i < len(lines); i++ {
			if want(lines[i]) {
				return lines[i], i, nil
			}
		}
		if err != nil {
			return Line{}, i, err
		}
		select {
		case <-more:
		case <-late.C:
			return Line{}, i, fmt.Errorf("it did not come within %s", Patience)
		}
	}
}

// Ended waits for the end of the connection.
func (c *Client) Ended() error {
	_, _, err := c.Wait(0, func(Line) bool { return false })
	if errors.Is(err, io.EOF) || errors.Is(err, net.ErrClosed) || errors.Is(err, syscall.ECONNRESET) {
		return nil
	}
	return err
}

// Close leaves.
func (c *Client) Close() error { return c.conn.Close() }
