package llmtest

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"image"
	"image/color"
	_ "image/jpeg" // decoded by its name
	"image/png"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/llm"
)

// drawn is a picture of a size, each of another colour.
func drawn(t *testing.T, w, h, n int) llm.Image {
	t.Helper()
	i := image.NewPaletted(image.Rect(0, 0, w, h), color.Palette{color.RGBA{byte(n), byte(n >> 8), 9, 255}})
	var out bytes.Buffer
	if err := png.Encode(&out, i); err != nil {
		t.Fatal(err)
	}
	return llm.Image{MediaType: "image/png", Data: out.Bytes()}
}

// inBase64 finds pictures in a request's body: PNG and JPEG.
var inBase64 = regexp.MustCompile(`(?:iVBORw0KGgo|/9j/)[A-Za-z0-9+/]+=*`)

// sent are the sizes of the pictures in a body.
func sent(t *testing.T, body []byte) (out []image.Point) {
	t.Helper()
	for _, text := range inBase64.FindAll(body, -1) {
		data, err := base64.StdEncoding.DecodeString(string(text))
		if err != nil {
			t.Fatal(err)
		}
		shape, _, err := image.DecodeConfig(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, image.Pt(shape.Width, shape.Height))
	}
	return out
}

// showing is a request with pictures in a prompt, in a result and in the last prompt.
func showing(first, result, last []llm.Image) llm.Request {
	r := First()
	content := func(text string, images []llm.Image) (out []llm.Content) {
		for _, i := range images {
			out = append(out, i)
		}
		return append(out, llm.Text{Text: text})
	}
	r.Messages = []llm.Message{
		{Role: llm.User, Parts: content("Look.", first)},
		{Role: llm.Assistant, Parts: []llm.Content{llm.Text{Text: "I will."}, llm.ToolCall{ID: "call_1", Name: "read", Arguments: []byte(`{"path":"a.png"}`)}}},
		{Role: llm.Tool, Parts: []llm.Content{llm.ToolResult{CallID: "call_1", Name: "read", Text: "a picture", Images: result}}},
		{Role: llm.Assistant, Parts: []llm.Content{llm.Text{Text: "Seen."}}},
		{Role: llm.User, Parts: content("And?", last)},
	}
	return r
}

// What goes out is within what the wire takes, and the model: large pictures are scaled, what cannot be read is left out
// with a word, and of too many the oldest. The request of the caller stays as it was.
func (w Wire) pictures(t *testing.T) {
	edge := w.Provider.Wire.Images.Edge
	broken := llm.Image{MediaType: "image/png", Data: []byte("no picture")}
	large, small := drawn(t, 3*edge, 300, 1), drawn(t, 20, 10, 2)
	for _, c := range []struct {
		name   string
		limits llm.ImageLimits
		r      llm.Request
		want   []image.Point
		word   string
	}{
		{"large", llm.ImageLimits{}, showing([]llm.Image{large}, []llm.Image{large}, []llm.Image{small}), []image.Point{{edge, 100}, {edge, 100}, {20, 10}}, ""},
		{"the model's own", llm.ImageLimits{Edge: 10}, showing([]llm.Image{small}, nil, nil), []image.Point{{10, 5}}, ""},
		{"broken", llm.ImageLimits{}, showing([]llm.Image{broken}, []llm.Image{broken, small}, nil), []image.Point{{20, 10}}, "it is not a picture that can be read"},
		{"too many", llm.ImageLimits{Number: 4}, showing([]llm.Image{large, large}, []llm.Image{small, small}, []llm.Image{small}),
			[]image.Point{{20, 10}, {20, 10}}, "there are too many in this conversation"},
		{"too much", llm.ImageLimits{Total: len(small.Data)}, showing([]llm.Image{small}, []llm.Image{small}, []llm.Image{small}), []image.Point{{20, 10}}, "there are too many"},
		{"none", llm.ImageLimits{Absent: true}, showing([]llm.Image{small}, []llm.Image{small}, nil), nil, "this model takes no pictures"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := Serve(t, Reply{Body: w.Text})
			c.r.Images = c.limits
			untouched := showing(images(c.r.Messages[0].Parts), c.r.Messages[2].Parts[0].(llm.ToolResult).Images, images(c.r.Messages[4].Parts))
			_, parts := w.ask(s, c.r)
			w.check(t, parts)
			body := s.Queries()[0].Body
			if diff := cmp.Diff(c.want, sent(t, body)); diff != "" {
				t.Errorf("pictures (-want +got):\n%s", diff)
			}
			if bytes.Contains(body, []byte(c.word)) == false {
				t.Errorf("no %q in %.900s", c.word, body)
			}
			if diff := cmp.Diff(untouched.Messages, c.r.Messages); diff != "" {
				t.Errorf("the request of the caller:\n%s", diff)
			}
		})
	}
}

func images(parts []llm.Content) (out []llm.Image) {
	for _, p := range parts {
		if i, ok := p.(llm.Image); ok {
			out = append(out, i)
		}
	}
	return out
}

// A picture that the server does not take is named, so that it can be left out: the last that came where the server does not
// say which it means.
func (w Wire) refusedPicture(t *testing.T) {
	a, b, c, d := drawn(t, 9, 9, 1), drawn(t, 9, 9, 2), drawn(t, 9, 9, 3), drawn(t, 9, 9, 4)
	all := []llm.Image{a, b, c, d}
	named := func(indices ...int) (out []llm.Picture) {
		for _, i := range indices {
			sum := sha256.Sum256(all[i].Data)
			out = append(out, llm.Picture{Index: i, SHA256: hex.EncodeToString(sum[:])})
		}
		return out
	}
	for _, s := range []struct {
		name, body string
		status     int
		r          llm.Request
		want       []llm.Picture
	}{
		{"which one is not said", `{"error":{"message":"Could not process image","type":"invalid_request_error"}}`, 400, showing(all[:1], all[1:2], all[2:]), named(3, 2)},
		{"no new one", `{"error":{"message":"The image data you provided does not represent a valid image","code":"invalid_image"}}`, 400, showing(all[:2], all[2:], nil), named(3, 2, 1, 0)},
		{"a model that takes none", `{"error":{"message":"No endpoints found that support image input","code":404}}`, 404, showing(all[:2], nil, all[2:]), named(0, 1, 2, 3)},
		{"too many", `{"error":{"message":"At most 3 image(s) may be provided in one request.","type":"BadRequestError"}}`, 400, showing(all[:2], nil, all[2:]), named(0)},
		{"not of a picture", `{"error":{"message":"messages: at least one is wanted"}}`, 400, showing(all, nil, nil), nil},
		{"a key", `{"error":{"message":"invalid image key"}}`, 401, showing(all, nil, nil), nil},
		{"no picture was sent", `{"error":{"message":"Could not process image"}}`, 400, First(), nil},
	} {
		t.Run(s.name, func(t *testing.T) {
			h, parts := w.ask(Serve(t, Reply{Status: s.status, Type: "application/json", Body: s.body}), s.r)
			w.check(t, parts)
			f := h.End.Fault
			if f == nil {
				t.Fatal("no fault")
			}
			if diff := cmp.Diff(s.want, f.Pictures); diff != "" {
				t.Errorf("pictures (-want +got):\n%s", diff)
			}
			if s.want != nil && (f.Code != llm.CodeInvalid || f.Retryable || f.Overflow) {
				t.Errorf("%+v", f)
			}
		})
	}
}
