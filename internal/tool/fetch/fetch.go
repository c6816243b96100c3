// Package fetch is the tool that reads a page of the web as text.
//
// It guarantees that it only ever connects to public addresses unless World.FetchPrivate allows others:
// the address is judged when it is dialled, after the name was resolved and again after each redirect, so
// neither a name that points inside nor one that changes its mind helps. A redirect to another host is
// reported and not followed, since permission was given for one host. Size, time and redirects are bounded.
//
// It sends no cookies, keys or credentials, goes through no proxy, and runs no scripts.
package fetch

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/net/html/charset"

	"parley/internal/host"
	"parley/internal/tool"
)

const (
	timeLimit    = 30 * time.Second
	maxRedirects = 5
	// maxBody is how much of an answer is read, in bytes.
	maxBody = 5 << 20
	agent   = "parley"
)

type arguments struct {
	URL string `json:"url"`
}

// New returns the tool.
func New() tool.Tool {
	return tool.Definition[arguments]{
		Spec: tool.Spec{
			Name: "fetch",
			Description: "Get a page of the web by http or https and return its text; HTML is turned into readable text with its " +
				"links. A redirect to another host is reported, not followed: fetch the new URL if it is the right one.",
			Schema: []byte(`{
				"type": "object",
				"properties": {
					"url": {"type": "string", "minLength": 1, "description": "The whole URL, with http:// or https://"}
				},
				"required": ["url"],
				"additionalProperties": false
			}`),
			Aliases:  []tool.Alias{{Of: "url", Names: []string{"uri", "link"}}},
			ReadOnly: true, Concurrent: true,
			Pattern: tool.PatternHost,
		},
		Targets: func(_ tool.World, a arguments) (tool.Targets, error) {
			u, err := parse(a.URL)
			if err != nil {
				return tool.Targets{}, err
			}
			return tool.Targets{URL: u.String(), Host: place(u)}, nil
		},
		Run:   run,
		Title: func(a arguments) string { return a.URL },
	}.Tool()
}

func parse(raw string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(raw))
	if err != nil {
		return nil, fmt.Errorf("the URL is malformed: %w", errors.Unwrap(err))
	}
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("the URL must begin with http:// or https://")
	case u.Host == "" || u.Hostname() == "":
		return nil, fmt.Errorf("the URL has no host")
	case u.User != nil:
		return nil, fmt.Errorf("the URL must not hold a user or a password")
	}
	name, err := host.Name(u.Hostname())
	if err != nil {
		return nil, fmt.Errorf("the URL is malformed: %w", err)
	}
	u.Host = strings.TrimSuffix(net.JoinHostPort(name, u.Port()), ":")
	if _, _, err := host.Split(u.Host); err != nil {
		return nil, fmt.Errorf("the URL is malformed: %w", err)
	}
	u.Fragment, u.RawFragment = "", ""
	return u, nil
}

// ports are those that a URL without one means.
var ports = map[string]string{"http": "80", "https": "443"}

// place is what permission knows a URL by: the host as it is dialled, and the port.
func place(u *url.URL) string { return host.Join(u.Hostname(), port(u)) }

func port(u *url.URL) string { return cmp.Or(u.Port(), ports[u.Scheme]) }

// within reports whether what was permitted for one URL holds for another: it is the same host at the same port, or both
// are at the port that their scheme has.
func within(permitted, to *url.URL) bool {
	usual := port(permitted) == ports[permitted.Scheme] && port(to) == ports[to.Scheme]
	return permitted.Hostname() == to.Hostname() && (usual || port(permitted) == port(to))
}

// elsewhere is the error of a redirect that is not followed.
type elsewhere struct{ to *url.URL }

func (e elsewhere) Error() string { return "redirect to " + e.to.Redacted() }

func client(w tool.World) *http.Client {
	control := judge
	if w.FetchPrivate {
		control = nil
	}
	return &http.Client{
		Transport: &http.Transport{
			DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
				return w.Dial(ctx, network, address, control)
			},
			DisableKeepAlives:      true,
			ForceAttemptHTTP2:      true,
			TLSHandshakeTimeout:    10 * time.Second,
			MaxResponseHeaderBytes: 256 << 10,
		},
		CheckRedirect: func(next *http.Request, before []*http.Request) error {
			to, err := parse(next.URL.String())
			switch {
			case err != nil:
				return fmt.Errorf("bad redirect: %w", err)
			case len(before) > maxRedirects:
				return fmt.Errorf("more than %d redirects", maxRedirects)
			case !within(before[0].URL, to):
				return elsewhere{to}
			case before[len(before)-1].URL.Scheme == "https" && to.Scheme == "http":
				return fmt.Errorf("redirect from https to http")
			}
			next.URL, next.Host = to, "" // what was judged is what is dialled
			// What the last page was is not the next one's business.
			next.Header.Del("Referer")
			return nil
		},
	}
}

func run(ctx context.Context, w tool.World, c tool.Call, a arguments, _ tool.Grow) tool.Result {
	u, err := parse(a.URL)
	if err != nil {
		return tool.Failed(err)
	}
	limited, cancel := context.WithTimeout(ctx, timeLimit)
	defer cancel()
	request, err := http.NewRequestWithContext(limited, http.MethodGet, u.String(), nil)
	if err != nil {
		return tool.Failed(err)
	}
	request.Header.Set("User-Agent", agent)
	request.Header.Set("Accept", "text/html, text/markdown, text/plain, application/json;q=0.9, */*;q=0.5")
	answer, err := client(w).Do(request)
	if err != nil {
		return failed(ctx, limited, err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxBody+1))
	if err != nil {
		return failed(ctx, limited, err)
	}
	return page(w, c, answer, body)
}

// failed says what went wrong without the layers of the HTTP client.
func failed(ctx, limited context.Context, err error) tool.Result {
	var away elsewhere
	var wrapped *url.Error
	switch {
	case ctx.Err() != nil:
		return tool.Failed(ctx.Err())
	case limited.Err() != nil:
		return tool.Failf("no whole answer within %s", timeLimit)
	case errors.As(err, &away):
		return tool.Result{
			Status:  tool.Success,
			Text:    fmt.Sprintf("The page has moved to another host, %s. Nothing was fetched from there; fetch that URL if it is the right one.", away.to),
			Summary: "moved to " + away.to.Host,
		}
	case errors.As(err, &wrapped):
		err = wrapped.Err
	}
	return tool.Failed(err)
}

func page(w tool.World, c tool.Call, answer *http.Response, body []byte) tool.Result {
	cut := len(body) > maxBody
	if cut {
		// The limit may have cut a character.
		body = []byte(tool.Head(string(body), maxBody))
	}
	header := answer.Header.Get("Content-Type")
	if header == "" {
		header = http.DetectContentType(body)
	}
	kind, _, _ := mime.ParseMediaType(header)
	text, ok := readable(kind, header, body, answer.Request.URL)
	if !ok {
		return tool.Failf("%s is %s (%s), which cannot be shown as text", answer.Request.URL.Redacted(), kind, tool.Bytes(int64(len(body))))
	}
	if cut {
		text += fmt.Sprintf("\n[The page is longer than %s; the rest was not fetched.]", tool.Bytes(maxBody))
	}
	r := tool.Result{Status: tool.Success, Summary: tool.Bytes(int64(len(text)))}
	if answer.StatusCode >= 400 {
		r.Status, r.Summary = tool.Error, answer.Status
		text = fmt.Sprintf("The server answered %s.\n\n%s", answer.Status, text)
	}
	if strings.TrimSpace(text) == "" {
		text = "(the page has no text)"
	}
	r.Text, r.File = fit(w, c, text)
	return r
}

// fit cuts a text that is too long for a result, and keeps the whole in a file.
func fit(w tool.World, c tool.Call, text string) (short, file string) {
	if len(text) <= tool.MaxText {
		return text, ""
	}
	where := "the whole text could not be kept"
	out, path, err := w.Spill(c.ID)
	if err == nil {
		_, err = io.WriteString(out, text)
		if closing := out.Close(); err == nil {
			err = closing
		}
	}
	if err == nil {
		file, where = path, "the whole text is in "+path+", read it with offset and limit"
	}
	head := tool.Head(text, tool.MaxText-1024-len(where))
	if i := strings.LastIndexByte(head, '\n'); i > len(head)*3/4 {
		head = head[:i]
	}
	return fmt.Sprintf("%s\n[%d of %d bytes shown; %s]", head, len(head), len(text), where), file
}

// readable turns an answer into text; ok is false for what is none.
func readable(kind, header string, body []byte, base *url.URL) (text string, ok bool) {
	switch {
	case kind == "text/html", kind == "application/xhtml+xml":
		return plain(decode(header, body), base), true
	case strings.HasPrefix(kind, "text/"), strings.HasSuffix(kind, "+json"), strings.HasSuffix(kind, "+xml"):
	default:
		switch kind {
		case "application/json", "application/xml", "application/javascript", "application/x-javascript", "application/yaml",
			"application/x-yaml", "application/toml", "application/x-sh", "application/x-ndjson", "application/sql",
			"image/svg+xml":
		default:
			sniffed := http.DetectContentType(body)
			if kind != "application/octet-stream" || !strings.HasPrefix(sniffed, "text/") {
				return "", false
			}
		}
	}
	if bytes.IndexByte(body, 0) >= 0 && !strings.Contains(strings.ToLower(header), "utf-16") {
		return "", false
	}
	return decode(header, body), true
}

// decode makes UTF-8 of what the header, a byte order mark or the page itself says it is in.
func decode(header string, body []byte) string {
	encoding, _, certain := charset.DetermineEncoding(body, header)
	// What the header does not name is UTF-8 if it can be.
	if !certain && utf8.Valid(body) {
		return strings.TrimPrefix(string(body), "\ufeff")
	}
	decoded, err := encoding.NewDecoder().Bytes(body)
	if err != nil {
		return tool.Valid(string(body))
	}
	return tool.Valid(strings.TrimPrefix(string(decoded), "\ufeff"))
}
