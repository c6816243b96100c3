package script

import (
	"context"
	"fmt"
	"iter"
	"sync/atomic"
	"time"

	"parley/internal/llm"
)

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
			if err := p.play(ctx, step); err != nil || p.gone {
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
