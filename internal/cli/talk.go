package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"

	"parley/internal/event"
)

// talk is a conversation in line mode: what a person gets at a terminal on which
// nothing can be drawn (TERM=dumb). Each line is a prompt. While a run is open a
// line answers what is asked, and steers where nothing is.
func (a *app) talk(ctx context.Context, set event.SettingChanged) error {
	if _, _, err := a.loadConfig(); err != nil {
		return err
	}
	fmt.Fprintln(a.err, "nothing can be drawn on this terminal: line mode; each line is a prompt, ctrl+d leaves")
	a.typed = typedLines(a.in)
	o := runOptions{session: "new", set: set}
	for {
		fmt.Fprint(a.err, "$ ")
		line, ok := <-a.typed
		if !ok {
			fmt.Fprintln(a.err)
			return nil
		}
		if strings.TrimSpace(line.text) == "" {
			continue
		}
		out, err := a.renderer("plain", "auto")
		if err != nil {
			return err
		}
		id, err := a.say(ctx, o, out, line.text, nil)
		if id != "" {
			o.session = string(id)
			o.set = event.SettingChanged{} // it has them now
		}
		var e exit
		if errors.As(err, &e) {
			if e.code == 128+int(syscall.SIGTERM) || e.code == 128+int(syscall.SIGHUP) {
				return err
			}
			err = e.err
		}
		if err != nil {
			fmt.Fprintln(a.err, "parley: "+message(err))
		}
	}
}
