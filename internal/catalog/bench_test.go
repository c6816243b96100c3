package catalog

import "testing"

// What a program pays that uses the catalog once: the header, the sections, and one model.
func BenchmarkFirstUse(b *testing.B) {
	dates()
	for b.Loop() {
		c, err := Open(models)
		if err != nil {
			b.Fatal(err)
		}
		if _, ok := c.Lookup("openrouter", "z-ai/glm-5.3"); !ok {
			b.Fatal("it is not there")
		}
	}
}

// The whole of it: what a refreshed catalog costs when it is loaded.
func BenchmarkCheck(b *testing.B) {
	for b.Loop() {
		c, err := Open(models)
		if err != nil || c.Check() != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkResolve(b *testing.B) {
	lists := listed(b)
	for b.Loop() {
		if _, err := Embedded().Resolve("openai", "default", lists["openai"], november); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLifecycle(b *testing.B) {
	for b.Loop() {
		if _, err := parseCalendar(lifecycle); err != nil {
			b.Fatal(err)
		}
	}
}
