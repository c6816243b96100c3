package e2e

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"parley/internal/event"
	"parley/test/need"
	"parley/test/rig"
)

// errand is a model that needs a little of everything once.
const errand = `
{"when":"errand"}
{"think":"A little of everything.","chunk":8}
{"text":"I look, and I do.","chunk":5}
{"call":{"name":"ls","arguments":{"path":"."}}}
{"call":{"name":"bash","arguments":{"command":"echo done >>effects"}}}
{"stop":""}
{"when":""}
{"text":"That was all.","chunk":5}
{"stop":""}
`

const sessionA, sessionB = event.SessionID("sess-01aaaaaaaaaaaaaaaaaaaaaaaa"), event.SessionID("sess-01bbbbbbbbbbbbbbbbbbbbbbbb")

// traced starts a daemon whose system calls on the files below a folder are
// counted, and perhaps fail. It skips the test where there is no tracer.
func traced(t *testing.T, home *rig.Home, under string, args ...string) (*rig.Daemon, string, error) {
	t.Helper()
	log := filepath.Join(home.Dir, "calls")
	args = append([]string{"-under", under, "-log", log}, append(args, home.Parley(), "serve")...)
	d, err := home.Start(home.Through("tracer", args...))
	if err != nil && strings.Contains(err.Error(), "tracer:") {
		need.No(t, err)
	}
	return d, log, err
}

// A visit is what one client did with a session and what it was told.
type visit struct {
	client  *rig.Client
	session event.SessionID
	refused error // the first refusal
}

// visitTo opens a session, and prompts twice. It ends when the second run has
// ended, or when it was told that something does not go, or was cut off.
func visitTo(home *rig.Home, id event.SessionID) *visit {
	v := &visit{session: id}
	var err error
	if v.client, _, err = rig.Hello(home.Socket, "ann", "", nil, home.Work, "ask"); err != nil {
		v.refused = err
		return v
	}
	if v.do("open", "o", map[string]any{}) && v.do("attach", "a", map[string]any{"since": 0}) {
		_ = v.prompt("1", "errand one") && v.prompt("2", "errand two")
	}
	return v
}

func (v *visit) do(name, id string, data map[string]any) bool {
	if name == "open" {
		data["session"] = v.session
	}
	r, err := v.client.Do(name, id, v.session, data)
	if err == nil {
		err = r.Fault()
	}
	v.refused = err
	return err == nil
}

// prompt waits for the end of the run that it begins.
func (v *visit) prompt(id, text string) bool {
	from := len(v.client.Lines())
	if !v.do("prompt", id, map[string]any{"text": text, "model": "script/model.ndjson", "allow": []string{"bash(echo:*)", "edit(effects)"}}) {
		return false
	}
	line, _, err := v.client.Wait(from, func(l rig.Line) bool { return l.Type == "run.ended" || l.Type == "fault" })
	if err == nil && line.Type == "fault" {
		err = line.Fault()
	}
	v.refused = err
	return err == nil
}

// problems holds a session's log to what a visit saw of it, once all that it
// began is over.
func (v *visit) problems(home *rig.Home) ([]string, error) {
	if v.client == nil {
		return nil, nil
	}
	c, _, err := rig.Hello(home.Socket, "eve", "", nil, home.Work)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	seen, err := rig.Decode(v.client.Lines(), v.session)
	if err != nil {
		return nil, err
	}
	_, err = c.State(v.session)
	if err != nil && len(seen) == 0 && strings.Contains(err.Error(), "not_found") {
		return nil, nil // it was never told that there is one
	}
	if err != nil {
		return nil, err
	}
	if err := c.Idle(v.session); err != nil {
		return nil, err
	}
	log, err := c.Log(v.session)
	if err != nil {
		return nil, err
	}
	out := append(rig.Violations(log), rig.Unanswered(accepted(v.client), log)...)
	return append(out, rig.Mismatches(seen, log)...), nil
}

// afresh makes a home with the model of errands.
func afresh(t *testing.T) *rig.Home {
	t.Helper()
	home := newHome(t)
	if _, err := home.Write("model.ndjson", errand); err != nil {
		t.Fatal(err)
	}
	return home
}

// calls counts the system calls of a whole life: start, two runs, end.
func calls(t *testing.T, under func(*rig.Home) string) []string {
	t.Helper()
	home := afresh(t)
	d, log, err := traced(t, home, under(home))
	if err != nil {
		t.Fatal(err)
	}
	if v := visitTo(home, sessionA); v.refused != nil {
		t.Fatal(v.refused)
	}
	if err := d.Stop(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

// points are the calls at which something happens: all, or a few of them.
func points(n int) []int {
	step := 1
	if !long {
		step = max(1, n/8)
	}
	var out []int
	for i := 1; i <= n; i += step {
		out = append(out, i)
	}
	return out
}

// each runs a case for each point, two at a time.
func each(t *testing.T, points []int, f func(t *testing.T, n int)) {
	turn := make(chan struct{}, 2)
	var wg sync.WaitGroup
	for _, n := range points {
		turn <- struct{}{}
		wg.Go(func() {
			defer func() { <-turn }()
			t.Run(fmt.Sprint(n), func(t *testing.T) { f(t, n) })
		})
	}
	wg.Wait()
}

// At every single write, sync, rename and removal the daemon is killed before it
// happens: the next one opens what there is, and nothing that anybody saw or was
// promised is missing.
func TestKilledAtEverySystemCall(t *testing.T) {
	t.Parallel()
	all := calls(t, func(h *rig.Home) string { return h.Store })
	t.Logf("%d system calls change the store", len(all))
	each(t, points(len(all)), func(t *testing.T, n int) {
		home := afresh(t)
		d, _, err := traced(t, home, home.Store, "-at", fmt.Sprint(n), "-do", "kill")
		v := &visit{session: sessionA}
		if err == nil {
			v = visitTo(home, sessionA)
			if err := d.Stop(); err != nil {
				t.Fatal(err)
			}
		}
		d, err = home.Serve()
		if err != nil {
			t.Fatalf("%s: %v", all[n-1], err)
		}
		problems, err := v.problems(home)
		if err != nil || len(problems) > 0 {
			t.Fatalf("%s: %v\n%s", all[n-1], err, strings.Join(problems, "\n"))
		}
		again := &visit{session: sessionB}
		if again = visitTo(home, sessionB); again.refused != nil {
			t.Errorf("%s: %v", all[n-1], again.refused)
		}
		if err := d.Stop(); err != nil {
			t.Fatal(err)
		}
	})
}

// heal lets the disk take writes again.
func heal(t *testing.T, d *rig.Daemon, log string) {
	t.Helper()
	if err := syscall.Kill(d.PID, syscall.SIGUSR1); err != nil {
		t.Fatal(err)
	}
	if err := rig.Until(func() (bool, error) {
		text, err := os.ReadFile(log)
		return strings.HasSuffix(string(text), "healed\n") || strings.Contains(string(text), "\nhealed\n"), err
	}); err != nil {
		t.Fatal(err)
	}
}

// A disk that is full, or fails, from any one write on: the client is told in
// words, nothing hangs, nothing that was accepted is lost, and the session goes
// on as soon as the disk takes writes again.
func TestFullOrFailingDisk(t *testing.T) {
	t.Parallel()
	all := calls(t, func(h *rig.Home) string { return h.Store })
	for _, errno := range []string{"ENOSPC", "EIO"} {
		t.Run(errno, func(t *testing.T) {
			t.Parallel()
			each(t, points(len(all)), func(t *testing.T, n int) {
				home := afresh(t)
				d, log, err := traced(t, home, home.Store, "-at", fmt.Sprint(n), "-do", errno, "-keep")
				if err != nil {
					// Not even a store could be made; that is said, and all.
					if text := err.Error(); !strings.Contains(text, "the daemon ended at once: parley: ") {
						t.Fatalf("%s: %s", all[n-1], text)
					}
					return
				}
				v := visitTo(home, sessionA)
				select {
				case <-d.Gone():
					// It listened, and then could not tell others where.
					if said := d.Said(); !strings.HasPrefix(said, "parley: ") {
						t.Fatalf("%s: it ended and said %q", all[n-1], said)
					}
					return
				default:
				}
				var fault *rig.Fault
				if v.refused != nil && (!errors.As(v.refused, &fault) || fault.Message == "") {
					t.Fatalf("%s: not a fault: %v", all[n-1], v.refused)
				}
				heal(t, d, log)
				after := visitTo(home, sessionB)
				if after.refused != nil {
					t.Fatalf("%s: another session: %v", all[n-1], after.refused)
				}
				if v.seen() {
					again := goOn(home, sessionA)
					if again.refused != nil {
						t.Fatalf("%s: the session: %v", all[n-1], again.refused)
					}
				}
				problems, err := v.problems(home)
				if err != nil || len(problems) > 0 {
					t.Fatalf("%s: %v\n%s", all[n-1], err, strings.Join(problems, "\n"))
				}
				if err := d.Stop(); err != nil {
					t.Fatal(err)
				}
			})
		})
	}
}

// seen reports whether the client knows of the session.
func (v *visit) seen() bool {
	events, err := rig.Decode(v.client.Lines(), v.session)
	return err == nil && len(events) > 0
}

// goOn prompts in a session that there is.
func goOn(home *rig.Home, id event.SessionID) *visit {
	v := &visit{session: id}
	zero := event.Seq(0)
	if v.client, _, v.refused = rig.Hello(home.Socket, "bob", string(id), &zero, home.Work, "ask"); v.refused == nil {
		v.prompt("1", "errand three")
	}
	return v
}
