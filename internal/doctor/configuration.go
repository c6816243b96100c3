package doctor

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"parley/internal/config"
	"parley/internal/runtime"
)

// configuration looks at the files, and at what the user decided for good. It
// reports whether a prompt would be taken.
func (x *examination) configuration() (valid bool) {
	store := config.NewStore(x.Paths.Data)
	var err error
	x.cfg, x.origins, err = config.Load(x.Providers.Sources(x.Env, x.Paths, x.Dir))
	var problems config.Problems
	if errors.As(err, &problems) {
		for _, p := range problems {
			x.say("config", Broken, "correct it; until then no prompt is taken", "%s", p)
		}
	} else if err != nil {
		x.say("config", Broken, "", "%s", err)
	}
	for _, file := range x.origins.Files {
		x.configFile(file)
	}
	x.rules(store)
	return err == nil
}

func (x *examination) configFile(file config.File) {
	held := map[string]bool{}
	for _, e := range x.origins.Withheld {
		if e.Origin.File == file.Path {
			held[e.Key] = true
		}
	}
	switch {
	case !file.Found && file.Layer == config.LayerUser && x.Env["PARLEY_CONFIG"] != "":
		x.say("config", Poor, "write it, or unset PARLEY_CONFIG", "%s, which PARLEY_CONFIG names, is not there", file.Path)
	case !file.Found && file.Layer == config.LayerUser:
		x.say("config", Good, "", "no %s; the built-in values hold", file.Path)
	case !file.Found:
	case len(held) > 0:
		x.say("config", Poor, "read it, then: parley config trust "+file.Path,
			"%s is not trusted; what it says of %s does not count", file.Path, some(held))
	default:
		x.say("config", Good, "", "%s", file.Path)
	}
	if !file.Found || file.Layer != config.LayerUser {
		return
	}
	stat, err := os.Stat(file.Path)
	switch {
	case err != nil:
	case stat.Mode().Perm()&0o002 != 0:
		x.say("config", Broken, "chmod 600 "+file.Path, "%s can be written by any user (mode %04o)", file.Path, stat.Mode().Perm())
	case stat.Mode().Perm()&0o044 != 0 && x.literalHeader(file.Path):
		x.say("config", Poor, "chmod 600 "+file.Path+", or write ${NAME} and set that variable",
			"%s holds a header's value and can be read by others (mode %04o)", file.Path, stat.Mode().Perm())
	}
}

// literalHeader reports whether a file holds the value of a header itself.
func (x *examination) literalHeader(path string) bool {
	for name, p := range x.cfg.Providers {
		for header, value := range p.Headers {
			if !strings.Contains(value.Reveal(), "${") && x.origins.Of(config.Key("providers", name, "headers", header)).File == path {
				return true
			}
		}
	}
	return false
}

// some lists a few names.
func some(names map[string]bool) string {
	const most = 4
	var list []string
	for name := range names {
		list = append(list, name)
	}
	slices.Sort(list)
	if len(list) > most {
		list = append(list[:most], fmt.Sprintf("%d more", len(names)-most))
	}
	return strings.Join(list, ", ")
}

// rules looks at the permission rules that were answered for good.
func (x *examination) rules(store config.Store) {
	user, err := store.UserRules()
	if err != nil {
		x.say("rules", Broken, "move the file away; its rules have to be answered again", "%s", err)
		return
	}
	project, err := store.ProjectRules(runtime.ProjectRoot(x.Dir))
	if err != nil {
		x.say("rules", Broken, "", "%s", err)
		return
	}
	for _, p := range []config.Permission{user, project} {
		for _, text := range slices.Concat(p.Allow, p.Deny, p.Ask) {
			if _, err := runtime.Grammar().Rule(text); err != nil {
				x.say("rules", Broken, "parley config rules rm '"+text+"'", "%s", err)
			}
		}
	}
}
