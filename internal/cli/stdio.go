package cli

import (
	"errors"
	"io"
	"net"

	"github.com/spf13/cobra"
)

// stdio lets a program speak a dialect over its child's stdin and stdout, where
// it cannot open a socket itself.
func (a *app) stdio() *cobra.Command {
	var dialect string
	c := &cobra.Command{
		Use:   "stdio",
		Short: "Speak a dialect on stdin and stdout",
		Long:  "Speak the native dialect on stdin and stdout, with a daemon that is started where none runs.\nThe end of stdin ends it once what was asked is answered.",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if dialect != "native" {
				return usage("--dialect %s: there is native", dialect)
			}
			// The program at the other end says hello itself; this connection only
			// makes sure that a daemon listens.
			conn, err := a.dial(c.Context(), helloNone)
			if err != nil {
				return err
			}
			conn.Close()
			return a.relay(a.options(helloNone).Socket)
		},
	}
	c.Flags().StringVar(&dialect, "dialect", "native", "native")
	return c
}

// relay carries bytes between stdin, stdout and a socket.
func (a *app) relay(socket string) error {
	conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: socket, Net: "unix"})
	if err != nil {
		return err
	}
	defer conn.Close()
	go func() {
		_, err := io.Copy(conn, a.in)
		if err == nil {
			err = conn.CloseWrite()
		}
		if err != nil {
			conn.Close()
		}
	}()
	if _, err := io.Copy(bare(a.out), conn); err != nil && !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}
