package llm

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// asked is how long a response asks to wait, 0 where it does not: by Retry-After (RFC 9110 section 10.2.3), or in
// milliseconds as Azure does (https://learn.microsoft.com/azure/ai-services/openai/how-to/quota), or, for a rate, by the
// time at which its budget is full again.
func asked(status int, h http.Header) time.Duration {
	for _, name := range []string{"Retry-After-Ms", "X-Ms-Retry-After-Ms"} {
		if ms, err := strconv.ParseFloat(h.Get(name), 64); err == nil && ms > 0 && ms < 1e12 {
			return time.Duration(ms * float64(time.Millisecond))
		}
	}
	value := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(value, 64); err == nil {
		if s > 0 && s < 1e9 {
			return time.Duration(s * float64(time.Second))
		}
		return 0
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, at.Sub(sent(h)))
	}
	if status == http.StatusTooManyRequests {
		return refilled(h)
	}
	return 0
}

// sent is when a response was made by the clock of who made it, so that a skewed one of ours does not matter.
func sent(h http.Header) time.Time {
	if at, err := http.ParseTime(h.Get("Date")); err == nil {
		return at
	}
	return time.Now()
}

// budgets are the headers of rate limits: what is left, and when it is full again. Where more than one is used up, the
// latest time counts.
var budgets = []struct{ left, reset, source string }{
	{"X-Ratelimit-Remaining-Requests", "X-Ratelimit-Reset-Requests", "https://platform.openai.com/docs/guides/rate-limits#rate-limits-in-headers"},
	{"X-Ratelimit-Remaining-Tokens", "X-Ratelimit-Reset-Tokens", "https://console.groq.com/docs/rate-limits"},
	{"X-Ratelimit-Remaining-Requests-Day", "X-Ratelimit-Reset-Requests-Day", "https://inference-docs.cerebras.ai/support/rate-limits"},
	{"X-Ratelimit-Remaining-Tokens-Minute", "X-Ratelimit-Reset-Tokens-Minute", "https://inference-docs.cerebras.ai/support/rate-limits"},
	{"Anthropic-Ratelimit-Requests-Remaining", "Anthropic-Ratelimit-Requests-Reset", "https://platform.claude.com/docs/en/api/rate-limits#response-headers"},
	{"Anthropic-Ratelimit-Tokens-Remaining", "Anthropic-Ratelimit-Tokens-Reset", "https://platform.claude.com/docs/en/api/rate-limits#response-headers"},
	{"Anthropic-Ratelimit-Input-Tokens-Remaining", "Anthropic-Ratelimit-Input-Tokens-Reset", "https://platform.claude.com/docs/en/api/rate-limits#response-headers"},
	{"Anthropic-Ratelimit-Output-Tokens-Remaining", "Anthropic-Ratelimit-Output-Tokens-Reset", "https://platform.claude.com/docs/en/api/rate-limits#response-headers"},
	{"X-Ratelimit-Remaining", "X-Ratelimit-Reset", "https://openrouter.ai/docs/api/reference/limits"},
	{"Ratelimit-Remaining", "Ratelimit-Reset", "https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/06/"},
}

// refilled is when the budgets that are used up are full again.
func refilled(h http.Header) (wait time.Duration) {
	for _, b := range budgets {
		if left, err := strconv.ParseFloat(h.Get(b.left), 64); err == nil && left <= 0 {
			wait = max(wait, until(h.Get(b.reset), sent(h)))
		}
	}
	return wait
}

// until reads a time at which a budget is full: as a duration ("6m0s", "7.66s"), in seconds, as a Unix time in seconds or
// milliseconds, or by RFC 3339.
func until(value string, now time.Time) time.Duration {
	const unix, unixMilli = 1e9, 1e12
	var wait time.Duration
	if d, err := time.ParseDuration(value); err == nil {
		wait = d
	} else if at, err := time.Parse(time.RFC3339, value); err == nil {
		wait = at.Sub(now)
	} else if n, err := strconv.ParseFloat(value, 64); err == nil {
		switch {
		case n >= unixMilli && n < unixMilli*100:
			wait = time.UnixMilli(int64(n)).Sub(now)
		case n >= unix && n < unixMilli:
			wait = time.Unix(int64(n), 0).Sub(now)
		case n < unix:
			wait = time.Duration(n * float64(time.Second))
		}
	}
	return max(0, wait)
}

// inWords finds a wait in a message: a stream has no headers. OpenAI says "Please try again in 7m12s", Azure "Please retry
// after 3 seconds", Gemini "Please retry in 34.07s".
var inWords = regexp.MustCompile(`(?i)(?:try again|retry) (?:in|after) ((?:[0-9.]+ ?(?:h|ms|m|s)[a-z]*)+)`)

var units = regexp.MustCompile(`([0-9.]+) ?(ms|h|m|s)[a-z]*`)

func waitIn(message string) time.Duration {
	found := inWords.FindStringSubmatch(message)
	if found == nil {
		return 0
	}
	wait, err := time.ParseDuration(units.ReplaceAllString(strings.ToLower(found[1]), "$1$2"))
	if err != nil {
		return 0
	}
	return max(0, wait)
}
