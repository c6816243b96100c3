package cli

import (
	"slices"
	"strings"

	"parley/internal/catalog"
	"parley/internal/event"
)

// The flags of a session's settings.
const (
	modelFlag = "`MODEL` of the session: provider/model, provider/default, provider/fast, or a model's name alone where one provider has it"

	effortFlag = "how hard the model thinks, of this session: `EFFORT` is off, minimal, low, medium, high, xhigh, max, or default: as configured"
)

// asConfigured is the effort that takes back what a session was given.
const asConfigured = "default"

// settings are those of a session that the flags change.
func settings(model, effort string) (event.SettingChanged, error) {
	var set event.SettingChanged
	if model != "" {
		set.Model = &model
	}
	switch {
	case effort == asConfigured:
		set.Reasoning = new(string)
	case slices.Contains(catalog.EffortNames, effort):
		set.Reasoning = &effort
	case effort != "":
		return set, usage("--reasoning %s: it is one of %s, %s", effort, strings.Join(catalog.EffortNames, ", "), asConfigured)
	}
	return set, nil
}
