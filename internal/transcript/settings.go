package transcript

import "parley/internal/event"

// With returns the settings with those of c that are there.
func (t Settings) With(c event.SettingChanged) Settings {
	set(&t.Model, c.Model)
	set(&t.Steering, c.Steering)
	set(&t.FollowUp, c.FollowUp)
	set(&t.Calls, c.Calls)
	set(&t.Permission, c.Permission)
	set(&t.Reasoning, c.Reasoning)
	set(&t.Mode, c.Mode)
	if c.Tools != nil {
		t.Tools, t.AllTools = *c.Tools, false
	}
	return t
}

func set[T any](to *T, from *T) {
	if from != nil {
		*to = *from
	}
}

// change is what sets all settings.
func (t Settings) change() event.SettingChanged {
	c := event.SettingChanged{Steering: &t.Steering, FollowUp: &t.FollowUp, Calls: &t.Calls}
	some(&c.Model, &t.Model)
	some(&c.Permission, &t.Permission)
	some(&c.Reasoning, &t.Reasoning)
	some(&c.Mode, &t.Mode)
	if !t.AllTools {
		c.Tools = &t.Tools
	}
	return c
}

// some sets what is not empty.
func some[T ~string](to **T, from *T) {
	if *from != "" {
		*to = from
	}
}
