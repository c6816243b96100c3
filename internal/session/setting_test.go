package session_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"parley/internal/agent"
	"parley/internal/command"
	"parley/internal/event"
)

// What a prompt sets is durable with it, before it is queued, by the full name of the model that was found; what is to
// be said of that comes once. A prompt that is refused sets nothing, and neither does a change of settings.
func TestSettingsOfPrompt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t, `{"text": "one"}
{"stop": "stop"}
{"text": "two"}
{"stop": "stop"}`)
		b.refuse = func(p command.Prompt) *command.Fault {
			if p.Set.Model != nil && *p.Set.Model == "wizard" {
				return command.Faultf(command.Invalid, "there is no wizard")
			}
			return nil
		}
		plain := b.setup
		b.setup = func() *agent.Setup {
			setup := plain()
			setup.Notes = []string{"it does not think so hard"}
			return setup
		}
		set := func(model, reasoning string) event.SettingChanged {
			return event.SettingChanged{Model: &model, Reasoning: &reasoning}
		}
		b.must(command.Prompt{Text: "Say one", Set: set("fast", "max")})
		b.until(0, kind("run.ended"))
		if got := b.log.State().Settings; got.Model != "script/test" || got.Reasoning != "max" {
			t.Errorf("the settings are %+v", got)
		}
		lines := strings.Split(b.kinds(), "\n")
		if got := strings.Join(lines[1:5], ", "); got != "setting.changed, input.queued prompt, session.titled, note.added" {
			t.Errorf("it began with %s", got)
		}

		before := len(lines)
		for _, body := range []command.Body{command.Prompt{Text: "Say two", Set: set("wizard", "")}, command.Set{SettingChanged: set("wizard", "low")}} {
			if r := b.do(body); r.Fault == nil || r.Fault.Message != "there is no wizard" {
				t.Errorf("%s: %v", r.Name, r.Fault)
			}
		}
		if got := len(strings.Split(b.kinds(), "\n")); got != before {
			t.Errorf("what was refused wrote %d events", got-before)
		}

		changed := b.must(command.Set{SettingChanged: set("fast", "low")}).(command.Changed)
		if *changed.Settings.Model != "script/test" {
			t.Errorf("it answers that the model is %s", *changed.Settings.Model)
		}
		b.must(command.Set{SettingChanged: set("", "")}) // as configured again: nothing is looked for
		if got := b.log.State().Settings; got.Model != "" || got.Reasoning != "" {
			t.Errorf("the settings are %+v", got)
		}
	})
}
