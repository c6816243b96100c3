package runtime

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"parley/internal/catalog"
	"parley/internal/llm"
)

// fitted is a model that is asked for no more than it takes, and whose server, where it does not have it, says what it
// has instead.
type fitted struct {
	llm.Model
	view  View
	named Named
	known Known
}

// Stream implements [llm.Model].
func (f fitted) Stream(ctx context.Context, r llm.Request) iter.Seq[llm.Part] {
	return func(yield func(llm.Part) bool) {
		for part := range f.Model.Stream(ctx, r) {
			if end, ok := part.(llm.End); ok && end.Fault != nil && missing(*end.Fault) {
				fault := *end.Fault
				f.advise(ctx, &fault)
				end.Fault = &fault
				part = end
			}
			if !yield(part) {
				return
			}
		}
	}
}

// thinker is how the model is told how much to think; the zero value where nobody knows.
func (k Known) thinker() llm.Thinker {
	t := llm.Thinker{Way: llm.Way(k.Thinking.Way)}
	if k.Thinking.Between != catalog.Native {
		t.Between = llm.Between(k.Thinking.Between)
	}
	for _, e := range k.Thinking.Efforts {
		t.Levels = append(t.Levels, llm.Level{Effort: llm.EffortOf(e.Name), Word: e.Word})
	}
	return t
}

// images is what the model takes of pictures, as far as that is known.
func (k Known) images() llm.ImageLimits {
	i := k.Images
	return llm.ImageLimits{Absent: i.Taken == catalog.No, Edge: i.Edge, Bytes: i.Bytes, Number: i.Number, Total: i.Request}
}

// unfit says, for people, why a model does not think as hard as was asked for; empty: it does.
func unfit(name string, k Known, asked string) string {
	t, e := k.thinker(), llm.EffortOf(asked)
	level, ok := t.Asks(e)
	switch {
	case asked == "" || t.Way == llm.Unknown || ok && level.Effort == e:
		return ""
	case ok:
		return fmt.Sprintf("%s does not think with reasoning %s; %s is what it takes", name, asked, level.Effort)
	case e == llm.None:
		return ""
	}
	return fmt.Sprintf("%s takes no word for how hard to think; reasoning %s is left out", name, asked)
}

// adviceWait is how long a run that has failed waits to hear what its server has.
const adviceWait = 3 * time.Second

// missing reports whether a fault may be that of a model which the server does not have. Most say so by 404; the words
// are those of servers that say 400:
//
//   - "Model Not Exist": DeepSeek, https://api-docs.deepseek.com/quick_start/error_codes
//   - "is not a valid model ID": OpenRouter, https://openrouter.ai/docs/api-reference/errors
//   - "Invalid model": Mistral, https://docs.mistral.ai/api
//   - "does not exist", "not found": LM Studio, LiteLLM and others that pass on what a vendor said
func missing(f llm.Fault) bool {
	if f.Code == llm.CodeNotFound {
		return true
	}
	words := strings.ToLower(f.Message)
	return f.Code == llm.CodeInvalid && !f.Overflow && strings.Contains(words, "model") &&
		slices.ContainsFunc([]string{"not exist", "not found", "invalid model", "not a valid model", "unknown model"},
			func(s string) bool { return strings.Contains(words, s) })
}

// advise adds to a fault what the server has, where the model is not among it.
func (f fitted) advise(ctx context.Context, fault *llm.Fault) {
	v := f.view.m.In(f.view.cfg, f.view.env, adviceWait)
	l := v.List(ctx, f.named.Provider)[f.named.Provider.Name]
	if l.Status != llm.Listed || catalog.Served(f.named.Name, l.Models) {
		return
	}
	fault.Code = llm.CodeNotFound
	fault.Message += "; " + Absent(f.named, f.known, l.Models)
}

// Absent says of a model that its server does not list what is near to it there.
func Absent(n Named, k Known, listed []string) string {
	text := "its server does not list " + n.Name
	if !k.Retires.IsZero() {
		text += " (its vendor ends it on " + k.Retires.Format(time.DateOnly) + ")"
	}
	if near := catalog.Nearest(n.Name, listed); len(near) > 0 {
		return text + "; near to it: " + strings.Join(near, ", ")
	}
	return text + fmt.Sprintf("; 'parley models %s' shows what it lists", n.Provider.Name)
}
