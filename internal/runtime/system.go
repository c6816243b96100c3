package runtime

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"

	"parley/internal/config"
	"parley/internal/event"
	"parley/internal/regular"
)

// agentsLimit is the most of one AGENTS.md that is sent, in bytes.
const agentsLimit = 64 << 10

// systemPrompt is what every model is told first, then the AGENTS.md files from root down to dir, then where and when
// that is; with what each costs. What changes least comes first: a provider's cache holds as much of a request as begins
// like one before it.
func systemPrompt(cfg config.Config, dir, root, place string) (string, []event.BudgetSource) {
	var out strings.Builder
	out.WriteString(cmp.Or(cfg.SystemPrompt, standing()))
	if more := strings.TrimSpace(cfg.AppendSystemPrompt); more != "" {
		out.WriteString("\n" + more + "\n")
	}
	budget := []event.BudgetSource{{Name: "system", Tokens: (out.Len() + len(place)) / 4}}
	for _, at := range between(root, dir) {
		file := filepath.Join(at, "AGENTS.md")
		text := instructions(root, file)
		if len(text) == 0 {
			continue
		}
		if len(text) > agentsLimit {
			text = append(text[:agentsLimit:agentsLimit], "\n(cut here)"...)
		}
		name, err := filepath.Rel(root, file)
		if err != nil {
			name = file
		}
		fmt.Fprintf(&out, "\nInstructions of the project, from %s:\n\n%s\n", name, strings.ToValidUTF8(string(text), "\uFFFD"))
		budget = append(budget, event.BudgetSource{Name: name, Tokens: len(text) / 4})
	}
	out.WriteString("\n" + place)
	return out.String(), budget
}

// instructions reads a file of the project; nothing where it is not one, or is a
// link that leads out of it: a repository could send any file of its reader's
// to a model that way.
func instructions(root, file string) []byte {
	base, err := filepath.EvalSymlinks(root)
	if err != nil {
		return nil
	}
	at, err := filepath.EvalSymlinks(file)
	if err != nil {
		return nil
	}
	if rel, err := filepath.Rel(base, at); err != nil || !filepath.IsLocal(rel) {
		return nil
	}
	text, err := regular.Read(at, agentsLimit+1)
	if err != nil {
		return nil
	}
	return text
}

// between lists the folders from root down to dir.
func between(root, dir string) []string {
	var down []string
	for at := dir; ; at = filepath.Dir(at) {
		down = append([]string{at}, down...)
		if at == root || at == filepath.Dir(at) {
			return down
		}
	}
}
