package rig

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"parley/internal/event"
)

// line does what a line says.
func (r *recorder) line(line string) error {
	who, rest, _ := strings.Cut(strings.NewReplacer("${WORK}", r.home.Work, "${SESSION}", string(r.session)).Replace(line), " ")
	switch who {
	case "pause":
		d, err := time.ParseDuration(rest)
		time.Sleep(time.Duration(float64(d) / r.speed))
		return err
	case "$":
		return r.shell(rest)
	case "kill":
		return r.kill()
	case "serve":
		return errors.Join(r.serve(), r.again())
	}
	verb, rest, _ := strings.Cut(rest, " ")
	if verb == "opens" || verb == "joins" {
		return r.connect(who, verb == "opens")
	}
	c := r.clients[who]
	if c == nil {
		return fmt.Errorf("%s is not connected", who)
	}
	switch verb {
	case "leaves":
		delete(r.clients, who)
		return c.Close()
	case "sees":
		return r.sees(c, rest)
	case "reads":
		return r.reads(c, rest)
	case "answers":
		return r.do(c, "answer", r.answer(rest))
	}
	return r.do(c, verb, argument(rest))
}

// shell runs a command in the workspace, for no longer than anything is waited for.
func (r *recorder) shell(command string) error {
	cmd := r.home.Through("sh", "-c", command)
	var said strings.Builder
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		return err
	}
	late := time.AfterFunc(Patience, func() { _ = cmd.Process.Kill() })
	defer late.Stop()
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("%w: %s", err, said.String())
	}
	return nil
}

func (r *recorder) connect(who string, opens bool) error {
	session, since := string(r.session), (*event.Seq)(nil)
	if opens {
		session, since, r.me = "new", new(event.Seq), who
	}
	c, id, err := Hello(r.home.Socket, r.name(who), session, since, r.home.Work, "ask", "presence")
	if err == nil {
		r.session, r.clients[who] = id, &talker{Client: c}
	}
	return err
}

// name is what a client calls itself: the recorded one is a terminal.
func (r *recorder) name(who string) string {
	if who == r.me {
		return "parley"
	}
	return who
}

// sees waits for an event as a Talk does.
func (r *recorder) sees(c *talker, text string) error {
	want, err := parseWant(text)
	if err != nil {
		return err
	}
	line, i, err := c.Wait(c.events, want.holds)
	if err != nil {
		return err
	}
	c.events = i + 1
	if line.Type == "ask.opened" {
		r.ask = event.AskID(lookup(line.Raw, "data.ask"))
	}
	return nil
}

// reads waits for a text, however it was cut.
func (r *recorder) reads(c *talker, text string) error {
	said := ""
	_, i, err := c.Wait(c.events, func(l Line) bool {
		if l.Type == "block.grew" || l.Type == "call.grew" {
			said += lookup(l.Raw, "data.text")
		}
		return strings.Contains(said, text)
	})
	if err == nil {
		c.events = i + 1
	}
	return err
}

// do says a command, which must be accepted.
func (r *recorder) do(c *talker, name string, data json.RawMessage) error {
	r.sent++
	reply, err := c.Do(name, fmt.Sprint(r.sent), r.session, data)
	return errors.Join(err, reply.refusal(err))
}

func (r Reply) refusal(err error) error {
	if err != nil {
		return nil // there is no reply
	}
	return r.Fault()
}

// argument is the data of a command: JSON as it is, anything else its text.
func argument(text string) json.RawMessage {
	switch {
	case text == "":
		return json.RawMessage("{}")
	case text[0] == '{':
		return json.RawMessage(text)
	}
	b, err := json.Marshal(map[string]string{"text": text})
	if err != nil {
		panic(err) // a string
	}
	return b
}

// answer is the data of an answer to the last ask.
func (r *recorder) answer(text string) json.RawMessage {
	data := map[string]any{"keys": []string{text}}
	if strings.HasPrefix(text, "{") {
		data = map[string]any{}
		// What is wrong with it the daemon says.
		_ = json.Unmarshal([]byte(text), &data)
	}
	data["ask"] = r.ask
	b, err := json.Marshal(data)
	if err != nil {
		panic(err) // it came from JSON
	}
	return b
}

// kill ends the daemon and keeps what was seen of it.
func (r *recorder) kill() error {
	if err := r.daemon.Kill(); err != nil {
		return err
	}
	for name, c := range r.clients {
		if err := c.Ended(); err != nil {
			return err
		}
		if name == r.me {
			r.seen = append(r.seen, c.Lines()...)
		}
	}
	return nil
}

func (r *recorder) serve() (err error) {
	r.daemon, err = r.home.Serve()
	return err
}

// again connects everybody after the last event that they saw.
func (r *recorder) again() error {
	for name, c := range r.clients {
		var since event.Seq
		for _, l := range c.Lines() {
			since = max(since, l.Seq)
		}
		conn, _, err := Hello(r.home.Socket, r.name(name), string(r.session), &since, r.home.Work, "ask", "presence")
		if err != nil {
			return err
		}
		r.clients[name] = &talker{Client: conn}
	}
	return nil
}
