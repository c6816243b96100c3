package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"parley/internal/client"
	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/wire"
)

// runOptions are the flags of `parley run`.
type runOptions struct {
	format  string
	set     event.SettingChanged // settings of the session
	allow   []string
	deny    []string
	session string
	cwd     string
	color   string
	attach  []string
	timeout time.Duration // 0: none
	budget  *event.Allowance
	schema  []byte // nil: any answer will do
	// resume goes on with what the session's last run left, without a prompt.
	resume bool
	// patience is how long a server is asked again that fails; nil: until the run is stopped.
	patience *event.Patience
	mode     mode
}

// unwatched is how long a server is asked again where nobody sees that it fails.
const unwatched = 10 * time.Minute

func (a *app) run() *cobra.Command {
	var o runOptions
	var words runWords
	var yes bool
	c := &cobra.Command{
		Use:   "run [PROMPT|-]",
		Short: "Run one prompt and print what happens",
		Long: `Run one prompt in the current folder and print what happens, headless.
With - the prompt is read from stdin; otherwise what is piped in is added to it as context.
Ctrl+C once stops the run and keeps its text, twice leaves. SIGTERM and SIGHUP stop it too.

--model and --reasoning are settings of the session: they hold for this run and those after it, until they are
named again. A session that was given none goes on with what the configuration says.

--format answer prints what the model said last and nothing else, and nothing where the run did not come to its end;
what was denied and what went wrong are on stderr. --format json prints one object at the end: session, run, model,
reason (done, aborted, error, limit, denied), exit, answer, output (the answer as JSON, with --schema), error, usage,
cost_usd (where every price is known), duration_ms, files (path, change, added, removed; those that write and edit changed) and denials (call, tool, title,
code, rule, reason).`,
		Example: "  parley run \"why does the login test fail?\"\n  git diff | parley run \"review this\"\n  parley run --allow 'bash(go test:*)' --allow 'edit(**)' \"fix the build\"",
		RunE: func(c *cobra.Command, args []string) error {
			if yes && o.mode == "" {
				o.mode = mode(event.PermissionAll)
			}
			if o.resume && len(args)+len(o.attach) > 0 {
				return usage("--continue takes no prompt and no --attach: it goes on with what is there")
			}
			if err := a.read(c, words, &o); err != nil {
				return err
			}
			return a.runPrompt(c.Context(), o, args)
		},
	}
	f := c.Flags()
	f.StringVar(&o.format, "format", "plain", a.formatted())
	f.DurationVar(&words.patience, "patience", unwatched, "how long a server that fails is asked again, such as 2h; 0: not at all. On a terminal, where it is not given: until the run is stopped")
	f.StringVar(&words.model, "model", "", modelFlag)
	f.StringVar(&words.effort, "reasoning", "", effortFlag)
	f.DurationVar(&o.timeout, "timeout", 0, "stop the run after this `TIME`, such as 20m; it counts from the start of this command")
	f.StringVar(&words.budget, "budget", "", budgetFlag)
	f.StringVar(&words.schema, "schema", "", "the answer has to fit the JSON Schema in this `FILE`; one that does not is asked for again, with what is wrong")
	f.StringArrayVar(&o.allow, "allow", nil, "permission `RULE` for this run, such as 'bash(go test:*)' (repeatable)")
	f.StringArrayVar(&o.deny, "deny", nil, "permission `RULE` that refuses, for this run (repeatable)")
	f.BoolVar(&o.resume, "continue", false, "without a prompt: go on with the last run of the session, which failed or was stopped, from what is there. Where no session is named: last")
	f.Var(&o.mode, "mode", modeHelp+", for this run")
	f.BoolVar(&yes, "yes", false, "allow everything that no rule denies: --mode all")
	f.StringVar(&o.session, "session", "new", "`ID`, new, or last: the newest of this folder")
	f.StringVar(&o.cwd, "cwd", "", "work in this `FOLDER`")
	f.StringArrayVar(&o.attach, "attach", nil, "an image `FILE` for the model to see (repeatable)")
	f.StringVar(&o.color, "color", "auto", "auto, always or never")
	return c
}

// runWords are flags of `parley run` as they were written.
type runWords struct {
	model, effort, budget, schema string
	patience                      time.Duration
}

// read reads the flags that are more than a text.
func (a *app) read(c *cobra.Command, words runWords, o *runOptions) (err error) {
	given := c.Flags().Changed
	switch {
	case words.patience < 0:
		return usage("--patience %s: it cannot be less than 0", words.patience)
	case given("timeout") && o.timeout <= 0:
		return usage("--timeout %s: it is more than 0", o.timeout)
	case given("patience") || !a.watched(o.format):
		o.patience = &event.Patience{MS: words.patience.Milliseconds()}
	}
	if o.resume && !given("session") {
		o.session = "last"
	}
	if given("budget") {
		if o.budget, err = allowance(words.budget); err != nil {
			return err
		}
	}
	if given("schema") {
		if o.schema, err = schemaFile(words.schema); err != nil {
			return err
		}
	}
	o.set, err = settings(words.model, words.effort)
	return err
}

// watched reports whether a person sees when a server fails: in what is printed, or beside it.
func (a *app) watched(format string) bool {
	_, shown := terminal(a.out)
	_, beside := terminal(a.err)
	return shown || beside && format == "plain"
}

// stdinLimit is the most that is read from stdin, in bytes.
const stdinLimit = 8 << 20

// promptText is the prompt of the arguments and of stdin.
func (a *app) promptText(args []string) (string, error) {
	text := strings.Join(args, " ")
	if text == "-" {
		b, err := io.ReadAll(io.LimitReader(a.in, stdinLimit+1))
		if err != nil {
			return "", fmt.Errorf("read stdin: %w", err)
		}
		text = string(b)
		args = nil
	} else if context, err := a.piped(); err != nil {
		return "", err
	} else if context != "" && strings.TrimSpace(text) != "" {
		text += "\n\n" + context
	} else if context != "" {
		text = context
	}
	if len(text) > stdinLimit {
		return "", usage("the prompt is longer than %d MiB", stdinLimit>>20)
	}
	if strings.TrimSpace(text) == "" {
		return "", usage("the prompt is empty")
	}
	return strings.ToValidUTF8(text, "\uFFFD"), nil
}

// piped is what a pipe or a file on stdin holds. Nothing comes for a while, and
// the prompt goes without it.
func (a *app) piped() (string, error) {
	info, err := a.in.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice != 0 || !(info.Mode()&os.ModeNamedPipe != 0 || info.Mode().IsRegular()) {
		return "", nil
	}
	type read struct {
		text []byte
		err  error
	}
	first, whole := make(chan struct{}), make(chan read, 1)
	go func() {
		one := make([]byte, 1)
		n, err := io.ReadFull(a.in, one)
		close(first)
		if n == 0 || err != nil {
			whole <- read{}
			return
		}
		rest, err := io.ReadAll(io.LimitReader(a.in, stdinLimit))
		whole <- read{append(one, rest...), err}
	}()
	select {
	case <-first:
	case <-time.After(a.waits.stdin):
		fmt.Fprintf(a.err, "parley: nothing came on stdin within %s; going on without it\n", a.waits.stdin)
		return "", nil
	}
	r := <-whole
	if r.err != nil {
		return "", fmt.Errorf("read stdin: %w", r.err)
	}
	return strings.TrimRight(string(r.text), "\n"), nil
}

func (a *app) runPrompt(ctx context.Context, o runOptions, args []string) error {
	if err := a.enter(o.cwd); err != nil {
		return err
	}
	if o.session == "new" {
		// That of a session which is there counts in its own folder.
		if _, _, err := a.loadConfig(); err != nil {
			return err
		}
	}
	out, err := a.renderer(o.format, o.color)
	if err != nil {
		return err
	}
	text := ""
	if !o.resume {
		if text, err = a.promptText(args); err != nil {
			return err
		}
	}
	attachments, err := a.attachments(o.attach)
	if err != nil {
		return err
	}
	_, err = a.say(ctx, o, out, text, attachments)
	return err
}

// say sends a prompt, renders what comes of it, and returns where that was.
func (a *app) say(ctx context.Context, o runOptions, out output, text string, attachments []event.Attachment) (event.SessionID, error) {
	var expired <-chan time.Time
	if o.timeout > 0 {
		expired = time.After(o.timeout)
	}
	hello := wire.Hello{Session: o.session, Cwd: a.dir}
	if o.session == "new" {
		var zero event.Seq
		hello.Since = &zero
	}
	if p, ok := out.(*plainOutput); ok {
		p.gate.open = p.person
		if a.typed != nil {
			p.said = text
		}
	}
	s, err := a.join(ctx, hello, out)
	if err != nil {
		return "", err
	}
	defer s.Close()
	w := newRunWatcher(a, s, out)
	w.timeout, w.expired = o.timeout, expired
	defer w.listen()()
	var accepted command.Accepted
	asked := make(chan error, 1)
	go func() {
		var err error
		accepted, err = client.Ask[command.Accepted](ctx, s, "", command.Prompt{Text: text, Attachments: attachments, Set: o.set, Allow: o.allow, Deny: o.deny, Patience: o.patience, Allowance: o.budget, Schema: o.schema, Continue: o.resume, Mode: event.PermissionMode(o.mode)})
		asked <- err
	}()
	// What comes before the answer is kept, so that a refusal prints nothing.
	if err := w.bufferUntil(asked); err != nil {
		if w.stopping() {
			return s.ID(), err
		}
		if o.session == "new" {
			// The session was made for this prompt only; an empty one is no harm.
			_, _ = s.Do(ctx, "", command.Remove{})
			return "", failure(err)
		}
		return s.ID(), failure(err)
	}
	w.until, w.input = accepted.Run, accepted.Input
	if r, ok := out.(*reportOutput); ok {
		r.only, r.shaped = accepted.Run, o.schema != nil
	}
	return s.ID(), w.follow()
}

// attachments names files as the daemon finds them.
func (a *app) attachments(files []string) ([]event.Attachment, error) {
	var out []event.Attachment
	for _, file := range files {
		path, err := filepath.Abs(file)
		if err != nil {
			return nil, err
		}
		if _, err := os.Stat(path); err != nil {
			return nil, exit{1, fmt.Errorf("--attach: %w", err)}
		}
		out = append(out, event.Attachment{Name: filepath.Base(path), Path: path})
	}
	return out, nil
}

// enter makes dir the folder that everything is relative to.
func (a *app) enter(dir string) error {
	if dir == "" {
		return nil
	}
	if err := os.Chdir(dir); err != nil {
		var path *os.PathError
		if errors.As(err, &path) {
			return exit{1, fmt.Errorf("--cwd %s: %w", dir, path.Err)}
		}
		return err
	}
	at, err := os.Getwd()
	a.dir = at
	return err
}
