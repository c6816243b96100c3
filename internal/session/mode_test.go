package session_test

import (
	"testing"
	"testing/synctest"

	"parley/internal/agent"
	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/permission"
	"parley/internal/session"
)

// A mode is the configuration's, the session's or the run's; what a person sets while a run goes on holds at once, for
// that run too, and the log has who did.
func TestModeIsChanged(t *testing.T) {
	mode := func(m event.PermissionMode) command.Body {
		return command.Set{SettingChanged: event.SettingChanged{Mode: &m, Who: "somebody else"}}
	}
	synctest.Test(t, func(t *testing.T) {
		b := fenceBed(t, "full", nil, "dial new.org:443", "dial new.org:443", "!dial")
		defer b.session.Attach(session.Client{ID: "c1", CanAsk: true})()
		b.must(command.Prompt{Text: "Go", Mode: event.PermissionEdits})
		// The fenced command runs; the host is a question.
		asked := b.until(0, kind("ask.opened")).Body.(event.AskOpened)
		b.must(mode(event.PermissionAsk))
		b.must(command.Answer{Ask: asked.Ask, Keys: []string{"y"}})
		again := b.until(b.until(0, kind("call.ended")).Seq, kind("ask.opened")).Body.(event.AskOpened)
		b.must(mode(event.PermissionAll))
		b.must(command.Answer{Ask: again.Ask, Keys: []string{"y"}})
		b.until(0, kind("run.ended"))
		if got, want := b.results(), "(new.org:443 true person once) new.org:443=true (new.org:443 true mode builtin) new.org:443=true (leaves) outside"; got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		if set := b.until(0, kind("setting.changed")).Body.(event.SettingChanged); set.Who != "test" {
			t.Errorf("%q changed the mode", set.Who)
		}
		if s := b.log.State(); s.Settings.Mode != event.PermissionAll {
			t.Errorf("%+v", s.Settings)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		b := fenceBed(t, "full", nil, "dial")
		b.listen(func(s *agent.Setup) { s.Policy.Mode = permission.ModeEdits })
		b.must(command.Prompt{Text: "Go"})
		b.until(0, kind("run.ended"))
		if got := b.results(); got != "" || b.log.State().Last.Unasked {
			t.Errorf("%q", got)
		}
		for _, body := range []command.Body{mode("bold"), command.Prompt{Text: "Go", Mode: "bold"}} {
			if r := b.do(body); r.Fault == nil || r.Fault.Code != command.Invalid {
				t.Errorf("%+v", r)
			}
		}
	})
}
