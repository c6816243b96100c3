package cli

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"parley/internal/display/plain"
	"parley/internal/wire/cogency"
)

func (a *app) render() *cobra.Command {
	var color string
	c := &cobra.Command{
		Use:   "render",
		Short: "Render the event stream on stdin as line mode does",
		Long: `Read events as JSON lines on stdin, {"type":"user","content":"…"} and so on, and print their rendering
line by line as they arrive. A line that is no event is reported on stderr with its number and passed over.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			ctx, stop := signal.NotifyContext(c.Context(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			out, err := a.plain(color)
			if err != nil {
				return err
			}
			p := out.(*plainOutput)
			var ticks <-chan time.Time
			if p.moving {
				ticker := time.NewTicker(plain.SpinnerInterval)
				defer ticker.Stop()
				ticks = ticker.C
			}
			code, err := cogency.Render(ctx, a.in, p.r, ticks, func(line int, err error) {
				fmt.Fprintf(a.err, "parley: stdin:%d: %s\n", line, err)
			})
			switch {
			case brokenPipe(err):
				return exit{code: 1}
			case err != nil:
				return err
			case code != 0:
				return exit{code: code}
			}
			return nil
		},
	}
	c.Flags().StringVar(&color, "color", "auto", "auto, always or never")
	return c
}
