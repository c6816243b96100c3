package refresh

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
)

// Where the package has its data: a file for each provider.
const folder = "package/dist/providers/data/"

// Bounds of what is unpacked: a small file can hold a large one.
const (
	mostUnpacked = 128 << 20
	mostFile     = 32 << 20
)

// unpack returns the data files of a package by provider.
func unpack(tarball []byte) (map[string][]byte, error) {
	zip, err := gzip.NewReader(bytes.NewReader(tarball))
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for r := tar.NewReader(&io.LimitedReader{R: zip, N: mostUnpacked}); ; {
		head, err := r.Next()
		switch {
		case errors.Is(err, io.EOF) && len(files) == 0:
			return nil, fmt.Errorf("there are no models in %s", folder)
		case errors.Is(err, io.EOF):
			return files, nil
		case err != nil:
			return nil, err
		}
		provider, ok := strings.CutSuffix(strings.TrimPrefix(head.Name, folder), ".json")
		if !ok || provider == "" || path.Dir(head.Name)+"/" != folder || provider[0] == '.' || head.Typeflag != tar.TypeReg {
			continue
		}
		if head.Size > mostFile {
			return nil, fmt.Errorf("%s is larger than %d bytes", head.Name, mostFile)
		}
		if files[provider], err = io.ReadAll(r); err != nil {
			return nil, err
		}
	}
}
