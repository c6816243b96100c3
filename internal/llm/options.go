package llm

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"
)

// Options say where a server is and how to be let in. The environment is never read: what is not here is not used.
// Printing Options, with any verb or logger, shows neither the key nor a header's value.
type Options struct {
	// Provider names the server in [Opaque] data, so that two servers of one wire never get each other's. Empty is
	// the provider's type.
	Provider string
	// BaseURL is the server's address; empty is the provider's own. A trailing slash does not matter.
	BaseURL string
	// Key gives out the secret; nil sends none. A key that the server refuses before it has said anything is asked for
	// anew, once, and the request sent again if there is another.
	Key Keys
	// Headers are sent with every request, over the wire's own.
	Headers map[string]string
	// Dir is the folder that the names of files count from, where a model is a file.
	Dir string
	// HTTP sends the requests; nil is a shared client that uses no proxy. Redirects are never followed.
	HTTP *http.Client
	// Silence is how long a server may send nothing before the stream is cut, also before its first byte: 0 is [Silence],
	// a negative one is no limit.
	Silence time.Duration
	// Longest is the most bytes of one answer's text, thinking and arguments together: 0 is [Longest].
	Longest int
	// Clock is the time that silence is measured by.
	Clock Clock
}

// Longest is the most bytes of one answer, where [Options] do not say. Who takes an answer needs no more than twice that.
const Longest = 16 << 20

// maxPictures is the most bytes of one answer's pictures.
const maxPictures = 64 << 20

func (o Options) longest() int {
	if o.Longest > 0 {
		return o.Longest
	}
	return Longest
}

// Format keeps fmt from printing secrets.
func (o Options) Format(s fmt.State, _ rune) {
	fmt.Fprintf(s, "{%s %s}", o.Provider, host(o.BaseURL))
}

// LogValue keeps slog from printing secrets.
func (o Options) LogValue() slog.Value { return slog.StringValue(fmt.Sprint(o)) }

// Base is the address to append paths to: BaseURL, or else the standard one, without a trailing slash, and with the
// version segment (such as "/v1") added where no segment of its path looks like one. An address that is not an
// absolute http or https URL, or that has a query, is a Fault.
func (o Options) Base(standard, version string) (string, *Fault) {
	base := o.BaseURL
	if base == "" {
		base = standard
	}
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", &Fault{Code: CodeInvalid, Message: "the base URL is not an http or https address: " + host(base)}
	}
	if u.RawQuery != "" || u.Fragment != "" {
		return "", &Fault{Code: CodeInvalid, Message: "the base URL has a query or a fragment: " + host(base)}
	}
	u.Path = strings.TrimRight(u.Path, "/")
	u.RawPath = ""
	if !segment.MatchString(u.Path) {
		u.Path += version
	}
	return u.String(), nil
}

// segment finds a version in a path: v1, v1beta, v1alpha2.
var segment = regexp.MustCompile(`/v\d+[a-z0-9]*(/|$)`)

// host is the part of an address that is safe to show.
func host(address string) string {
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		return u.Scheme + "://" + u.Host
	}
	return "(unreadable)"
}

// scrub takes every secret of the options, and the keys that were sent, out of text that came from outside.
func (o Options) scrub(text string, keys []string) string {
	hide := func(secret string) {
		// Shorter values are words such as "x"; taking them out would only garble the text.
		if len(secret) < 4 {
			return
		}
		text = strings.ReplaceAll(text, secret, "[key]")
		text = strings.ReplaceAll(text, url.QueryEscape(secret), "[key]")
	}
	for _, key := range keys {
		hide(key)
	}
	for _, value := range o.Headers {
		hide(value)
		if _, token, found := strings.Cut(value, " "); found {
			hide(token)
		}
	}
	if u, err := url.Parse(o.BaseURL); err == nil && u.User != nil {
		password, _ := u.User.Password()
		hide(password)
	}
	return text
}

// Line makes text from outside fit for one line of a message: white space is collapsed, control characters go, and
// what is over 500 bytes is cut.
func Line(text string) string {
	const most = 500
	if len(text) > 4*most {
		text = text[:4*most]
	}
	clean := strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, ""))
	clean = strings.Join(strings.Fields(clean), " ")
	if len(clean) > most {
		clean = strings.ToValidUTF8(clean[:most], "") + " …"
	}
	return clean
}
