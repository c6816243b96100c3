package shell

import (
	"errors"
	"path"
	"slices"
	"strings"
)

// memory is a world in memory: what stands in the workspace /w, and which programs there are.
type memory struct {
	kinds    map[string]Kind
	programs map[string][]string // absolute path: the folders that decide where it leads
	env      []string
	writable []string
}

// newMemory makes a world. Each entry of tree is a path; one that ends in / is a folder, one with " -> " a link, " x " before a
// word for another kind. Programs are in /usr/bin.
func newMemory(tree, programs string) *memory {
	m := &memory{
		kinds: map[string]Kind{".": KindFolder}, programs: map[string][]string{},
		env: []string{"PATH=/w/.venv/bin:bin:/usr/bin", "HOME=/home/u"}, writable: []string{"/w"},
	}
	for entry := range strings.FieldsSeq(tree) {
		m.add(entry)
	}
	for name := range strings.FieldsSeq(programs) {
		if !strings.Contains(name, "/") {
			name = "/usr/bin/" + name
		}
		m.programs[name] = []string{"/", path.Dir(name)}
	}
	return m
}

var marks = map[string]Kind{"@": KindLink, "=": KindShared, "|": KindSpecial, "/": KindFolder}

func (m *memory) add(entry string) {
	kind := KindFile
	if k, ok := marks[entry[len(entry)-1:]]; ok {
		kind, entry = k, entry[:len(entry)-1]
	}
	m.kinds[entry] = kind
	for dir := path.Dir(entry); dir != "."; dir = path.Dir(dir) {
		m.kinds[dir] = KindFolder
	}
}

func (m *memory) world() World {
	return World{
		Root: "/w", Env: m.env, Kind: m.kind, List: m.list,
		Follow: func(name string) (string, Kind, []string) {
			if folders, ok := m.programs[name]; ok {
				return name, KindProgram, folders
			}
			for program := range m.programs {
				if path.Dir(program) == name {
					return name, KindFolder, []string{"/", path.Dir(name)}
				}
			}
			return "", KindMissing, nil
		},
		Writable: func(folder string) bool {
			return slices.ContainsFunc(m.writable, func(w string) bool { return folder == w || strings.HasPrefix(folder, w+"/") })
		},
	}
}

func (m *memory) kind(name string) (Kind, error) {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if m.kinds[dir] == KindLink {
			return KindLink, nil
		}
	}
	return m.kinds[name], nil
}

func (m *memory) list(folder string, most int) ([]string, error) {
	var names []string
	for name := range m.kinds {
		if name != "." && path.Dir(name) == folder {
			names = append(names, path.Base(name))
		}
	}
	if len(names) > most {
		return nil, errors.New("the folder holds too many files")
	}
	return names, nil
}

// planned is the plan of a text.
func planned(w World, text string) (Plan, error) {
	l, err := Read(text)
	if err != nil {
		return Plan{}, err
	}
	return l.Plan(w)
}
