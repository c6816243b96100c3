// Command catalog makes internal/catalog/models.txt: it has npm ask the registry that it is set up for, takes the
// newest version of the package, checks its sum and licence, writes the data file and prints what is different.
//
//	go run ./test/catalog                    the newest version
//	go run ./test/catalog -version 1.5.2     that version; the same one makes the same file
//	go run ./test/catalog -out -             to standard output
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	"parley/internal/catalog"
	"parley/internal/catalog/refresh"
)

func main() {
	version := flag.String("version", "", "the package's version; none is the newest")
	out := flag.String("out", "internal/catalog/models.txt", "the file to write; - is standard output")
	flag.Parse()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	if err := run(ctx, *version, *out); err != nil {
		fmt.Fprintln(os.Stderr, "catalog:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, version, out string) error {
	source := refresh.NPM(refresh.Exec(nil), os.TempDir())
	r, err := release(ctx, source, version)
	if err != nil {
		return err
	}
	tarball, err := source.Tarball(ctx, r)
	if err != nil {
		return err
	}
	text, err := refresh.Make(r, tarball)
	if err != nil {
		return err
	}
	fresh, err := catalog.Open(text)
	if err != nil {
		return err
	}
	if out == "-" {
		_, err := os.Stdout.WriteString(text)
		return err
	}
	report(out, text, fresh)
	return os.WriteFile(out, []byte(text), 0o666)
}

func release(ctx context.Context, source refresh.Source, version string) (refresh.Release, error) {
	if version == "" {
		return source.Latest(ctx, refresh.Package)
	}
	return refresh.Version(ctx, refresh.Exec(nil), os.TempDir(), refresh.Package, version)
}

// report prints what is different from the file that is there.
func report(file, made string, fresh *catalog.Catalog) {
	fmt.Printf("%s %s of %s: %d models of %d providers\n", fresh.Package, fresh.Version, fresh.Dated.Format(time.DateOnly),
		fresh.Count, len(fresh.Providers()))
	text, err := os.ReadFile(file)
	if err != nil {
		return
	}
	current, err := catalog.Open(string(text))
	if err != nil {
		fmt.Printf("%s is made anew: %v\n", file, err)
		return
	}
	for _, change := range refresh.Changes(current, fresh) {
		fmt.Println(change)
	}
	if _, err := refresh.Plausible(made, current, time.Now()); err != nil {
		fmt.Println("note:", err)
	}
}
