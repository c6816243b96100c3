package llm

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"unicode/utf8"
)

// Answer writes one answer's parts and keeps the laws of a stream while doing so: no empty delta, one End, nothing
// after the caller has left, nothing beyond its bound. A wire fills it from its own events, and need not look whether
// anybody still listens.
type Answer struct {
	// End is what is known of the end so far: usage, model, room, and the server's reason, "" for the usual one.
	End End

	options Options
	request *Request
	id      func(string) string
	yield   func(Part) bool
	left    bool
	at      Place
	body    io.ReadCloser
	keys    []string // that were sent

	began    bool // something was given out
	spoke    bool // a text that is not white space, or a picture
	thought  bool
	size     int // bytes of text, thinking, arguments and opaque data
	pictures int // bytes
	tooLong  bool
	alive    bool // since it was last looked: content came
	pinged   bool // since it was last looked: the server said that it is at work
}

// perCall is what a call counts besides its bytes, so that a great many without arguments are bounded, too.
const perCall = 256

// Left reports whether the caller has left: what is given out from then on goes nowhere.
func (a *Answer) Left() bool { return a.left }

// Text gives out visible text.
func (a *Answer) Text(text string) {
	if text = a.within(text); text != "" {
		a.at.Text += len(text)
		a.spoke = a.spoke || strings.TrimSpace(text) != ""
		a.give(TextDelta{text})
	}
}

// Thinking gives out visible reasoning.
func (a *Answer) Thinking(text string) {
	if text = a.within(text); text != "" {
		a.thought = true
		a.give(ThinkingDelta{text})
	}
}

// Start gives out that a call began, and returns the id it has from now on: the server's where that is free.
func (a *Answer) Start(id, name string) (own string) {
	own = a.id(id)
	a.Grow(len(own) + len(name) + perCall)
	a.give(ToolCallStart{ID: own, Name: name})
	return own
}

// Grow says that so many bytes came which are kept until they are whole, such as a call's arguments. They are counted here
// and nowhere else.
func (a *Answer) Grow(bytes int) {
	a.alive = a.alive || bytes > 0
	if a.size += bytes; a.size > a.options.longest() {
		a.tooLong = true
	}
}

// Ping says that the server is at work on the answer, in a way that it documents.
func (a *Answer) Ping() { a.pinged = true }

// Call gives out a finished call, which began with Start, and whose arguments were counted by Grow.
func (a *Answer) Call(id, name, arguments string) {
	if a.tooLong {
		return
	}
	a.at.Calls++
	a.give(NewCall(id, name, arguments))
}

// Image gives out a picture. Pictures have a bound of their own.
func (a *Answer) Image(i Image) {
	a.alive = true
	if a.pictures += len(i.Data); a.pictures > maxPictures {
		a.tooLong = true
		return
	}
	a.spoke = true
	a.give(i)
}

// Opaque gives out a block that belongs at the current place.
func (a *Answer) Opaque(block json.RawMessage) { a.OpaqueAt(a.at, block) }

// OpaqueAt gives out a block that belongs at an earlier place.
func (a *Answer) OpaqueAt(at Place, block json.RawMessage) {
	o := Seal(a.options.Provider, a.request.Model, at, block)
	a.End.Opaque = append(a.End.Opaque, o)
	a.give(o)
}

// Place is where the answer stands.
func (a *Answer) Place() Place { return a.at }

func (a *Answer) give(p Part) {
	a.began = true
	if !a.left && !a.yield(p) {
		a.left = true
	}
}

// within is what of a text the bound leaves, whole runes.
func (a *Answer) within(text string) string {
	room := a.options.longest() - a.size
	a.Grow(len(text))
	if len(text) <= room {
		return text
	}
	text = text[:max(0, room)]
	for len(text) > 0 {
		if r, n := utf8.DecodeLastRuneInString(text); r != utf8.RuneError || n != 1 {
			break
		}
		text = text[:len(text)-1]
	}
	return text
}

func (a *Answer) close() {
	if a.body != nil {
		a.body.Close()
		a.body = nil
	}
}

// end is the last part of a complete answer, or of one that failed with err.
func (a *Answer) end(ctx context.Context, err error) End {
	end := a.End
	switch {
	case err != nil:
		failed := Ended(ctx, err)
		end.Reason, end.Fault, end.Room = failed.Reason, failed.Fault, Enough
	case end.Reason == "" || end.Reason == Stop:
		end.Reason = Stop
		if a.at.Calls > 0 {
			end.Reason = ToolCalls
		}
	}
	if err == nil && end.Reason != Filtered {
		end.Said = a.said()
		if end.Room == Enough {
			end.Room = a.request.room(end)
		}
	}
	if end.Fault != nil {
		clean := *end.Fault
		clean.Message = a.options.scrub(clean.Message, a.keys)
		end.Fault = &clean
	}
	return end
}

func (a *Answer) said() Said {
	switch {
	case a.spoke, a.at.Calls > 0:
		return Something
	case a.thought:
		return Thoughts
	}
	return Nothing
}
