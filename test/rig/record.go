package rig

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"

	"parley/internal/event"
)

// Record lets a session happen as a script says and returns what its first
// client saw of it, normalized (see [Home.normalize]): real daemons, real tools, real
// files; only the model's words are written down. The script is a txtar archive:
// model is what the model says (package llm/script), config a configuration,
// play what people do, and every other file is one of the workspace. The lines
// of play are
//
//	NAME opens               begin the session; its first client is the one that is recorded
//	NAME joins               connect to it
//	NAME leaves              hang up
//	NAME COMMAND [ARGUMENTS] any command of the protocol; text, or its data as JSON
//	NAME answers KEY         answer the ask that was opened last; or the answer as JSON
//	NAME sees KIND VALUE…    read on to such an event; the values are as in a Talk
//	NAME reads TEXT          read on until this has been written, by the model or by a call
//	pause 7s                 let time pass
//	$ COMMAND                run a command of the shell in the workspace
//	kill                     the daemon dies as of a power failure
//	serve                    another one starts, and who was connected is so again
//
// ${WORK} is the workspace, ${SESSION} the session. The recording ends with the
// event that its client was last waiting for.
//
// With speed above 1 people and the model are that many times as fast: what
// happens is the same, the times are not. So that it is, people of a script act
// only while something waits for them: an ask, a call that reads from a pipe, or
// a model with a delay that is not waited for. A pipe is good for one time: who
// opens it anew may meet the one who is about to close it.
func (h *Home) Record(name string, script []byte, speed float64) ([]event.Event, error) {
	r := &recorder{home: h, speed: max(speed, 1), clients: map[string]*talker{}}
	defer r.close()
	play, err := r.set(txtar.Parse(script))
	if err == nil {
		err = r.serve()
	}
	for i, line := range strings.Split(play, "\n") {
		if line = strings.TrimSpace(line); err != nil || line == "" || line[0] == '#' {
			continue
		}
		if err = r.line(line); err != nil {
			err = fmt.Errorf("%s:%d: %s\n%w\n%s", name, i+1, line, err, r.said())
		}
	}
	if err != nil {
		return nil, err
	}
	me := r.clients[r.me]
	if me == nil {
		return nil, fmt.Errorf("%s: nobody opens the session, or who did has left", name)
	}
	return h.normalize(append(r.seen, me.Lines()[:me.events]...))
}

// A recorder is on its way through the script of a recording.
type recorder struct {
	home    *Home
	speed   float64
	daemon  *Daemon
	clients map[string]*talker
	me      string // who is recorded
	seen    []Line // by it, on connections that are lost
	session event.SessionID
	ask     event.AskID // that was opened last
	sent    int
}

func (r *recorder) close() {
	for _, c := range r.clients {
		c.Close()
	}
	if r.daemon != nil {
		// What it still had to do is nobody's any more, and neither is its error.
		_ = r.daemon.Stop()
	}
}

// said is what the recorded client saw last, for an error.
func (r *recorder) said() string {
	if me := r.clients[r.me]; me != nil {
		var out strings.Builder
		lines := me.Lines()
		for _, l := range lines[max(0, len(lines)-8):] {
			fmt.Fprintf(&out, "%d %s %s\n", l.Seq, l.Type, lookup(l.Raw, "data"))
		}
		return out.String()
	}
	return r.home.Log()
}

// set makes the workspace, the model and the configuration.
func (r *recorder) set(a *txtar.Archive) (play string, err error) {
	model := filepath.Join(r.home.Getenv("HOME"), "sonnet")
	config := fmt.Sprintf(`{"model":"script/%s","providers":{"script":{"models":{%q:{"context":200000}}}}}`, model, model)
	for _, f := range a.Files {
		path, data := filepath.Join(r.home.Work, f.Name), f.Data
		switch f.Name {
		case "play":
			play = string(f.Data)
			continue
		case "config":
			config = strings.ReplaceAll(string(f.Data), "MODEL", model)
			continue
		case "model":
			path = model
			if data, err = hurried(f.Data, r.speed); err != nil {
				return "", err
			}
		}
		if err := writeFile(path, data); err != nil {
			return "", err
		}
	}
	return play, writeFile(filepath.Join(r.home.Getenv("XDG_CONFIG_HOME"), "parley", "config.jsonc"), []byte(config))
}

func writeFile(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}

// hurried is the script of a model that is so many times as fast.
func hurried(script []byte, times float64) ([]byte, error) {
	var out strings.Builder
	for _, text := range strings.Split(string(script), "\n") {
		if text = strings.TrimSpace(text); text == "" || text[0] != '{' {
			continue
		}
		var line map[string]any
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			return nil, fmt.Errorf("%w: %s", err, text)
		}
		scale(line, "delay_ms", 1/times)
		scale(line, "rate", times)
		if fail, ok := line["fail"].(map[string]any); ok {
			scale(fail, "retry_after", 1/times)
		}
		b, err := json.Marshal(line)
		if err != nil {
			return nil, err
		}
		out.Write(append(b, '\n'))
	}
	return []byte(out.String()), nil
}

func scale(line map[string]any, key string, by float64) {
	if n, ok := line[key].(float64); ok {
		line[key] = n * by
		if key == "delay_ms" {
			line[key] = int(n * by)
		}
	}
}
