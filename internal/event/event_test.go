package event_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/event"
	"parley/internal/event/eventtest"
)

// Every kind has a sample, and every field of it is set.
func TestSamplesAreWhole(t *testing.T) {
	kinds, all := event.Kinds(), eventtest.All()
	if len(kinds) != len(all) {
		t.Fatalf("%d kinds, %d samples", len(kinds), len(all))
	}
	for i, e := range all {
		if reflect.TypeOf(e.Body) != reflect.TypeOf(kinds[i]) {
			t.Errorf("sample %d is %s, the kind there is %s", i, e.Kind(), event.KindOf(kinds[i]))
		}
		whole(t, e.Kind(), reflect.ValueOf(e.Body))
	}
}

func whole(t *testing.T, at string, v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			whole(t, at+"."+v.Type().Field(i).Name, v.Field(i))
		}
	case reflect.Slice:
		if v.Len() == 0 {
			t.Errorf("%s is empty", at)
		} else if v.Type().Elem().Kind() == reflect.Struct {
			whole(t, at+"[0]", v.Index(0))
		}
	default:
		if v.IsZero() {
			t.Errorf("%s is not set", at)
		}
	}
}

// What is encoded decodes to the same event, for every kind.
func TestRoundTrip(t *testing.T) {
	for _, e := range eventtest.All() {
		b, err := json.Marshal(e)
		if err != nil {
			t.Fatal(e.Kind(), err)
		}
		got, err := event.Decode(b)
		if err != nil {
			t.Fatalf("%s: %v", b, err)
		}
		if d := cmp.Diff(e, got); d != "" {
			t.Errorf("%s: %s", e.Kind(), d)
		}
	}
}

// Keys are snake_case, and durations say their unit.
func TestKeysAreSnakeCase(t *testing.T) {
	for _, b := range event.Kinds() {
		rt := reflect.TypeOf(b)
		for i := range rt.NumField() {
			f := rt.Field(i)
			key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if key == "" || key != strings.ToLower(key) {
				t.Errorf("%s.%s has the key %q", event.KindOf(b), f.Name, key)
			}
			if strings.Contains(f.Name, "Duration") && !strings.HasSuffix(key, "_ms") {
				t.Errorf("%s.%s: a duration without its unit", event.KindOf(b), f.Name)
			}
		}
	}
}

// A type that is not known is carried and written back as it came.
func TestUnknownIsCarried(t *testing.T) {
	const in = `{"seq":3,"time":"2026-11-21T09:00:00Z","session":"s","type":"moon.rose","data":{"full":true}}`
	e, err := event.Decode([]byte(in))
	if err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(e)
	if err != nil || string(out) != in {
		t.Errorf("%s %v", out, err)
	}
}

func FuzzDecode(f *testing.F) {
	for _, e := range eventtest.All() {
		b, _ := json.Marshal(e)
		f.Add(b)
	}
	f.Add([]byte(`{"type":"block.grew","data":null}`))
	f.Add([]byte(`{"type":"x","data":[1]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		e, err := event.Decode(b)
		if err != nil {
			return
		}
		out, err := json.Marshal(e)
		if err != nil {
			t.Fatalf("decoded and not encoded: %s: %v", b, err)
		}
		again, err := event.Decode(out)
		if err != nil {
			t.Fatalf("%s: %v", out, err)
		}
		if second, _ := json.Marshal(again); string(second) != string(out) {
			t.Errorf("not stable:\n%s\n%s", out, second)
		}
	})
}

func BenchmarkAppendDelta(b *testing.B) {
	e := eventtest.All()[0]
	e.Body = event.BlockDelta{Block: "r1.t1.s1.b1", Offset: 4000, Text: "word "}
	buf := make([]byte, 0, 512)
	b.ReportAllocs()
	for b.Loop() {
		buf, _ = e.AppendJSON(buf[:0])
	}
}
