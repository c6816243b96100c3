package tool

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"parley/internal/shell"
)

const (
	// maxJobs is how many background commands of a session run at once.
	maxJobs = 32
	// keptJobs is how many that ended are remembered.
	keptJobs = 64
)

// JobState says what a job is doing.
type JobState string

// The states of a job: it runs, it came to its own end, or it was ended by Kill, Close or its time limit.
const (
	JobRunning JobState = "running"
	JobExited  JobState = "exited"
	JobKilled  JobState = "killed"
)

// Task is what a job shall run.
type Task struct {
	// Call names the file of the output; it is the id of the call that starts the job.
	Call        string
	Command     string
	Description string
	// Args is the program and its arguments that run Command, or Plan what runs in their place.
	Args []string
	Dir  string
	Env  []string
	Plan *shell.Plan
	// Timeout ends the job; 0 never does.
	Timeout time.Duration
	// Grow is given the output live and may be nil.
	Grow Grow
}

// Job is one background command as it stands.
type Job struct {
	// ID is "job-" and a number, unique in its Jobs.
	ID          string
	Call        string
	Command     string
	Description string
	Dir         string
	// PID leads the command's session and process group: kill -- -PID ends what did not leave it. Of a plan it is the first
	// program's, 0 where none started.
	PID     int
	State   JobState
	Started time.Time
	// Ended is zero while the job runs.
	Ended time.Time
	Exit  Exit
	// File holds the output, at most MaxSpill bytes of it; "" where there is none.
	File string
	// Bytes is how much output came so far.
	Bytes int64
}

// Jobs are the background commands of one session. They outlive the call and the run that started them
// and end with Close. It is safe for concurrent use; a nil Jobs refuses.
type Jobs struct {
	ended func(Job)
	tell  sync.Mutex

	mu     sync.Mutex
	wait   sync.WaitGroup
	closed bool
	last   int
	jobs   map[string]*job
}

type job struct {
	Job
	output *Output
	cancel context.CancelFunc
	killed bool
	done   chan struct{}
}

// ErrNoJob is returned for an id that no job has.
var ErrNoJob = errors.New("no such job")

// NewJobs returns a session's empty list. ended, which may be nil, is called once for each job that ends,
// never twice at the same time, from a goroutine that Close waits for.
func NewJobs(ended func(Job)) *Jobs { return &Jobs{ended: ended, jobs: map[string]*job{}} }

// Start begins a task in w and returns as soon as its process runs.
func (j *Jobs) Start(w World, t Task) (Job, error) {
	if j == nil {
		return Job{}, fmt.Errorf("background jobs: %w", ErrRefused)
	}
	w = w.complete()
	ctx, cancel := context.WithCancel(context.Background())
	if t.Timeout > 0 {
		limited, release := context.WithTimeout(ctx, t.Timeout)
		context.AfterFunc(limited, release)
		ctx = limited
	}
	b, err := j.add(w, t, cancel)
	if err != nil {
		cancel()
		return Job{}, err
	}
	started := make(chan error, 1)
	ran := false
	go func() {
		defer j.wait.Done()
		exit, err := w.Exec(ctx, Command{
			Args: t.Args, Dir: t.Dir, Env: t.Env, Plan: t.Plan, Output: b.output.Write,
			Started: func(pid int) {
				j.mu.Lock()
				b.PID, ran = pid, true
				j.mu.Unlock()
				started <- nil
			},
		})
		b.output.Close()
		after := j.finish(w, b, exit, ctx.Err() != nil, ran)
		cancel()
		if !ran && err == nil {
			err = errors.New("the command did not start")
		}
		if !ran {
			started <- err
		} else if j.ended != nil {
			j.tell.Lock()
			defer j.tell.Unlock()
			j.ended(after)
		}
	}()
	if err := <-started; err != nil {
		return Job{}, err
	}
	return j.Get(b.ID)
}

func (j *Jobs) add(w World, t Task, cancel context.CancelFunc) (*job, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return nil, errors.New("the session is closing")
	}
	running := 0
	for _, b := range j.jobs {
		if b.State == JobRunning {
			running++
		}
	}
	if running >= maxJobs {
		return nil, fmt.Errorf("%d background jobs run already, end one first", running)
	}
	j.last++
	b := &job{
		Job: Job{
			ID: "job-" + strconv.Itoa(j.last), Call: t.Call, Command: t.Command, Description: t.Description,
			Dir: t.Dir, State: JobRunning, Started: w.Now(),
		},
		output: NewOutput(t.Grow, func() (io.WriteCloser, string, error) { return w.Spill(t.Call) }, true),
		cancel: cancel,
		done:   make(chan struct{}),
	}
	j.jobs[b.ID] = b
	j.wait.Add(1)
	j.forget()
	return b, nil
}

// forget drops the oldest jobs that ended.
func (j *Jobs) forget() {
	var over []*job
	for _, b := range j.jobs {
		if b.State != JobRunning {
			over = append(over, b)
		}
	}
	slices.SortFunc(over, func(a, b *job) int { return a.Ended.Compare(b.Ended) })
	for i := 0; i < len(over)-keptJobs; i++ {
		delete(j.jobs, over[i].ID)
	}
}

func (j *Jobs) finish(w World, b *job, exit Exit, cut, ran bool) Job {
	j.mu.Lock()
	defer j.mu.Unlock()
	b.Exit, b.Ended, b.State = exit, w.Now(), JobExited
	if b.killed || cut {
		b.State = JobKilled
	}
	if !ran {
		delete(j.jobs, b.ID)
	}
	close(b.done)
	return b.now()
}

// now copies the job with the size of its output.
func (b *job) now() Job {
	view := b.Job
	view.Bytes, _, view.File = b.output.Size()
	return view
}

func (j *Jobs) find(id string) (*job, error) {
	if j == nil {
		return nil, fmt.Errorf("%w: %s", ErrNoJob, id)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	b, ok := j.jobs[id]
	if !ok {
		return nil, fmt.Errorf("%w: %s", ErrNoJob, id)
	}
	return b, nil
}

// Get returns a job as it stands.
func (j *Jobs) Get(id string) (Job, error) {
	b, err := j.find(id)
	if err != nil {
		return Job{}, err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	return b.now(), nil
}

// List returns every job that is remembered, in the order they were started.
func (j *Jobs) List() []Job {
	if j == nil {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	var all []Job
	for _, b := range j.jobs {
		all = append(all, b.now())
	}
	number := func(b Job) int { n, _ := strconv.Atoi(strings.TrimPrefix(b.ID, "job-")); return n }
	slices.SortFunc(all, func(a, b Job) int { return number(a) - number(b) })
	return all
}

// Output returns what a job wrote so far, cut as a result's text is.
func (j *Jobs) Output(id string) (string, error) {
	b, err := j.find(id)
	if err != nil {
		return "", err
	}
	text, _ := b.output.Text()
	return text, nil
}

// Wait returns when the job has ended, or with the context's error.
func (j *Jobs) Wait(ctx context.Context, id string) (Job, error) {
	b, err := j.find(id)
	if err != nil {
		return Job{}, err
	}
	select {
	case <-b.done:
		return j.Get(id)
	case <-ctx.Done():
		return Job{}, ctx.Err()
	}
}

// Kill ends a job with everything that came from it and returns when it is gone. A job that has ended
// stays as it is.
func (j *Jobs) Kill(id string) (Job, error) {
	b, err := j.find(id)
	if err != nil {
		return Job{}, err
	}
	j.mu.Lock()
	b.killed = b.State == JobRunning
	j.mu.Unlock()
	b.cancel()
	<-b.done
	j.mu.Lock()
	defer j.mu.Unlock()
	return b.now(), nil
}

// Close ends every job and takes no more. It returns when all are gone.
func (j *Jobs) Close() {
	if j == nil {
		return
	}
	j.mu.Lock()
	j.closed = true
	for _, b := range j.jobs {
		b.cancel()
	}
	j.mu.Unlock()
	j.wait.Wait()
}
