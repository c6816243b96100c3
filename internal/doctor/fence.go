package doctor

import "parley/internal/fence"

// fence looks at what holds commands back.
func (x *examination) fence() {
	if x.cfg.Sandbox.Fence == "off" {
		x.say("fence", Poor, "remove sandbox.fence from the configuration", "it is switched off: commands that are allowed have all of your rights")
		return
	}
	switch s := x.detect(); s.Kind {
	case fence.Full:
		x.say("fence", Good, "", "full: commands can change the workspace only, and connect to what is allowed")
	case fence.Files:
		x.say("fence", Poor, s.Fix, "files only: %s. Commands can change nothing outside of the workspace; nothing holds on the network, or on what they read", s.Why)
	default:
		x.say("fence", Poor, s.Fix, "none: %s. Commands that are allowed have all of your rights", s.Why)
	}
}
