package refresh

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"parley/internal/catalog"
)

// entry is a model as the package tells it: types.d.ts of the package.
type entry struct {
	Type, ID  string
	Base      string   `json:"baseUrl"`
	Context   int      `json:"contextWindow"`
	Output    int      `json:"maxTokens"`
	Reasoning bool     `json:"reasoning"`
	Input     []string `json:"input"`
	Free      bool     `json:"free"`
	Cost      struct {
		rates
		Tiers []struct {
			Above int `json:"inputTokensAbove"`
			rates
		}
	}
	// Efforts are words for names of efforts: null is one that it does not take, one that is left out has its usual word.
	Efforts map[string]*string `json:"thinkingLevelMap"`
	Compat  struct {
		Adaptive bool  `json:"forceAdaptiveThinking"`
		Effort   *bool `json:"supportsReasoningEffort"`
		Echo     *bool `json:"requiresReasoningContentOnAssistantMessages"`
	}
	Limits struct {
		Request int `json:"maxRequestBytes"`
		Images  struct {
			Number int `json:"maxPerRequest"`
			Resize struct {
				Width  int `json:"maxWidth"`
				Height int `json:"maxHeight"`
				Bytes  int `json:"maxBytes"`
			}
		}
	} `json:"inputLimits"`
}

type rates struct {
	Input, Output         float64
	CacheRead, CacheWrite float64
}

// wires are this program's names for those of the package. What needs another way of signing in is left out.
var wires = map[string]string{
	"anthropic-messages":    "anthropic",
	"openai-responses":      "openai-responses",
	"openai-completions":    "openai-chat",
	"mistral-conversations": "openai-chat", // Mistral has both at one address
	"google-generative-ai":  "gemini",
}

// convert turns the package's files into sections, in order. A file is an object by wire of objects by kind and name.
func convert(files map[string][]byte) ([]catalog.Section, error) {
	found := map[catalogKey][]catalog.Model{}
	for provider, file := range files {
		var kinds map[string]map[string]entry
		if err := json.Unmarshal(file, &kinds); err != nil {
			return nil, fmt.Errorf("%s: %w", provider, err)
		}
		for kind, entries := range kinds {
			for _, e := range entries {
				// An address with a place for the user's account is none that a configuration can be told by.
				if wires[kind] == "" || e.Type != "chat" || e.Base == "" || strings.ContainsAny(e.Base, "{ \n") {
					continue
				}
				key := catalogKey{provider, wires[kind], e.Base}
				found[key] = append(found[key], e.model(key))
			}
		}
	}
	var sections []catalog.Section
	for _, key := range slices.SortedFunc(maps.Keys(found), catalogKey.compare) {
		models := found[key]
		slices.SortFunc(models, func(a, b catalog.Model) int { return strings.Compare(a.Name, b.Name) })
		sections = append(sections, catalog.Section{Provider: key.provider, Wire: key.wire, Base: key.base, Models: models})
	}
	return sections, nil
}

type catalogKey struct{ provider, wire, base string }

func (k catalogKey) compare(other catalogKey) int {
	return cmp.Or(cmp.Compare(k.provider, other.provider), cmp.Compare(k.wire, other.wire), cmp.Compare(k.base, other.base))
}

func (e entry) model(key catalogKey) catalog.Model {
	m := catalog.Model{
		Provider: key.provider, Name: e.ID, Context: e.Context,
		Output:   min(e.Output, e.Context), // two of the package say that the answer is longer than the window
		Thinking: e.thinking(key), Images: e.images(), Price: e.price(),
	}
	return m
}

func (e entry) images() catalog.Images {
	if !slices.Contains(e.Input, "image") {
		return catalog.Images{Taken: catalog.No}
	}
	l := e.Limits
	return catalog.Images{
		Taken: catalog.Yes, Edge: min(l.Images.Resize.Width, l.Images.Resize.Height), Bytes: l.Images.Resize.Bytes,
		Number: l.Images.Number, Request: l.Request,
	}
}

// classes are the limits for pictures that there are, in order.
func classes(sections []catalog.Section) []catalog.Images {
	seen := map[catalog.Images]bool{}
	for _, s := range sections {
		for _, m := range s.Models {
			seen[m.Images] = true
		}
	}
	delete(seen, catalog.Images{Taken: catalog.No})
	return slices.SortedFunc(maps.Keys(seen), func(a, b catalog.Images) int {
		return cmp.Or(cmp.Compare(a.Request, b.Request), cmp.Compare(a.Number, b.Number), cmp.Compare(a.Edge, b.Edge), cmp.Compare(a.Bytes, b.Bytes))
	})
}

// price tells a price that is not known, which the package writes as 0, from one that is 0: what says of itself that it
// is free. A cached token without a rate of its own costs what another does, so there 0 is not known.
func (e entry) price() catalog.Price {
	if e.Cost.Input == 0 && e.Cost.Output == 0 {
		if !e.Free && !strings.HasSuffix(e.ID, ":free") {
			return catalog.Price{}
		}
		free := catalog.USD(0)
		return catalog.Price{Rates: catalog.Rates{Input: free, Output: free, CachedRead: free, CachedWrite: free}}
	}
	p := catalog.Price{Rates: e.Cost.rates.known()}
	for _, t := range e.Cost.Tiers {
		p.Tiers = append(p.Tiers, catalog.Tier{Above: t.Above, Rates: t.rates.known()})
	}
	slices.SortFunc(p.Tiers, func(a, b catalog.Tier) int { return cmp.Compare(a.Above, b.Above) })
	return p
}

func (r rates) known() catalog.Rates {
	known := func(dollars float64) catalog.Rate {
		if dollars == 0 {
			return catalog.Rate{}
		}
		return catalog.USD(dollars)
	}
	return catalog.Rates{
		Input: catalog.USD(r.Input), Output: catalog.USD(r.Output),
		CachedRead: known(r.CacheRead), CachedWrite: known(r.CacheWrite),
	}
}
