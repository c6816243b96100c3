package script

import (
	"context"
	"time"
	"unicode/utf8"

	"parley/internal/llm"
)

// player gives out the steps of one answer.
type player struct {
	answer *llm.Answer
	clock  llm.Clock
	bytes  int
}

func (p *player) play(ctx context.Context, l line) error {
	a := p.answer
	switch {
	case l.Text != nil:
		return p.say(ctx, l, *l.Text, a.Text)
	case l.Think != nil:
		return p.say(ctx, l, *l.Think, a.Thinking)
	case l.DelayMS != nil:
		return p.clock.Wait(ctx, time.Duration(*l.DelayMS)*time.Millisecond)
	case l.Image != nil:
		a.Image(llm.Image{MediaType: l.Image.MediaType, Data: l.Image.Data})
	case l.Call != nil:
		p.bytes += len(l.Call.Arguments)
		id := a.Start(l.Call.ID, l.Call.Name)
		a.Grow(len(l.Call.Arguments))
		a.Call(id, l.Call.Name, l.Call.arguments())
	}
	return ctx.Err()
}

// say gives out a text in its deltas, each cut off the text when it is due.
func (p *player) say(ctx context.Context, l line, text string, give func(string)) error {
	// By the start and not from delta to delta, so that late timers do not add up.
	start, given := p.clock.Time(), 0
	for range max(1, l.Times) {
		rest := text
		for rest != "" {
			delta := rest
			if l.Chunk > 0 {
				delta = head(rest, l.Chunk)
			}
			rest = rest[len(delta):]
			p.bytes += len(delta)
			if give(delta); p.answer.Left() {
				return nil
			}
			if given++; l.Rate > 0 {
				due := start.Add(time.Duration(float64(given) / l.Rate * float64(time.Second)))
				if err := p.clock.Wait(ctx, due.Sub(p.clock.Time())); err != nil {
					return err
				}
			}
			if err := ctx.Err(); err != nil {
				return err
			}
		}
	}
	return nil
}

// head is the first n characters of a text.
func head(text string, n int) string {
	i := 0
	for ; n > 0 && i < len(text); n-- {
		_, size := utf8.DecodeRuneInString(text[i:])
		i += size
	}
	return text[:i]
}

func (p *player) end(next answer, r llm.Request) {
	end := &p.answer.End
	end.Reason = llm.StopReason(next.stop)
	if next.usage != nil {
		end.Usage = *next.usage
		return
	}
	end.Usage = llm.Usage{Input: tokens(size(r)), Output: tokens(int64(p.bytes))}
}

// tokens estimates: four bytes are one token.
func tokens(bytes int64) int { return int((bytes + 3) / 4) }

// size is the bytes of text in a request.
func size(r llm.Request) int64 {
	n := len(r.System)
	for _, t := range r.Tools {
		n += len(t.Name) + len(t.Description) + len(t.Schema)
	}
	for _, m := range r.Messages {
		for _, c := range m.Parts {
			switch c := c.(type) {
			case llm.Text:
				n += len(c.Text)
			case llm.Thinking:
				n += len(c.Text)
			case llm.Image:
				n += len(c.Data)
			case llm.ToolCall:
				n += len(c.Name) + len(c.Arguments)
			case llm.ToolResult:
				n += len(c.Text)
				for _, i := range c.Images {
					n += len(i.Data)
				}
			}
		}
	}
	return int64(n)
}
