package cli

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"time"

	"parley/internal/catalog"
	"parley/internal/catalog/refresh"
	"parley/internal/config"
	"parley/internal/runtime"
)

// refreshWait is how long a registry may take.
const refreshWait = 2 * time.Minute

// refreshModels puts a newer catalog of models beside the sessions, where it is used from the next prompt on.
func (a *app) refreshModels(ctx context.Context, registry string) error {
	cfg, _, err := a.loadConfig()
	if err != nil {
		return err
	}
	models := a.known()
	from, err := a.registry(models, cfg, registry)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, refreshWait)
	defer cancel()
	current, word := models.Catalog()
	if word != "" {
		fmt.Fprintf(a.err, "parley: %s\n", word)
	}
	text, changes, err := refresh.Refresh(ctx, from, current, a.now())
	if err != nil {
		return exit{1, err}
	}
	if text == "" {
		fmt.Fprintf(a.err, "parley: the catalog of %s is the newest\n", current.Dated.Format(time.DateOnly))
		return nil
	}
	if err := catalog.Save(a.paths.Catalog, text); err != nil {
		return exit{1, err}
	}
	fresh, _ := models.Catalog()
	here := map[string]bool{}
	for _, name := range cfg.Names() {
		if p, err := cfg.Provider(name, a.env); err == nil {
			here[fresh.Provider(p.Name, p.BaseURL)] = true
		}
	}
	others := 0
	for _, change := range changes {
		if !here[change.Provider] {
			others++
			continue
		}
		fmt.Fprintln(a.out, change)
	}
	fmt.Fprintf(a.err, "parley: %s has the models of %s, %d of them; %d changes at providers that are not set up here\n",
		a.paths.Catalog, fresh.Dated.Format(time.DateOnly), fresh.Count, others)
	return nil
}

// registry is where a newer catalog is got from: an address, or what the user's own npm is set up for. npm gets no key.
func (a *app) registry(models *runtime.Models, cfg config.Config, address string) (refresh.Source, error) {
	if address != "" {
		return refresh.HTTP(models.HTTP(a.env), address), nil
	}
	if _, err := exec.LookPath("npm"); err != nil {
		return refresh.Source{}, exit{1, fmt.Errorf("a newer catalog is got by way of npm, which is not here: install it, or name a registry with --registry URL")}
	}
	return refresh.NPM(refresh.Exec(runtime.Environ(a.env, cfg)), os.TempDir()), nil
}
