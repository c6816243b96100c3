package runtime

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"parley/internal/config"
	"parley/internal/event"
	"parley/internal/regular"
)

// systemTemplate is what every model is told first.
const systemTemplate = `You are Parley, a coding agent in the user's terminal. You work in the folder %s on %s.

Work like a careful colleague:
- Look before you change: read the files concerned, search for what already exists, follow the project's own style.
- Do what was asked, all of it, and nothing that was not. Say what you did in a few plain sentences.
- Use the tools for files (read, write, edit, ls, glob, grep) rather than bash where they do the job. Paths are relative to the folder.
- Run the project's own tests after a change and read what they print. A failure is yours to understand.
- Ask only when you cannot find out. Never invent the content of a file or the output of a command.
- A call may be denied by the user. Do not look for a way around it: say what you need and why.
`

// agentsLimit is the most of one AGENTS.md that is sent, in bytes.
const agentsLimit = 64 << 10

// systemPrompt is the template and the AGENTS.md files from root down to dir,
// with what each costs.
func systemPrompt(dir, root string, env config.Env) (string, []event.BudgetSource) {
	var out strings.Builder
	fmt.Fprintf(&out, systemTemplate, dir, runtime.GOOS)
	budget := []event.BudgetSource{{Name: "system", Tokens: out.Len() / 4}}
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
