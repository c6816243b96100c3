package event

import "reflect"

// bodies is the one list of kinds; the codec, the samples and the generated
// documents all read it.
var bodies = []Body{
	SessionOpened{}, SessionTitled{}, SessionClosed{}, SettingChanged{}, AgentChanged{}, LeafChanged{},
	ClientJoined{}, ClientLeft{},
	RunStarted{}, RunAborting{}, RunEnded{}, TurnStarted{}, TurnEnded{}, StepStarted{}, StepEnded{}, TurnRecovered{},
	InputQueued{}, InputChanged{}, InputTaken{}, InputDropped{}, UserSaid{}, DeveloperSaid{},
	ResponseStarted{}, BlockStarted{}, BlockDelta{}, BlockEnded{}, CallAnnounced{}, ResponseEnded{}, ResponseInterrupted{},
	ToolsChanged{}, CallStarted{}, CallDelta{}, CallEnded{},
	PermissionPreviewed{}, PermissionReady{}, PermissionDecided{}, HostDecided{},
	AskOpened{}, AskAnswered{}, AskClosed{},
	PlanChanged{}, PlanCleared{},
	UsageChanged{}, BudgetChanged{}, ContextCompacted{}, ImagesRefused{},
	NoteAdded{}, InitProgressed{}, RetryScheduled{}, FilesChanged{}, FaultRaised{},
	SessionListed{}, SessionUnlisted{}, ActiveChanged{},
}

var byKind = func() map[string]reflect.Type {
	m := make(map[string]reflect.Type, len(bodies))
	for _, b := range bodies {
		m[b.kind()] = reflect.TypeOf(b)
	}
	return m
}()

// Kinds returns the zero body of every kind, in the order of the documents.
func Kinds() []Body { return append([]Body(nil), bodies...) }
