package read

import (
	"bytes"
	"fmt"
	"image"
	_ "image/gif"  // for the size of a picture
	_ "image/jpeg" // for the size of a picture
	_ "image/png"  // for the size of a picture
	"io"
	"io/fs"
	"net/http"
	"strings"

	"parley/internal/tool"
)

// maxPicture is the largest picture that is sent: 5 MB as base64, the least of the providers' limits
// (Anthropic's, https://docs.anthropic.com/en/docs/build-with-claude/vision).
const maxPicture = 5_000_000 / 4 * 3

// picture returns the media type of a picture models take, "" for anything else.
func picture(start []byte) string {
	switch kind := http.DetectContentType(start); kind {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		return kind
	}
	return ""
}

func view(t tool.Target, in io.Reader, stat fs.FileInfo, kind string) tool.Result {
	if stat.Size() > maxPicture {
		return tool.Failf("%s is a picture of %s, the most is %s; make it smaller first", t.Name(), tool.Bytes(stat.Size()), tool.Bytes(maxPicture))
	}
	data, err := io.ReadAll(io.LimitReader(in, maxPicture+1))
	if err != nil {
		return tool.Failed(fmt.Errorf("%s: %w", t.Name(), err))
	}
	if len(data) > maxPicture {
		return tool.Failf("%s grew past %s while it was read", t.Name(), tool.Bytes(maxPicture))
	}
	size := tool.Bytes(int64(len(data)))
	if shape, _, err := image.DecodeConfig(bytes.NewReader(data)); err == nil {
		size = fmt.Sprintf("%d × %d, %s", shape.Width, shape.Height, size)
	}
	return tool.Result{
		Status:  tool.Success,
		Text:    fmt.Sprintf("%s is a picture (%s, %s).", t.Name(), kind, size),
		Summary: size,
		Display: tool.Display{File: t.Name()},
		Images:  []tool.Image{{MediaType: kind, Data: data}},
	}
}

// binary says in words what a file is that cannot be shown, "" for text.
func binary(start []byte, size int64) string {
	switch {
	case bytes.HasPrefix(start, []byte("\xff\xfe")), bytes.HasPrefix(start, []byte("\xfe\xff")):
		return "is text in UTF-16, which only a conversion can show: iconv -f UTF-16 -t UTF-8"
	case bytes.IndexByte(start, 0) < 0:
		return ""
	}
	kind, _, _ := strings.Cut(http.DetectContentType(start), ";")
	if kind == "application/octet-stream" || strings.HasPrefix(kind, "text/") {
		return fmt.Sprintf("is a binary file (%s)", tool.Bytes(size))
	}
	return fmt.Sprintf("is a binary file (%s, %s)", kind, tool.Bytes(size))
}
