package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"parley/internal/regular"
)

// Store keeps what the user decided for good, in two files of the data folder:
// trust.json, the workspace files that are trusted, and rules.json, the
// permission rules of each project and of the user. Files are replaced whole,
// with mode 0600; two writers wait for each other, so that none is lost. A file
// that cannot be read is an error, never an empty one.
type Store struct{ dir string }

// NewStore keeps its files in dir, which is made at the first write.
func NewStore(dir string) Store { return Store{dir} }

// trustFile is trust.json: path to sum.
type trustFile struct {
	Version int               `json:"version"`
	Files   map[string]string `json:"files"`
}

// rulesFile is rules.json; projects are named by the root of their workspace.
type rulesFile struct {
	Version  int                   `json:"version"`
	User     Permission            `json:"user,omitzero"`
	Projects map[string]Permission `json:"projects,omitempty"`
}

const storeVersion = 1

// Trusted reports whether the user trusts the file with that path and that
// [Sum]. It is made for [Sources].
func (s Store) Trusted(path, sum string) (bool, error) {
	var t trustFile
	if err := s.read("trust.json", &t, &t.Version); err != nil {
		return false, err
	}
	return sum != "" && t.Files[path] == sum, nil
}

// Sums are the trusted files by path, each with the [Sum] that it is trusted with.
func (s Store) Sums() (map[string]string, error) {
	var t trustFile
	err := s.read("trust.json", &t, &t.Version)
	return t.Files, err
}

// Trust remembers that the user trusts the file as it is now.
func (s Store) Trust(path, sum string) error {
	return s.changeTrust(func(files map[string]string) { files[path] = sum })
}

// Distrust forgets a file.
func (s Store) Distrust(path string) error {
	return s.changeTrust(func(files map[string]string) { delete(files, path) })
}

func (s Store) changeTrust(change func(map[string]string)) error {
	var t trustFile
	return s.update("trust.json", &t, &t.Version, func() error {
		if t.Files == nil {
			t.Files = map[string]string{}
		}
		change(t.Files)
		return nil
	})
}

// UserRules are the rules that hold everywhere, oldest first.
func (s Store) UserRules() (Permission, error) {
	var r rulesFile
	err := s.read("rules.json", &r, &r.Version)
	return r.User, err
}

// ProjectRules are the rules of the workspace with that root, oldest first.
func (s Store) ProjectRules(root string) (Permission, error) {
	var r rulesFile
	err := s.read("rules.json", &r, &r.Version)
	return r.Projects[root], err
}

// AddUserRule adds a rule that holds everywhere. The effect is allow, deny or
// ask; the rule leaves the lists of the other effects.
func (s Store) AddUserRule(effect, rule string) error {
	return s.changeRules(func(r *rulesFile) error { return r.User.add(effect, rule) })
}

// AddProjectRule is [Store.AddUserRule] for the workspace with that root.
func (s Store) AddProjectRule(root, effect, rule string) error {
	return s.changeRules(func(r *rulesFile) error {
		p := r.Projects[root]
		if err := p.add(effect, rule); err != nil {
			return err
		}
		if r.Projects == nil {
			r.Projects = map[string]Permission{}
		}
		r.Projects[root] = p
		return nil
	})
}

// RemoveUserRule removes a rule that holds everywhere, whatever its effect,
// and reports whether there was one.
func (s Store) RemoveUserRule(rule string) (bool, error) {
	found := false
	err := s.changeRules(func(r *rulesFile) error {
		found = r.User.remove(rule)
		return nil
	})
	return found, err
}

// RemoveProjectRule is [Store.RemoveUserRule] for the workspace with that root.
func (s Store) RemoveProjectRule(root, rule string) (bool, error) {
	found := false
	err := s.changeRules(func(r *rulesFile) error {
		p := r.Projects[root]
		if found = p.remove(rule); !found {
			return nil
		}
		if len(p.Allow)+len(p.Deny)+len(p.Ask) == 0 {
			delete(r.Projects, root)
		} else {
			r.Projects[root] = p
		}
		return nil
	})
	return found, err
}

func (s Store) changeRules(change func(*rulesFile) error) error {
	var r rulesFile
	return s.update("rules.json", &r, &r.Version, func() error { return change(&r) })
}

func (p *Permission) list(effect string) *[]string {
	switch effect {
	case "allow":
		return &p.Allow
	case "deny":
		return &p.Deny
	case "ask":
		return &p.Ask
	}
	return nil
}

func (p *Permission) add(effect, rule string) error {
	list := p.list(effect)
	if list == nil || rule == "" {
		return fmt.Errorf("add the rule %q: the effect %q is none of allow, deny, ask", rule, effect)
	}
	if slices.Contains(*list, rule) {
		return nil
	}
	p.remove(rule)
	*list = append(*list, rule)
	return nil
}

func (p *Permission) remove(rule string) (found bool) {
	for _, effect := range []string{"allow", "deny", "ask"} {
		list := p.list(effect)
		kept := slices.DeleteFunc(slices.Clone(*list), func(r string) bool { return r == rule })
		found = found || len(kept) < len(*list)
		*list = kept
	}
	return found
}

// read fills v from a file; a missing file leaves it as it is.
func (s Store) read(name string, v any, version *int) error {
	path := filepath.Join(s.dir, name)
	b, err := regular.Read(path, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read what you decided: %w", err)
	}
	if err := json.Unmarshal(b, v); err != nil {
		return fmt.Errorf("read what you decided: %s is damaged: %w", path, err)
	}
	if *version != storeVersion {
		return fmt.Errorf("read what you decided: %s has version %d, and this program knows %d", path, *version, storeVersion)
	}
	return nil
}

// update reads a file, changes it and writes it back while no other writer can.
func (s Store) update(name string, v any, version *int, change func() error) error {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return fmt.Errorf("keep what you decided: %w", err)
	}
	// The lock is a file of its own, since the other one is replaced.
	guard, err := os.OpenFile(filepath.Join(s.dir, name+".lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("keep what you decided: %w", err)
	}
	defer guard.Close()
	if err := lock(guard); err != nil {
		return fmt.Errorf("keep what you decided: lock %s: %w", guard.Name(), err)
	}
	if err := s.read(name, v, version); err != nil {
		return err
	}
	if err := change(); err != nil {
		return err
	}
	*version = storeVersion
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // rules hold & and <, and people read this
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("keep what you decided: %w", err)
	}
	if err := replaceFile(filepath.Join(s.dir, name), b.Bytes()); err != nil {
		return fmt.Errorf("keep what you decided: %w", err)
	}
	return nil
}

// replaceFile writes a file so that a reader, also after a crash, sees the old
// or the new one whole.
func replaceFile(path string, b []byte) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.tmp") // mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if _, err = f.Write(b); err != nil {
		return err
	}
	if err = f.Sync(); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	if err = os.Rename(f.Name(), path); err != nil {
		return err
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer dir.Close()
	return dir.Sync()
}
