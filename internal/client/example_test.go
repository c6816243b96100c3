package client_test

import (
	"context"
	"fmt"
	"log"

	"parley/internal/client"
	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/wire"
)

// A client sends a prompt, folds what happens, and leaves when the run has ended.
func Example() {
	socket := serve()
	ctx := context.Background()
	s, err := client.Join(ctx, client.Joining{
		Dial:  client.Options{Socket: socket}.Dial,
		Hello: wire.Hello{Name: "example", Session: "last", Capabilities: []string{client.CanAsk}},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	accepted, err := client.Ask[command.Accepted](ctx, s, "", command.Prompt{Text: "What is in the shop?"})
	if err != nil {
		log.Fatal(err)
	}
	for e, err := range s.Events(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		switch b := e.Body.(type) {
		case event.UserSaid:
			fmt.Println("$", b.Text)
		case event.BlockDelta:
			fmt.Println("…", b.Text)
		case event.BlockEnded:
			fmt.Println(">", b.Text)
		case event.RunEnded:
			fmt.Printf("%s, run %d of %s\n", b.Reason, s.State().Last.Number, s.State().Workspace)
		}
		if e.Kind() == "run.ended" && e.Run == accepted.Run {
			break
		}
	}
	// Output:
	// $ What is in the shop?
	// … Umbrellas,
	// …  and hats.
	// > Umbrellas, and hats.
	// done, run 1 of /home/ann/shop
}

// The past of a session is read backwards, a page at a time, from where the
// client joined.
func ExampleSession_Past() {
	socket := serve()
	ctx := context.Background()
	s, err := client.Join(ctx, client.Joining{Dial: client.Options{Socket: socket}.Dial, Hello: wire.Hello{Name: "example", Session: "old"}})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	joined := (<-s.Updates()).(client.Joined)
	for at, more := client.Before(joined.State), true; more; {
		page, err := s.Past(ctx, at, 15)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(len(page.Events), "events from", page.Events[0].Kind(), "on")
		at, more = page.Earlier, page.More
	}
	// Output:
	// 15 events from ask.closed on
	// 15 events from block.started on
	// 7 events from session.opened on
}

// A program with other things to wait for takes updates from a channel, folds the
// events itself, and sends without waiting. It answers what is asked.
func ExampleSession_Updates() {
	socket := serve()
	s, err := client.Join(context.Background(), client.Joining{Dial: client.Options{Socket: socket}.Dial, Hello: wire.Hello{Name: "example", Session: "asking"}})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	for u := range s.Updates() {
		switch u := u.(type) {
		case client.Joined:
			fmt.Println("joined at", u.State.Seq)
		case client.News:
			for _, e := range u.Events {
				if b, ok := e.Body.(event.AskOpened); ok {
					fmt.Println("asked:", b.Title)
					s.Send("1", command.Answer{Ask: b.Ask, Keys: []string{"y"}})
				}
			}
		case client.Reply:
			fmt.Println("answered", u.Result.Name, u.Result.Fault == nil)
			return
		case client.Lost:
			fmt.Println("the connection is being made again")
		case client.Refused, client.Over:
			return
		}
	}
	// Output:
	// joined at 2
	// asked: Allow this edit?
	// answered answer true
}
