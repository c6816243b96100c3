package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"parley/internal/server"
	"parley/internal/session"
	"parley/internal/tool"
	"parley/internal/transport"
	"parley/internal/transport/unix"
	"parley/internal/wire"
	"parley/internal/wire/nous"
)

// nousLine is the longest line of a client, in bytes.
const nousLine = 64 << 20

// commandTimeout is how long the protocol's clients are made to wait.
const commandTimeout = 30 * time.Second

// listenNous opens the protocol's two sockets: commands on path, events on
// path.events.
func listenNous(path string, local session.Client, timeout time.Duration, options ...unix.Option) ([]listener, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	family := nous.NewFamily("nous:" + abs)
	host := func(h *server.Host) wire.Host { return family.Host(h) }
	framing := transport.Lines{Max: nousLine}
	local.Unasked = true
	options = append(options, unix.Shared)
	commands, err := unix.Listen(path, framing, options...)
	if err != nil {
		return nil, exit{1, fmt.Errorf("listen on %s: %w", path, err)}
	}
	events, err := unix.Listen(path+".events", framing, options...)
	if err != nil {
		return nil, exit{1, errors.Join(fmt.Errorf("listen on %s.events: %w", path, err), commands.Close())}
	}
	return []listener{
		{Listener: commands, dialect: &nous.Commands, client: local, host: host, timeout: timeout},
		{Listener: events, dialect: &nous.Events, client: local, host: host},
	}, nil
}

// nousCore is the drop-in for the program that the protocol comes from. Its
// flags are that program's, with one dash or two.
func (a *app) nousCore() *cobra.Command {
	return &cobra.Command{
		Use:                "nous-core",
		Short:              "Serve the NDJSON v1 protocol as nous-core did",
		Long:               "Serve the frozen NDJSON v1 protocol on its own, with the flags of the program that it comes from:\n-socket PATH, -workdir DIR, -provider mock|openai|gemini, -model NAME, -api-base URL, -command-timeout DURATION,\n-enable-demo-extension. Without a provider a mock model answers with the conversation.",
		DisableFlagParsing: true,
		RunE:               func(c *cobra.Command, args []string) error { return a.serveNous(c.Context(), args) },
	}
}

type nousFlags struct {
	socket, provider, model, base, workdir string
	timeout, hookTimeout, toolTimeout      time.Duration
	demo                                   bool
}

func (a *app) nousFlags(args []string) (nousFlags, error) {
	var o nousFlags
	f := flag.NewFlagSet("parley nous-core", flag.ContinueOnError)
	f.SetOutput(a.err)
	f.StringVar(&o.socket, "socket", "/tmp/nous-core.sock", "command socket; events are on `PATH`.events")
	f.StringVar(&o.provider, "provider", "mock", "mock, openai or gemini")
	f.StringVar(&o.model, "model", "", "`NAME` of the model")
	f.StringVar(&o.base, "api-base", "", "`URL` of the provider")
	f.StringVar(&o.workdir, "workdir", "", "`DIR` that relative paths of file tools are in")
	f.DurationVar(&o.timeout, "command-timeout", commandTimeout, "longest wait of a command")
	f.DurationVar(&o.hookTimeout, "extension-hook-timeout", 0, "accepted; there are no hooks here")
	f.DurationVar(&o.toolTimeout, "extension-tool-timeout", 0, "accepted; the demo tool takes no time")
	f.BoolVar(&o.demo, "enable-demo-extension", false, "the command echo and the tool demo.echo")
	err := f.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return o, exit{code: 0}
	case err != nil:
		return o, exit{code: 2} // flag has said why
	case f.NArg() > 0:
		return o, usage("nous-core takes no arguments: %s", f.Arg(0))
	}
	return o, nil
}

func (a *app) serveNous(ctx context.Context, args []string) error {
	if err := a.resolve(); err != nil {
		return err
	}
	o, err := a.nousFlags(args)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(o.socket), 0o755); err != nil {
		return exit{1, fmt.Errorf("the socket's folder: %w", err)}
	}
	s := serveOptions{store: "sqlite:" + o.socket + ".store", workdir: o.workdir, allow: []string{"*"}, deny: []string{"outside"}, nous: &o}
	// Its own native socket lets Parley's clients look on.
	a.socket = o.socket + ".native"
	switch o.provider {
	case "mock":
		s.model = "mock/mock"
	case "openai":
		s.model = "openai-chat/" + cmp.Or(o.model, "fast")
		if o.base != "" {
			a.env["OPENAI_BASE_URL"] = o.base
		}
	case "gemini":
		s.model = "gemini/" + cmp.Or(o.model, "fast")
		if o.base != "" {
			a.env["GOOGLE_GEMINI_BASE_URL"] = o.base
		}
	default:
		return usage("-provider %s: it is mock, openai or gemini", o.provider)
	}
	return a.daemonize(ctx, s)
}

// echoCommand and echoTool are what -enable-demo-extension adds.
func echoCommand(_ context.Context, arguments []byte) ([]byte, error) {
	var in struct {
		Text string `json:"text"`
	}
	// What is not an object counts as an empty one.
	_ = json.Unmarshal(arguments, &in)
	return json.Marshal(map[string]string{"echo": in.Text})
}

func echoTool() tool.Tool {
	type args struct {
		Text string `json:"text"`
	}
	return tool.Definition[args]{
		Spec:    tool.Spec{Name: "demo.echo", Description: "Echoes a text.", ReadOnly: true, Schema: json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"}}}`)},
		Targets: func(tool.World, args) (tool.Targets, error) { return tool.Targets{}, nil },
		Run: func(_ context.Context, _ tool.World, _ tool.Call, a args, _ tool.Grow) tool.Result {
			return tool.Result{Status: tool.Success, Text: a.Text}
		},
	}.Tool()
}
