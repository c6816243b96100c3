package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
)

// Definition is a tool as its package writes it down: functions over decoded arguments of type A, a
// struct with json tags. Tool adds what all tools share.
type Definition[A any] struct {
	Spec    Spec
	Targets func(World, A) (Targets, error)
	Run     func(ctx context.Context, w World, c Call, a A, grow Grow) Result
	// Preview may be nil.
	Preview func(ctx context.Context, w World, a A) (Preview, error)
	// Title says for people what a call does: the arguments that matter, as a person would write them. It may be
	// nil; the arguments may be anything that the type holds.
	Title func(a A) string
}

// Tool returns a tool that is part of the program; it is a Previewer where the definition has a Preview. Its schema is
// read when it is first needed: programs that only list their tools begin sooner. Where it is none, which is a bug of its
// package, every call fails and says so.
func (d Definition[A]) Tool() Tool {
	d.Spec.Schema = compact(d.Spec.Schema)
	return d.with(sync.OnceValue(func() *schema {
		s, err := parseSchema(d.Spec.Schema, d.Spec.Aliases...)
		if err != nil {
			panic("the schema of the tool " + d.Spec.Name + ": " + err.Error())
		}
		return s
	}))
}

// New is Tool for a foreign schema: it fails where the schema is invalid or cannot be checked within bounds.
func (d Definition[A]) New() (Tool, error) {
	s, err := parseSchema(d.Spec.Schema, d.Spec.Aliases...)
	if err != nil {
		return nil, fmt.Errorf("the schema of the tool %s: %w", d.Spec.Name, err)
	}
	d.Spec.Schema = compact(d.Spec.Schema)
	return d.with(func() *schema { return s }), nil
}

func (d Definition[A]) with(schema func() *schema) Tool {
	p := plain[A]{d: d, schema: schema}
	if d.Preview == nil {
		return p
	}
	return previewing[A]{p}
}

// compact is JSON without white space; what is none stays as it is.
func compact(text json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	if json.Compact(&b, text) != nil {
		return text
	}
	return b.Bytes()
}

type plain[A any] struct {
	d      Definition[A]
	schema func() *schema
}

func (p plain[A]) Spec() Spec { return p.d.Spec }

// Title says what can be read of the arguments, also of those that do not fit.
func (p plain[A]) Title(arguments json.RawMessage) (title string) {
	if p.d.Title == nil {
		return ""
	}
	var broke error
	defer broken(Call{Name: p.d.Spec.Name}, &broke)
	var a A
	if value, err := parse(arguments); err == nil {
		_ = json.Unmarshal(encode(value), &a) // as decode does, so that a title is of what will run
	}
	return p.d.Title(a)
}

func (p plain[A]) Normalise(arguments json.RawMessage) (out json.RawMessage) {
	var broke error
	out = arguments
	defer broken(Call{Name: p.d.Spec.Name}, &broke)
	return p.schema().normalise(arguments)
}

func (p plain[A]) Targets(w World, c Call) (_ Targets, err error) {
	defer broken(c, &err)
	var a A
	if err := p.schema().decode(p.d.Spec.Name, c.Arguments, &a); err != nil {
		return Targets{}, err
	}
	return p.d.Targets(w.complete(), a)
}

func (p plain[A]) Run(ctx context.Context, w World, c Call, grow Grow) Result {
	if p.d.Spec.Pattern != PatternPath {
		return p.run(ctx, w, c, grow)
	}
	// A disk or a server that does not answer must not hold the run.
	late, release := patient(ctx)
	defer release()
	grow, closeGate := gate(grow)
	defer closeGate()
	r, done := Within(late, func() Result { return p.run(ctx, w, c, grow) })
	if !done {
		return Result{Status: Aborted, Summary: "aborted", Text: "Aborted. A file does not answer; what was asked of it may still happen."}
	}
	return r
}

func (p plain[A]) run(ctx context.Context, w World, c Call, grow Grow) (r Result) {
	var err error
	defer func() {
		if err != nil {
			r = Failed(err)
		}
		if ctx.Err() != nil && r.Status == Error {
			r.Status = Aborted
		}
		if r.Status == Aborted {
			r.Summary = "aborted"
		}
		r.Text = Clip(r.Text)
	}()
	defer broken(c, &err)
	if ctx.Err() != nil {
		return Result{Status: Aborted, Text: "Aborted before it began."}
	}
	var a A
	if err = p.schema().decode(p.d.Spec.Name, c.Arguments, &a); err != nil {
		return Result{}
	}
	if grow == nil {
		grow = func(Stream, string) {}
	}
	return p.d.Run(ctx, w.complete(), c, a, grow)
}

type previewing[A any] struct{ plain[A] }

func (p previewing[A]) Preview(ctx context.Context, w World, c Call) (_ Preview, err error) {
	defer broken(c, &err)
	var a A
	if err := p.schema().decode(p.d.Spec.Name, c.Arguments, &a); err != nil {
		return Preview{}, err
	}
	type outcome struct {
		preview Preview
		err     error
	}
	o, done := Within(ctx, func() outcome {
		preview, err := p.d.Preview(ctx, w.complete(), a)
		return outcome{preview, err}
	})
	if !done {
		return Preview{}, ctx.Err()
	}
	return o.preview, o.err
}

// broken turns a panic into the error of one call: a bug in a tool must not end the session.
func broken(c Call, err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("the tool %q broke: %v\n%s", c.Name, p, debug.Stack())
	}
}

// maxSummary is what of an error's first line fits on a short line, in bytes.
const maxSummary = 80

// Failed is the result of an error.
func Failed(err error) Result {
	text := err.Error()
	summary, _, _ := strings.Cut(text, "\n")
	if len(summary) > maxSummary {
		summary = Head(Valid(summary), maxSummary) + "…"
	}
	r := Result{Status: Error, Text: text, Summary: summary}
	if errors.Is(err, context.Canceled) {
		r.Status, r.Text = Aborted, "Aborted."
	}
	return r
}

// Failf is Failed for a message made like fmt.Errorf makes one.
func Failf(format string, args ...any) Result { return Failed(fmt.Errorf(format, args...)) }
