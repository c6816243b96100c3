package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"
)

// A Listing is a server's answer to which models it has: a request that needs the key and costs nothing.
type Listing struct {
	Status ListingStatus
	Models []string // in the server's order
	Reason string   // why there is no list, in words; never a key
}

// A ListingStatus says how asking a server for its models went.
type ListingStatus int

// What comes of asking.
const (
	Unlisted    ListingStatus = iota // it answered, or would, but not with a list
	Listed                           // it answered with a list
	Refused                          // it does not take the key
	Unreachable                      // no connection came about, or no answer in time
)

// Bounds of a list that a server sends.
const (
	listingSize   = 4 << 20 // bytes
	listingModels = 2000
	listingName   = 200 // bytes
)

// ListRequest is how a server of the wire is asked for its models. Two servers that get the same request give the same
// list.
func (w *Wire) ListRequest(ctx context.Context, o Options) (*http.Request, error) {
	if w.ListPath == "" {
		return nil, &Fault{Code: CodeNotFound, Message: "it has no list of models"}
	}
	base, fault := o.Base(w.Base, w.Version)
	if fault != nil {
		return nil, fault
	}
	q, err := http.NewRequest(http.MethodGet, base+w.ListPath, nil)
	if err != nil {
		return nil, &Fault{Code: CodeInvalid, Message: "the address cannot be asked"}
	}
	key, err := o.key(ctx, "")
	if err != nil {
		return nil, err
	}
	o.authorize(q.Header, w, key)
	return q.WithContext(ctx), nil
}

// List asks a server of the wire for its models, and waits no longer than that.
func (w *Wire) List(ctx context.Context, o Options, wait time.Duration) Listing {
	within, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	q, err := w.ListRequest(within, o)
	if err != nil {
		return Listing{Reason: AsFault(ctx, err).Message}
	}
	client := direct()
	if o.HTTP != nil {
		client = o.HTTP
	}
	// A key must not follow a redirect.
	once := &http.Client{Transport: client.Transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := once.Do(q)
	if err != nil {
		if errors.Is(err, context.DeadlineExceeded) {
			return Listing{Status: Unreachable, Reason: fmt.Sprintf("%s: no answer within %s", q.URL.Host, wait)}
		}
		return Listing{Status: Unreachable, Reason: AsFault(ctx, err).Message}
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, listingSize))
	if err != nil {
		return Listing{Status: Unreachable, Reason: q.URL.Host + ": the answer broke off"}
	}
	return w.listing(res, body)
}

// listing reads an answer. Its words are not repeated: some servers echo the key.
func (w *Wire) listing(res *http.Response, body []byte) Listing {
	host := res.Request.URL.Host
	switch status := res.StatusCode; {
	case status == http.StatusOK:
		names, ok := w.ReadList(body)
		if !ok {
			return Listing{Reason: host + " answers, but not with a list of models"}
		}
		return Listing{Status: Listed, Models: shown(names)}
	// Gemini has no 401: https://ai.google.dev/gemini-api/docs/troubleshooting
	case status == http.StatusUnauthorized, status == http.StatusForbidden,
		status == http.StatusBadRequest && strings.Contains(string(body), "API_KEY_INVALID"):
		return Listing{Status: Refused, Reason: fmt.Sprintf("%s refuses the key (status %d)", host, status)}
	case status >= 300 && status < 400:
		to := "elsewhere"
		if at, err := url.Parse(res.Header.Get("Location")); err == nil && at.Host != "" {
			to = "to " + at.Host
		}
		return Listing{Reason: fmt.Sprintf("%s redirects %s (status %d), which is not followed", host, to, status)}
	case status == http.StatusNotFound, status == http.StatusMethodNotAllowed, status == http.StatusNotImplemented:
		return Listing{Reason: fmt.Sprintf("%s answers, but has no list of models (status %d)", host, status)}
	default:
		return Listing{Reason: fmt.Sprintf("%s answers with status %d", host, status)}
	}
}

// shown are the names that can go to a terminal, and no more than anybody has.
func shown(names []string) []string {
	bad := func(r rune) bool { return !unicode.IsPrint(r) || r == unicode.ReplacementChar }
	var out []string
	for _, name := range names {
		if name != "" && len(name) <= listingName && len(out) < listingModels && !strings.ContainsFunc(name, bad) {
			out = append(out, name)
		}
	}
	return out
}

// ReadList finds the models in {"data":[{"id":…}]}, which most servers list them in.
func ReadList(body []byte) (names []string, ok bool) {
	var sent struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if json.Unmarshal(body, &sent) != nil || sent.Data == nil {
		return nil, false
	}
	for _, m := range sent.Data {
		names = append(names, m.ID)
	}
	return names, true
}
