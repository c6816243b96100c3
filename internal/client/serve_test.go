package client_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"

	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/event/eventtest"
	"parley/internal/transport"
	"parley/internal/transport/unix"
	"parley/internal/wire"
	"parley/internal/wire/native"
	"parley/internal/wire/wiretest"
)

// serve is a daemon for the examples: an empty session that answers a prompt
// (last), one with a past (old), and one in which something is asked (asking).
func serve() (socket string) {
	dir, err := os.MkdirTemp("", "parley-example")
	if err != nil {
		log.Fatal(err)
	}
	socket = filepath.Join(dir, "d", "daemon.sock")
	listener, err := unix.Listen(socket, transport.Lines{})
	if err != nil {
		log.Fatal(err)
	}
	run := eventtest.Run()
	host := &wiretest.Host{OnJoin: func(h wire.Hello) (wire.Welcome, *command.Fault) {
		return wire.Welcome{Name: "parley", Session: event.SessionID(h.Session)}, nil
	}}
	told := func(id event.SessionID, log []event.Event) {
		log = slices.Clone(log)
		for i := range log {
			log[i].Session = id
		}
		host.Tell(id, log...)
	}
	told("last", run[:1])
	told("old", run)
	told("asking", run[:21])
	host.OnDo = func(_ context.Context, c command.Command) command.Result {
		switch b := c.Body.(type) {
		case command.Prompt:
			told(c.Session, answered(b.Text))
			return command.Result{Data: command.Accepted{Session: c.Session, Run: "r1"}}
		case command.Read:
			past := slices.DeleteFunc(slices.Clone(run), func(e event.Event) bool { return e.Seq >= b.Before })
			past = past[max(0, len(past)-b.Limit):]
			for i := range past {
				past[i].Session = c.Session
			}
			return command.Result{Data: command.Events{Events: past, More: len(past) == b.Limit}}
		}
		return command.Result{}
	}
	go func() {
		for n := 1; ; n++ {
			conn, err := listener.Accept(context.Background())
			if err != nil {
				return
			}
			p := &wire.Pump{Dialect: &native.Dialect, Host: host, Conn: conn, Client: event.ClientID(fmt.Sprint("c", n))}
			go p.Run(context.Background())
		}
	}()
	return socket
}

// answered is the log of a run that answers a prompt, after session.opened.
func answered(prompt string) []event.Event {
	at := event.Event{Seq: 1, Run: "r1"}
	var log []event.Event
	add := func(bodies ...event.Body) {
		for _, b := range bodies {
			at.Seq++
			at.Body = b
			log = append(log, at)
		}
	}
	add(event.RunStarted{Number: 1})
	at.Turn = "r1.t1"
	add(event.TurnStarted{Number: 1}, event.UserSaid{Entry: "e1", Text: prompt})
	at.Step = "r1.t1.s1"
	add(event.StepStarted{Number: 1})
	at.Response = "r1.t1.s1.m"
	add(event.ResponseStarted{}, event.BlockStarted{Block: "b1", Role: event.RoleText}, event.BlockDelta{Block: "b1", Text: "Umbrellas,"},
		event.BlockDelta{Block: "b1", Offset: 10, Text: " and hats."}, event.BlockEnded{Block: "b1", Role: event.RoleText, Text: "Umbrellas, and hats."},
		event.ResponseEnded{Blocks: []event.BlockID{"b1"}, Calls: []event.CallID{}, Stop: event.StopDone})
	at.Response = ""
	add(event.UsageChanged{}, event.StepEnded{Number: 1})
	at.Step = ""
	add(event.TurnEnded{Number: 1, Reason: event.ReasonDone, Entry: "e2", Parent: "e1"})
	at.Turn = ""
	add(event.RunEnded{Reason: event.ReasonDone})
	return log
}
