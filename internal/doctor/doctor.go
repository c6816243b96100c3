// Package doctor looks for what is broken around the program: configuration,
// keys and servers of models, the fence, the store and its disk, the socket, the daemon,
// the terminal, the programs that tools call.
//
// [Examine] returns what it found, good and bad, in an order that reads from the
// cause to its consequence: a [Finding] says of one thing how well it is, and
// what to do. It guarantees that nothing is changed, no daemon is started and no
// key is in a finding. It does not print, and does not say what a finding is
// worth to whoever called the program.
package doctor

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"time"

	"parley/internal/client"
	"parley/internal/config"
	"parley/internal/fence"
	"parley/internal/runtime"
)

// A Condition is how well something is.
type Condition string

// The conditions, as they are in JSON.
const (
	Good   Condition = "ok"
	Poor   Condition = "warning"
	Broken Condition = "broken"
)

// A Finding is what is said of one thing.
type Finding struct {
	Name  string    `json:"name"`
	State Condition `json:"state"`
	What  string    `json:"what"`
	Do    string    `json:"do,omitempty"` // what mends it
}

// Options are the world that is examined.
type Options struct {
	Env     config.Env
	Dir     string       // the folder that the program is in
	Paths   config.Paths // of no use where NoPaths is set
	NoPaths error        // why it is not known where things are
	Deep    bool         // read every session's file whole
	// Providers are the types of models that there are, and Models is asked which ones.
	Providers runtime.Providers
	Models    *runtime.Models
	Now       func() time.Time

	Socket string // of the daemon
	Chosen bool   // Socket was named by the user
	Build  string // of this program
	// Find connects to a daemon that runs.
	Find func(context.Context) (*client.Conn, error)

	In  *os.File
	Out *os.File // the terminal that is written to; nil: it is none
}

// How long others may take to answer.
const (
	wait  = 5 * time.Second        // a server, and the daemon
	asked = 200 * time.Millisecond // the terminal, when it is asked what it can do
)

// An examination is one look at the world. What a test cannot bring about is a
// field.
type examination struct {
	Options
	wait  time.Duration
	asked time.Duration
	uid   int
	space func(path string) (space, error)
	look  func(program string) (string, error)
	// detect says which fence the machine has.
	detect func() fence.State

	cfg     config.Config
	origins config.Origins
	found   []Finding
}

// Examine looks at everything. A world without paths is looked at as far as that
// goes.
func Examine(ctx context.Context, o Options) []Finding {
	x := newExamination(o)
	x.examine(ctx)
	return x.found
}

func newExamination(o Options) *examination {
	return &examination{Options: o, wait: wait, asked: asked, uid: os.Getuid(), space: diskSpace, look: exec.LookPath, detect: fence.Detect}
}

func (x *examination) say(name string, state Condition, do, format string, args ...any) {
	x.found = append(x.found, Finding{Name: name, State: state, What: fmt.Sprintf(format, args...), Do: do})
}

func (x *examination) examine(ctx context.Context) {
	if x.NoPaths != nil {
		x.say("paths", Broken, "correct the variable", "%s", x.NoPaths)
	} else {
		if x.configuration() {
			x.models(ctx)
		}
		x.fence()
		x.storage()
		x.socketFile()
		x.daemon(ctx)
	}
	x.terminal()
	x.programs()
}
