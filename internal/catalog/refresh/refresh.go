// Package refresh makes a newer catalog of models: it asks a package registry for the newest version of the package that
// the catalog is made of, and turns that into a data file.
//
// [Refresh] is the whole way, for `parley models --refresh`; [Make] is its pure part, which the command that makes the
// embedded catalog shares. How a registry is reached is a value, a [Source]: [NPM] has the user's own npm ask whatever
// registry it is set up for, [HTTP] asks one whose address is given.
//
// Guarantees: the tarball's sha512 is the one that the registry tells; the licence is the one that NOTICE states; a data
// file that is returned passes [catalog.Catalog.Check] and [Plausible]; the same tarball makes the same bytes.
//
// It does not run anything of the package, write the file (see [catalog.Save]), or name a registry.
package refresh

import (
	"context"
	"crypto/sha512"
	"encoding/base64"
	"fmt"
	"time"

	"parley/internal/catalog"
)

// Package is the one that catalogs are made of, and Licence the terms that it must be under.
const (
	Package = "@earendil-works/pi-ai"
	Licence = "MIT"
)

// A Release is one version of a package.
type Release struct {
	Name, Version, Licence string
	// Integrity is the tarball's sum: sha512- and its base64.
	Integrity string
	Published time.Time
	// address is where an HTTP registry has the tarball.
	address string
}

// A Source is a way to a package registry.
type Source struct {
	// Latest returns the newest version of a package.
	Latest func(ctx context.Context, name string) (Release, error)
	// Tarball returns a version's file. Its sum is checked by whoever gets it.
	Tarball func(ctx context.Context, r Release) ([]byte, error)
}

// Refresh returns the data file of the newest version of [Package] and what it changes. It is empty, without an error,
// where that version is the current one's or older.
func Refresh(ctx context.Context, from Source, current *catalog.Catalog, now time.Time) (text string, changes []Change, err error) {
	r, err := from.Latest(ctx, Package)
	if err != nil {
		return "", nil, fmt.Errorf("ask for the newest catalog of models: %w", err)
	}
	if r.Version == current.Version || day(r.Published).Before(current.Dated) {
		return "", nil, nil
	}
	tarball, err := from.Tarball(ctx, r)
	if err != nil {
		return "", nil, fmt.Errorf("get %s %s: %w", r.Name, r.Version, err)
	}
	if text, err = Make(r, tarball); err != nil {
		return "", nil, err
	}
	fresh, err := Plausible(text, current, now)
	if err != nil {
		return "", nil, fmt.Errorf("%s %s is not taken: %w", r.Name, r.Version, err)
	}
	return text, Changes(current, fresh), nil
}

// Make turns a release's tarball into a data file. It is a function of its arguments alone.
func Make(r Release, tarball []byte) (string, error) {
	if err := r.check(tarball); err != nil {
		return "", err
	}
	files, err := unpack(tarball)
	if err != nil {
		return "", fmt.Errorf("read %s %s: %w", r.Name, r.Version, err)
	}
	text, err := r.compose(files)
	if err != nil {
		return "", fmt.Errorf("read the models of %s %s: %w", r.Name, r.Version, err)
	}
	return text, nil
}

// compose turns a release's files, by provider, into a data file that can be read.
func (r Release) compose(files map[string][]byte) (string, error) {
	sections, err := convert(files)
	if err != nil {
		return "", err
	}
	h := catalog.Header{
		Package: r.Name, Version: r.Version, Integrity: r.Integrity, Licence: r.Licence, Dated: day(r.Published),
		Images: classes(sections), Tools: catalog.Yes,
	}
	for _, s := range sections {
		h.Count += len(s.Models)
	}
	text := catalog.Encode(comment, h, sections)
	c, err := catalog.Open(text)
	if err == nil {
		err = c.Check()
	}
	return text, err
}

const comment = `Models that providers serve, and what is known of them. Made by "go run ./test/catalog" from the package below,
whose licence NOTICE holds; do not edit. The form is told in format.go.
`

func (r Release) check(tarball []byte) error {
	sum := sha512.Sum512(tarball)
	switch is := "sha512-" + base64.StdEncoding.EncodeToString(sum[:]); {
	case r.Integrity != is:
		return fmt.Errorf("the tarball of %s %s is not the registry's: its sum is %s, not %s", r.Name, r.Version, is, r.Integrity)
	case r.Licence != Licence:
		return fmt.Errorf("%s %s is under the licence %q, not %s: read it, and say so in NOTICE", r.Name, r.Version, r.Licence, Licence)
	case r.Published.IsZero():
		return fmt.Errorf("the registry does not tell when %s %s was published", r.Name, r.Version)
	}
	return nil
}

func day(t time.Time) time.Time { return t.UTC().Truncate(24 * time.Hour) }

// Plausible reads a data file that is to replace the current one, and returns why it should not: it is damaged, from the
// future or older, has lost more than half of the models, or leaves an alias of a vendor without one.
func Plausible(text string, current *catalog.Catalog, now time.Time) (*catalog.Catalog, error) {
	fresh, err := catalog.Open(text)
	if err != nil {
		return nil, err
	}
	if err := fresh.Check(); err != nil {
		return nil, err
	}
	switch {
	case fresh.Dated.After(now.AddDate(0, 0, 1)):
		return nil, fmt.Errorf("it is of %s, which is not yet", fresh.Dated.Format(time.DateOnly))
	case fresh.Dated.Before(current.Dated):
		return nil, fmt.Errorf("it is of %s, older than the current one", fresh.Dated.Format(time.DateOnly))
	case fresh.Count*2 < current.Count:
		return nil, fmt.Errorf("it has %d models, the current one %d", fresh.Count, current.Count)
	}
	for _, vendor := range []string{"anthropic", "openai", "google"} {
		for _, alias := range catalog.Aliases {
			if _, err := fresh.Resolve(vendor, alias, nil, now); err != nil {
				return nil, fmt.Errorf("%s of %s: %w", alias, vendor, err)
			}
		}
	}
	return fresh, nil
}
