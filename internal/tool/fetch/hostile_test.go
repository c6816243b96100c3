package fetch

import (
	"fmt"
	"net/url"
	"runtime"
	"strings"
	"testing"
)

// hostile are pages that a parser makes much of: 5 MB each.
var hostile = map[string]string{
	"elements":    strings.Repeat("<a>", maxBody/3),
	"nested":      strings.Repeat("<div>", maxBody/5),
	"formatting":  strings.Repeat("<b><i><u><s><em><tt>", 100) + strings.Repeat("<p>x", maxBody/4),
	"misnested":   strings.Repeat("<b><p></b>", maxBody/10),
	"attributes":  "<a " + strings.Repeat("b ", maxBody/2) + ">",
	"several":     strings.Repeat("<p "+strings.Repeat("b ", 40)+">", maxBody/84),
	"links":       strings.Repeat("<a href=x>y</a>", maxBody/15),
	"lists":       strings.Repeat("<ul><li>", maxBody/8),
	"quotes":      strings.Repeat("<blockquote>x<br>", maxBody/17),
	"tables":      strings.Repeat("<table><tr><td>", maxBody/15),
	"fostered":    "<table>" + strings.Repeat("<b>x<tr>", maxBody/8),
	"reopened":    "<table>" + strings.Repeat("<a>x<tr>", maxBody/8),
	"code":        strings.Repeat("<code>", 400) + strings.Repeat("<p>x", maxBody/4),
	"ends":        "<p>" + strings.Repeat("</p>", maxBody/4),
	"title":       "<title>" + strings.Repeat("a ", maxBody/2-10) + "</title>",
	"comments":    strings.Repeat("<!---->", maxBody/7),
	"entities":    strings.Repeat("&amp;", maxBody/5),
	"words":       strings.Repeat("a ", maxBody/2),
	"distinct":    distinct(),
	"unclosed":    "<script>" + strings.Repeat("a<b ", maxBody/4),
	"preformated": "<pre>" + strings.Repeat("\n", maxBody-5),
}

func distinct() string {
	var b strings.Builder
	for i := range 400 {
		fmt.Fprintf(&b, "<font size=%d>", i)
	}
	return b.String() + strings.Repeat("<p>x", (maxBody-b.Len())/4)
}

// A page of 5 MB took the daemon from 33 to 428 MB.
func TestHostilePageIsBounded(t *testing.T) {
	base := &url.URL{Scheme: "http", Host: "site.test"}
	for name, page := range hostile {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			text := plain(page, base)
			runtime.ReadMemStats(&after)
			if n := (after.TotalAlloc - before.TotalAlloc) >> 20; n > most {
				t.Errorf("%d MiB for %d KiB of text", n, len(text)>>10)
			} else {
				t.Logf("%d MiB for %d KiB of text", n, len(text)>>10)
			}
		})
	}
}

// most is what is allocated in all, garbage too, in MiB.
const most = 150
