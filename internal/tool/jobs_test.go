package tool_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/tool"
)

// machine is a World whose commands print their name and then run until their context or gate ends.
func machine(gate <-chan struct{}) tool.World {
	return tool.World{
		Now: time.Now,
		Exec: func(ctx context.Context, c tool.Command) (tool.Exit, error) {
			if c.Args[0] == "bad" {
				return tool.Exit{}, errors.New("no such program")
			}
			c.Started(7)
			c.Output(tool.Stdout, []byte(c.Args[0]+"\n"))
			select {
			case <-ctx.Done():
				return tool.Exit{Code: 143, Signal: "terminated"}, nil
			case <-gate:
				return tool.Exit{Code: 2}, nil
			}
		},
		Spill: func(string) (io.WriteCloser, string, error) { return &kept{}, "FILE", nil },
	}
}

// The life of a job, seen from every side: started, listed, read, ended by itself, by Kill, by its time limit
// and by Close; each end is told once.
func TestJobs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := make(chan struct{})
		w := machine(gate)
		var told []string
		jobs := tool.NewJobs(func(j tool.Job) { told = append(told, fmt.Sprint(j.ID, " ", j.State)) })
		start := time.Now()
		first, err := jobs.Start(w, tool.Task{Call: "c1", Command: "serve", Description: "a server", Args: []string{"serve"}, Dir: "/w"})
		want := tool.Job{
			ID: "job-1", Call: "c1", Command: "serve", Description: "a server", Dir: "/w", PID: 7, State: tool.JobRunning,
			Started: start, File: "FILE", Bytes: 6,
		}
		synctest.Wait()
		if first, err = jobs.Get("job-1"); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, first); d != "" {
			t.Error(d)
		}
		for range 3 {
			if _, err := jobs.Start(w, tool.Task{Args: []string{"x"}, Timeout: time.Hour}); err != nil {
				t.Fatal(err)
			}
		}
		killed, err := jobs.Kill("job-2")
		if killed.State != tool.JobKilled || killed.Exit.Code != 143 || err != nil {
			t.Errorf("%+v %v", killed, err)
		}
		if again, err := jobs.Kill("job-2"); again.State != tool.JobKilled || err != nil {
			t.Errorf("%+v %v", again, err)
		}
		brief, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if _, err := jobs.Wait(brief, "job-3"); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		late, err := jobs.Wait(context.Background(), "job-3")
		if late.State != tool.JobKilled || late.Ended.Sub(late.Started) != time.Hour || err != nil {
			t.Errorf("%+v %v", late, err)
		}
		synctest.Wait()
		gate <- struct{}{}
		done, err := jobs.Wait(context.Background(), "job-1")
		want.State, want.Ended, want.Exit = tool.JobExited, done.Ended, tool.Exit{Code: 2}
		if d := cmp.Diff(want, done); d != "" || err != nil {
			t.Error(d, err)
		}
		if text, err := jobs.Output("job-1"); text != "serve\n" || err != nil {
			t.Errorf("%q %v", text, err)
		}
		if _, err := jobs.Start(w, tool.Task{Args: []string{"bad"}}); err == nil || err.Error() != "no such program" {
			t.Error(err)
		}
		if _, err := jobs.Start(w, tool.Task{Args: []string{"last"}}); err != nil {
			t.Fatal(err)
		}
		jobs.Close()
		if _, err := jobs.Start(w, tool.Task{Args: []string{"x"}}); err == nil {
			t.Error("started after Close")
		}
		var states []string
		for _, j := range jobs.List() {
			states = append(states, fmt.Sprint(j.ID, " ", j.State))
		}
		wantStates := []string{"job-1 exited", "job-2 killed", "job-3 killed", "job-4 killed", "job-6 killed"}
		if d := cmp.Diff(wantStates, states); d != "" {
			t.Error(d)
		}
		if len(told) != 5 || told[0] != "job-2 killed" {
			t.Errorf("%q", told)
		}
		for _, err := range []error{
			second(jobs.Get("job-9")), second(jobs.Kill("job-5")), second(jobs.Output("")), second(jobs.Wait(brief, "x")),
		} {
			if !errors.Is(err, tool.ErrNoJob) {
				t.Error(err)
			}
		}
	})
}

func second[T any](_ T, err error) error { return err }

// A session cannot start jobs without end, and forgets the oldest that ended.
func TestJobLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := make(chan struct{})
		w := machine(gate)
		w.Spill = nil
		jobs := tool.NewJobs(nil)
		started := 0
		for {
			if _, err := jobs.Start(w, tool.Task{Args: []string{"x"}}); err != nil {
				break
			}
			started++
		}
		if started != 32 {
			t.Errorf("%d jobs", started)
		}
		close(gate)
		synctest.Wait()
		for range 100 {
			j, err := jobs.Start(w, tool.Task{Args: []string{"x"}})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := jobs.Wait(context.Background(), j.ID); err != nil {
				t.Fatal(err)
			}
		}
		if n := len(jobs.List()); n > 65 {
			t.Errorf("%d remembered", n)
		}
		jobs.Close()
	})
	var none *tool.Jobs
	if _, err := none.Start(tool.World{}, tool.Task{}); !errors.Is(err, tool.ErrRefused) {
		t.Error(err)
	}
	if none.List() != nil {
		t.Error("a list of nothing")
	}
	none.Close()
}
