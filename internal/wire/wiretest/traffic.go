package wiretest

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/transcript"
	"parley/internal/wire"
)

// Updating reports whether the test binary runs with -update, a flag that each
// test package with goldens defines.
func Updating() bool {
	f := flag.Lookup("update")
	return f != nil && f.Value.String() == "true"
}

// Traffic plays each file and compares what the dialects answer with what the
// file says. talk is the dialect of the connection that commands come over,
// listen of the one that events go over; they may be the same. A file is lines:
//
//	# a comment; kept, as are empty lines
//	> a frame of the client
//	= a command that it becomes: id, name, session, data; or hello, follow, await, close
//	! an event of the log: its JSON, or KIND [@CAUSE] [DATA] in the envelope of
//	  what is open
//	% KIND ID DATA: the outcome of a command. KIND is a kind of command.Data such
//	  as accepted, or none, or fault; after await the run's events are gathered
//	@ attach | detach | welcome DATA | refuse CODE TEXT
//	< a frame that the client gets
//
// With -update the lines with = and < are written anew.
func Traffic(t *testing.T, glob string, talk, listen *wire.Dialect) {
	t.Helper()
	files, err := filepath.Glob(glob)
	if err != nil || len(files) == 0 {
		t.Fatalf("no traffic in %s: %v", glob, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".traffic"), func(t *testing.T) {
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := Play(t, string(src), talk, listen)
			if Updating() {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if d := cmp.Diff(strings.Split(string(src), "\n"), strings.Split(got, "\n")); d != "" {
				t.Errorf("-file +dialect\n%s", d)
			}
		})
	}
}

// Play returns a traffic file as the dialects answer it.
func Play(t *testing.T, src string, talk, listen *wire.Dialect) string {
	t.Helper()
	p := &player{t: t, talk: talk, listen: listen, state: transcript.New(), await: make(map[string]bool)}
	p.talker = wire.Peer{ID: "c1", Class: wire.Class{Dialect: talk.Name}}
	p.listener = wire.Peer{ID: "c2", Class: wire.Class{Dialect: listen.Name}}
	if talk.Begin != nil {
		p.talker = talk.Begin(p.talker).Peer
	}
	if listen.Begin != nil {
		p.listener = listen.Begin(p.listener).Peer
	}
	if talk == listen {
		p.listener = p.talker
	}
	for _, l := range strings.Split(strings.TrimSuffix(src, "\n"), "\n") {
		p.line(l)
	}
	return p.out.String()
}

type player struct {
	t                *testing.T
	talk, listen     *wire.Dialect
	talker, listener wire.Peer
	state            *transcript.State
	log              []event.Event
	await            map[string]bool
	out              strings.Builder
}

func (p *player) line(l string) {
	p.t.Helper()
	mark, rest, _ := strings.Cut(l, " ")
	if mark == "<" || mark == "=" {
		return
	}
	fmt.Fprintln(&p.out, l)
	switch mark {
	case ">":
		p.decoded(p.talk.Decode(p.talker, p.state, []byte(rest)))
	case "!":
		e, err := parseEvent(p.state, rest)
		if err != nil {
			p.t.Fatalf("%v in %s", err, l)
		}
		for _, b := range transcript.Check(p.state, e) {
			p.t.Errorf("%s breaks %v", l, b)
		}
		p.log = append(p.log, e)
		p.frames(p.listen.Frames(p.listener, p.state, e))
		p.state.Seq = e.Seq // also where nothing of it was news
	case "%":
		p.result(rest)
	case "@":
		p.other(rest)
	}
}

func (p *player) frames(frames []wire.Frame) {
	for _, f := range frames {
		fmt.Fprintf(&p.out, "< %s\n", f)
	}
}

func (p *player) decoded(in wire.Decoded) {
	if p.talk == p.listen {
		p.listener = in.Peer
	}
	p.talker = in.Peer
	if h := in.Hello; h != nil {
		fmt.Fprintf(&p.out, "= hello %s %s build %s session %q cwd %q env %v capabilities %v%s\n", h.Name, h.Version, h.Build, h.Session, h.Cwd, h.Env, h.Capabilities, since(h.Since))
	}
	if f := in.Follow; f != nil {
		fmt.Fprintf(&p.out, "= follow %q%s\n", f.Session, since(f.Since))
	}
	for _, c := range in.Commands {
		fmt.Fprintf(&p.out, "= %s %s", c.ID, command.Name(c.Body))
		if c.Session != "" {
			fmt.Fprintf(&p.out, " %s", c.Session)
		}
		fmt.Fprintf(&p.out, " %s\n", compact(c.Body))
		if in.Await {
			p.await[c.ID] = true
			fmt.Fprintf(&p.out, "= await %s\n", c.ID)
		}
	}
	p.frames(in.Replies)
	if in.Close {
		fmt.Fprintln(&p.out, "= close")
	}
}

func since(seq *event.Seq) string {
	if seq == nil {
		return ""
	}
	return fmt.Sprintf(" since %d", *seq)
}

func compact(v any) string {
	var w bytes.Buffer
	enc := json.NewEncoder(&w)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err.Error()
	}
	return strings.TrimSpace(w.String())
}

// datas are the kinds of data that a result line may name.
var datas = func() map[string]reflect.Type {
	m := make(map[string]reflect.Type)
	for _, d := range Data() {
		m[strings.ToLower(reflect.TypeOf(d).Name())] = reflect.TypeOf(d)
	}
	return m
}()

func (p *player) result(l string) {
	p.t.Helper()
	kind, rest, _ := strings.Cut(l, " ")
	id, text, _ := strings.Cut(rest, " ")
	r := command.Result{ID: id}
	switch typ := datas[kind]; {
	case kind == "none":
	case kind == "fault":
		code, message, _ := strings.Cut(text, " ")
		r.Fault = command.Faultf(command.Code(code), "%s", message)
		if r.Fault.Message == wire.ErrTimeout.Message {
			r.Fault = wire.ErrTimeout
		}
	case kind == "raw":
		r.Data = command.Raw{JSON: json.RawMessage(text)}
	case typ != nil:
		v := reflect.New(typ)
		if err := json.Unmarshal([]byte(text), v.Interface()); err != nil {
			p.t.Fatalf("%v in %% %s", err, l)
		}
		r.Data = v.Elem().Interface().(command.Data)
	default:
		p.t.Fatalf("what is %% %s", l)
	}
	a, ok := r.Data.(command.Accepted)
	if !p.await[id] || !ok {
		p.frames(p.talk.Answer(p.talker, p.state, r))
		return
	}
	s, frames := gathered(p.talk, p.log, a)
	p.frames(p.talk.Collect(p.talker, s, r, frames))
}

// collected is what a pump keeps of an awaited run.
func gathered(d *wire.Dialect, log []event.Event, a command.Accepted) (*transcript.State, []wire.Frame) {
	var frames []wire.Frame
	s := transcript.New()
	for _, e := range log {
		for e := range transcript.Advance(s, e) {
			if s.Apply(e); e.Run == a.Run && e.Session == a.Session {
				frames = append(frames, d.Encode(wire.Class{Dialect: d.Name, Capabilities: wire.Collected}, s, e)...)
			}
		}
	}
	return s, frames
}

func (p *player) other(l string) {
	p.t.Helper()
	word, rest, _ := strings.Cut(l, " ")
	switch word {
	case "attach":
		p.frames(p.listen.Attach(p.listener, p.state))
	case "detach":
		if p.listen.Detach != nil {
			p.frames(p.listen.Detach(p.listener, p.state))
		}
	case "welcome":
		var w wire.Welcome
		if err := json.Unmarshal([]byte(rest), &w); err != nil {
			p.t.Fatalf("%v in @ %s", err, l)
		}
		p.frames(p.talk.Welcome(p.talker, w))
	case "refuse":
		code, text, _ := strings.Cut(rest, " ")
		p.frames(p.talk.Error(p.talker, p.state, command.Faultf(command.Code(code), "%s", text)))
	default:
		p.t.Fatalf("what is @ %s", l)
	}
}
