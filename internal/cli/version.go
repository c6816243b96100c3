package cli

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"sync"

	"github.com/spf13/cobra"
)

// version is set at release by -ldflags "-X parley/internal/cli.version=…".
var version = "0.1.0-dev"

// build identifies the binary: a client and a daemon of one build are the same
// file. Its size and time of change tell two builds apart without reading it.
var build = sync.OnceValue(func() string {
	path, err := os.Executable()
	if err != nil {
		return version
	}
	info, err := os.Stat(path)
	if err != nil {
		return version
	}
	return fmt.Sprintf("%s-%x-%x", version, info.Size(), info.ModTime().UnixNano())
})

func (a *app) version() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: cobra.NoArgs,
		PersistentPreRunE: func(*cobra.Command, []string) error { return nil },
		RunE: func(*cobra.Command, []string) error {
			revision := ""
			if info, ok := debug.ReadBuildInfo(); ok {
				for _, s := range info.Settings {
					if s.Key == "vcs.revision" && len(s.Value) >= 12 {
						revision = " " + s.Value[:12]
					}
				}
			}
			_, err := fmt.Fprintf(a.out, "parley %s%s %s/%s %s\n", version, revision, runtime.GOOS, runtime.GOARCH, runtime.Version())
			return err
		},
	}
}
