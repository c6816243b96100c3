package session_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"parley/internal/agent"
	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/permission"
	"parley/internal/session"
	"parley/internal/tool"
)

// A call was decided as one spelling of its arguments and ran as another. A hook, the rules, the person and the tool now
// see one reading, and what the model wrote is kept where nobody decides on it.
func TestArgumentsHaveOneReading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		type sending struct {
			To    []string `json:"to"`
			Count int      `json:"count"`
		}
		var seen []string
		send := tool.Definition[sending]{
			Spec: tool.Spec{Name: "send", Description: "sends", Aliases: []tool.Alias{{Of: "to", Names: []string{"recipient"}}},
				Schema: json.RawMessage(`{"type":"object","additionalProperties":false,"required":["to"],"properties":{
					"to":{"type":"array","items":{"type":"string"}},"count":{"type":"integer"}}}`)},
			Targets: func(_ tool.World, a sending) (tool.Targets, error) {
				return tool.Targets{Name: strings.Join(a.To, " ")}, nil
			},
			Run: func(_ context.Context, _ tool.World, c tool.Call, _ sending, _ tool.Grow) tool.Result {
				seen = append(seen, "tool "+string(c.Arguments))
				return tool.Result{Status: tool.Success, Text: "sent"}
			},
			Title: func(a sending) string { return strings.Join(a.To, " ") },
		}.Tool()
		b := newBed(t, `{"call": {"id": "call_1", "name": "functions.Send", "arguments": {"recipient": "ann", "count": "2"}}}
{"call": {"id": "call_2", "name": "send", "arguments": {"recipient": "ann", "to": ["bob"]}}}
{"call": {"id": "call_3", "name": "send", "arguments": {"to": ["ann"]}}}
{"stop": "tool_calls"}
{"text": "Done."}
{"stop": "stop"}`)
		b.listen(func(s *agent.Setup) {
			s.Tools = tool.NewSet(send)
			s.Decide = func(_ permission.Policy, c permission.Call) permission.Verdict {
				seen = append(seen, "hook "+c.Tool+" "+c.Name)
				if c.Name == "ann" && len(seen) > 2 {
					return permission.Allow{}
				}
				return permission.Ask{Reason: "who knows", Options: []permission.Option{{Key: "y", Effect: permission.EffectAllow, Scope: permission.ScopeOnce}}}
			}
		})
		defer b.session.Attach(session.Client{ID: "c1", CanAsk: true})()
		b.must(command.Prompt{Text: "Send"})
		ask := b.until(0, kind("ask.opened")).Body.(event.AskOpened)
		seen = append(seen, "shown "+string(b.log.State().OpenCall(ask.Call).Arguments), "titled "+b.log.State().OpenCall(ask.Call).Title)
		b.must(command.Answer{Ask: ask.Ask, Keys: []string{"y"}})
		b.until(0, kind("run.ended"))

		want := []string{"hook send ann", "hook send ann", `shown {"count":2,"to":["ann"]}`, "titled ann", `tool {"count":2,"to":["ann"]}`,
			"hook send ann", `tool {"to":["ann"]}`}
		if diff := cmp.Diff(want, seen); diff != "" {
			t.Error(diff)
		}
		written := b.until(0, kind("response.ended")).Body.(event.ResponseEnded).Written
		if diff := cmp.Diff([]event.WrittenCall{{Call: "call_1", Name: "functions.Send", Arguments: `{"recipient":"ann","count":"2"}`}}, written); diff != "" {
			t.Error(diff)
		}
		refused := b.until(0, func(e event.Event) bool {
			d, ok := e.Body.(event.PermissionDecided)
			return ok && d.Call == "call_2"
		}).Body.(event.PermissionDecided)
		why := "send: recipient and to are one argument with two values; write to once\nThe arguments of send: {count?: integer, to: [string]}"
		if refused.Granted || refused.Code != event.RefusedArguments || refused.Reason != why {
			t.Errorf("two spellings with two values: %+v", refused)
		}
		b.kinds()
	})
}
