package script

import (
	"context"
	"fmt"
	"iter"
	"path/filepath"
	"sync/atomic"
	"time"

	"parley/internal/llm"
)

// Provider plays the files of a client's folder.
var Provider = llm.Provider{
	Type:    "script",
	Servers: []llm.Server{{Name: "script"}},
	Local:   &llm.Local{Open: open, Name: "FILE", About: "plays a file"},
}

func open(o llm.Options, file string) (llm.Model, *llm.Fault) {
	if !filepath.IsAbs(file) {
		file = filepath.Join(o.Dir, file)
	}
	m, err := Open(file)
	if err != nil {
		return nil, &llm.Fault{Code: llm.CodeInvalid, Message: err.Error()}
	}
	return m, nil
}

// Model plays one script.
type Model struct {
	// Clock is what delays and rates wait by; the zero value is real time. Set it before the first request.
	Clock llm.Clock

	name        string
	ordered     []answer
	conditional []answer
	counted     bool
	asked       atomic.Int64
}

var _ llm.Model = (*Model)(nil)

// Stream plays the answer that the request is due. See the package for which that is.
func (m *Model) Stream(ctx context.Context, r llm.Request) iter.Seq[llm.Part] {
	return llm.Stream(ctx, llm.Options{Provider: "script"}, r, func(ctx context.Context, a *llm.Answer) error {
		if r.OnSent != nil {
			r.OnSent(size(r))
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		next, err := m.next(r)
		if err != nil {
			return err
		}
		a.End.ResponseModel = r.Model
		p := player{answer: a, clock: m.Clock}
		for _, step := range next.steps {
			if err := p.play(ctx, step); err != nil || a.Left() {
				return err
			}
		}
		if next.fail != nil {
			return next.fail.fault()
		}
		p.end(next, r)
		return nil
	})
}

func (f *failure) fault() *llm.Fault {
	switch {
	case f.Cut:
		return llm.Cut()
	case f.Malformed:
		return llm.Malformed(fmt.Errorf("%s", or(f.Message, "as the script says")))
	}
	fault := llm.StatusFault(f.Status, nil, or(f.Message, "as the script says"))
	fault.Retry = time.Duration(f.RetryAfter * float64(time.Second))
	return fault
}
