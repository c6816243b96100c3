package e2e

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/internal/event"
	"parley/test/rig"
)

var (
	crashes = flag.Int("crashes", 0, "how often the daemon is killed; 0: 16, or 320 in long runs")
	seed    = flag.Uint64("seed", 0, "of the crashes; 0: another one each time")
)

// labour is a model that says, thinks, calls and asks, whatever came before.
const labour = `
{"when":"labour"}
{"think":"First this, then that, and the rest of it later.","chunk":3,"rate":3000}
{"text":"I shall do three things, one after the other, with care.","chunk":2,"rate":3000}
{"call":{"name":"ls","arguments":{"path":"."}}}
{"call":{"name":"bash","arguments":{"command":"echo done >>effects"}}}
{"call":{"name":"write","arguments":{"path":"note.txt","content":"a note\n"}}}
{"stop":""}
{"when":""}
{"text":"So much for that; here is what came of it, and what did not.","chunk":2,"rate":3000}
{"stop":""}
`

// Whenever the daemon is killed, and however often: what any client has seen is
// kept, what was accepted runs or says why not, no seq is used twice, every
// effect was decided before, the log is legal, and the session goes on.
func TestKilledDaemonKeepsItsPromises(t *testing.T) {
	t.Parallel()
	n, s := *crashes, *seed
	if n == 0 {
		n = 16
		if long {
			n = 320
		}
	}
	if s == 0 {
		s = uint64(time.Now().UnixNano())
	}
	const lanes = 2
	t.Logf("%d crashes, -seed %d", n, s)
	for lane := range lanes {
		t.Run(fmt.Sprint(lane), func(t *testing.T) {
			t.Parallel()
			l := newLane(t, rand.New(rand.NewPCG(s, uint64(lane))))
			for i := range n / lanes {
				if l.round(i); t.Failed() {
					t.Fatalf("at crash %d of -seed %d", i, s)
				}
			}
			l.finish()
		})
	}
}

// lane is one store whose daemon is killed again and again.
type lane struct {
	*testing.T
	home     *rig.Home
	daemon   *rig.Daemon
	random   *rand.Rand
	session  event.SessionID
	sessions []event.SessionID
	inputs   []event.InputID // of the session, accepted
	ends     map[string]int  // what was seen last
}

func newLane(t *testing.T, random *rand.Rand) *lane {
	l := &lane{T: t, home: newHome(t), random: random, ends: make(map[string]int)}
	if _, err := l.home.Write("model.ndjson", labour); err != nil {
		t.Fatal(err)
	}
	l.serve()
	return l
}

func (l *lane) must(err error) {
	l.Helper()
	if err != nil {
		l.Fatalf("%v\n%s", err, tail(l.home.Log(), 2000))
	}
}

func tail(text string, n int) string { return text[max(0, len(text)-n):] }

func (l *lane) serve() {
	l.Helper()
	d, err := l.home.Serve()
	l.must(err)
	l.daemon = d
}

// round lets two clients work with the daemon, kills it somewhere on the way,
// and looks at what the next one has.
func (l *lane) round(i int) {
	name := string(l.session)
	if name == "" || l.random.IntN(6) == 0 {
		name = "new"
	}
	zero := event.Seq(0)
	ann, id, err := rig.Hello(l.home.Socket, "ann", name, &zero, l.home.Work, "ask")
	l.must(err)
	defer ann.Close()
	if name == "new" {
		l.session, l.inputs, l.sessions = id, nil, append(l.sessions, id)
	}
	bob, _, err := rig.Hello(l.home.Socket, "bob", string(id), &zero, l.home.Work, "ask")
	l.must(err)
	defer bob.Close()
	var work sync.WaitGroup
	work.Go(func() { l.write(ann, i) })
	work.Go(func() { answer(bob, id) })
	from := len(ann.Lines())
	after, late := l.random.IntN(110), time.Duration(0)
	if l.random.IntN(2) == 0 {
		late = time.Duration(l.random.IntN(4000)) * time.Microsecond
	}
	// A run that is over before is as good a moment.
	_, _, err = ann.Wait(from, func(line rig.Line) bool {
		after--
		return after <= 0 || line.Type == "run.ended"
	})
	l.must(err)
	time.Sleep(late)
	l.must(l.daemon.Kill())
	// What was in the sockets still is.
	l.must(ann.Ended())
	l.must(bob.Ended())
	work.Wait()
	l.inputs = append(l.inputs, accepted(ann)...)
	if lines := ann.Lines(); len(lines) > 0 {
		l.ends[lines[len(lines)-1].Type]++
	}
	l.serve()
	l.inspect(ann, bob)
}

// write prompts, and perhaps says more while that runs. The daemon may be gone
// at any time.
func (l *lane) write(c *rig.Client, i int) {
	prompt := func(id, text string) {
		_ = c.Send(fmt.Sprintf(`{"type":"prompt","id":%q,"data":{"text":%q,"model":"script/model.ndjson","allow":["bash(echo:*)","edit(effects)"]}}`, id, text))
	}
	prompt("p1", fmt.Sprintf("labour %d", i))
	switch i % 4 {
	case 1:
		prompt("p2", "and labour again")
	case 2:
		_, _, _ = c.Wait(0, func(l rig.Line) bool { return l.Type == "block.grew" })
		_ = c.Send(`{"type":"follow_up","id":"f1","data":{"text":"and then"}}`)
		prompt("p2", "something else")
	case 3:
		_, _, _ = c.Wait(0, func(l rig.Line) bool { return l.Type == "block.grew" })
		when := []event.When{event.WhenPause, event.WhenAfter, event.WhenNow}[i/4%3]
		_ = c.Send(fmt.Sprintf(`{"type":"steer","id":"s1","data":{"text":"rather not","when":%q}}`, when))
	}
}

// answer says yes to every ask, until the connection ends.
func answer(c *rig.Client, session event.SessionID) {
	for at := 0; ; at++ {
		line, i, err := c.Wait(at, func(l rig.Line) bool { return l.Type == "ask.opened" })
		if err != nil {
			return
		}
		at = i
		var opened struct {
			Data event.AskOpened `json:"data"`
		}
		if json.Unmarshal([]byte(line.Raw), &opened) == nil {
			_ = c.Send(fmt.Sprintf(`{"type":"answer","id":"a%d","session":%q,"data":{"ask":%q,"keys":["y"]}}`, at, session, opened.Data.Ask))
		}
	}
}

// accepted are the inputs that the daemon has said yes to.
func accepted(c *rig.Client) []event.InputID {
	var out []event.InputID
	for _, l := range c.Lines() {
		var r struct {
			OK   bool `json:"ok"`
			Data struct {
				Input event.InputID `json:"input"`
			} `json:"data"`
		}
		if l.Type == "result" && json.Unmarshal([]byte(l.Raw), &r) == nil && r.OK && r.Data.Input != "" {
			out = append(out, r.Data.Input)
		}
	}
	return out
}

// inspect waits until what was open is closed and what waited has run, and holds
// the log to what was seen of it.
func (l *lane) inspect(clients ...*rig.Client) {
	c, _, err := rig.Hello(l.home.Socket, "eve", "", nil, l.home.Work)
	l.must(err)
	defer c.Close()
	l.must(c.Idle(l.session))
	log, err := c.Log(l.session)
	l.must(err)
	problems := append(rig.Violations(log), rig.Unanswered(l.inputs, log)...)
	for _, client := range clients {
		seen, err := rig.Decode(client.Lines(), l.session)
		l.must(err)
		problems = append(problems, rig.Mismatches(seen, log)...)
	}
	if len(problems) > 0 {
		l.Errorf("%s:\n%s", l.session, strings.Join(problems, "\n"))
	}
}

// finish lets every session go on, checks all with the program's own check, and
// counts the effects.
func (l *lane) finish() {
	granted := 0
	for _, id := range l.sessions {
		c, _, err := rig.Hello(l.home.Socket, "eve", string(id), nil, l.home.Work, "ask")
		l.must(err)
		go answer(c, id)
		r, err := c.Do("prompt", "1", id, map[string]any{"text": "go on", "model": "script/model.ndjson", "allow": []string{"bash(echo:*)", "edit(effects)"}})
		l.must(err)
		l.must(r.Fault())
		if _, _, err = c.Wait(0, func(l rig.Line) bool { return l.Type == "run.ended" }); err != nil {
			l.Errorf("%s: %v; what came:\n%s", id, err, c.Said())
		}
		log, err := c.Log(id)
		l.must(err)
		names := make(map[event.CallID]string)
		for _, e := range log {
			switch b := e.Body.(type) {
			case event.CallStarted:
				names[b.Call] = b.Name
			case event.PermissionDecided:
				if b.Granted && names[b.Call] == "bash" {
					granted++
				}
			}
		}
		l.must(c.Close())
		out, err := l.home.Run("check", string(id))
		l.must(err)
		if out.Code != 0 || out.Out != "" {
			l.Errorf("check %s: exit %d\n%s%s", id, out.Code, out.Out, out.Err)
		}
	}
	effects, err := os.ReadFile(filepath.Join(l.home.Work, "effects"))
	if err != nil && !os.IsNotExist(err) {
		l.Fatal(err)
	}
	if n := strings.Count(string(effects), "\n"); n > granted {
		l.Errorf("%d effects of %d that were decided", n, granted)
	}
	var where []string
	for kind, n := range l.ends {
		where = append(where, fmt.Sprintf("%s %d", kind, n))
	}
	slices.Sort(where)
	l.Logf("%d sessions; seen last: %s", len(l.sessions), strings.Join(where, ", "))
	l.must(l.daemon.Stop())
}
