package refresh

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Bounds of what a registry may answer with.
const (
	mostTarball  = 32 << 20
	mostDocument = 64 << 20
)

// HTTP is the source of an npm registry at an address. The form of its answers is told in
// https://github.com/npm/registry/blob/main/docs/responses/package-metadata.md.
func HTTP(client *http.Client, address string) Source {
	r := registry{client, strings.TrimRight(address, "/")}
	return Source{Latest: r.latest, Tarball: r.tarball}
}

type registry struct {
	client  *http.Client
	address string
}

func (r registry) latest(ctx context.Context, name string) (Release, error) {
	body, err := r.get(ctx, r.address+"/"+strings.ReplaceAll(name, "/", "%2f"), mostDocument)
	if err != nil {
		return Release{}, err
	}
	var told struct {
		Tags     map[string]string `json:"dist-tags"`
		Time     map[string]time.Time
		Versions map[string]struct {
			License string
			Dist    struct{ Integrity, Tarball string }
		}
	}
	if err := json.Unmarshal(body, &told); err != nil {
		return Release{}, fmt.Errorf("the registry's answer on %s: %w", name, err)
	}
	version := told.Tags["latest"]
	v, ok := told.Versions[version]
	if !ok {
		return Release{}, fmt.Errorf("the registry does not tell the newest version of %s", name)
	}
	return Release{
		Name: name, Version: version, Licence: v.License,
		Integrity: v.Dist.Integrity, Published: told.Time[version], address: v.Dist.Tarball,
	}, nil
}

// tarball follows the registry's address only to the registry's own host.
func (r registry) tarball(ctx context.Context, release Release) ([]byte, error) {
	at, err := url.Parse(release.address)
	own, err2 := url.Parse(r.address)
	if err != nil || err2 != nil || at.Host == "" || at.Host != own.Host || at.Scheme != own.Scheme {
		return nil, fmt.Errorf("the registry sends elsewhere for it")
	}
	return r.get(ctx, release.address, mostTarball)
}

func (r registry) get(ctx context.Context, address string, most int64) ([]byte, error) {
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	res, err := r.client.Do(q)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answers with status %d", q.URL.Host, res.StatusCode)
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, most+1))
	if err == nil && int64(len(body)) > most {
		err = fmt.Errorf("%s answers with more than %d bytes", q.URL.Host, most)
	}
	return body, err
}
