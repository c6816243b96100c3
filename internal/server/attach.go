package server

import (
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"

	"parley/internal/command"
	"parley/internal/event"
	"parley/internal/journal"
	"parley/internal/regular"
)

// attachmentLimit is the most that one file of a prompt may have, in bytes.
const attachmentLimit = 20 << 20

// pictures are the kinds of file that models take.
var pictures = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// keep copies the files that a client names beside the log, so that the session
// does not depend on what becomes of them.
func keep(ctx context.Context, log journal.Log, files []event.Attachment) ([]event.Attachment, *command.Fault) {
	out := slices.Clone(files)
	for i, a := range files {
		if a.Blob != "" {
			if _, err := log.BlobPath(a.Blob); err != nil {
				return nil, command.Faultf(command.NotFound, "attachment %s is not kept here", a.Name)
			}
			continue
		}
		if !filepath.IsAbs(a.Path) {
			return nil, command.Faultf(command.Invalid, "attachment %q has no absolute path", a.Path)
		}
		kept, fault := keepFile(ctx, log, a)
		if fault != nil {
			return nil, fault
		}
		out[i] = kept
	}
	return out, nil
}

func keepFile(ctx context.Context, log journal.Log, a event.Attachment) (event.Attachment, *command.Fault) {
	info, err := os.Stat(a.Path) // before it is opened: a pipe would wait
	switch {
	case err != nil:
		return a, command.Faultf(command.NotFound, "attachment %s", err)
	case !info.Mode().IsRegular():
		return a, command.Faultf(command.Invalid, "attachment %s is not a file", a.Path)
	case info.Size() > attachmentLimit:
		return a, command.Faultf(command.Limit, "attachment %s has %d MiB, the limit is %d", a.Path, info.Size()>>20, attachmentLimit>>20)
	}
	file, err := regular.Open(a.Path)
	if err != nil {
		return a, command.Faultf(command.NotFound, "attachment %s", err)
	}
	defer file.Close()
	head := make([]byte, 512)
	n, err := io.ReadFull(file, head)
	if err != nil && n == 0 {
		return a, command.Faultf(command.Invalid, "attachment %s is empty", a.Path)
	}
	a.MediaType = http.DetectContentType(head[:n])
	if !slices.Contains(pictures, a.MediaType) {
		return a, command.Faultf(command.Invalid, "attachment %s is %s; models take png, jpeg, gif and webp", a.Path, a.MediaType)
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return a, command.Faultf(command.Internal, "attachment %s", err)
	}
	if a.Name == "" {
		a.Name = filepath.Base(a.Path)
	}
	if a.Blob, a.Path, a.Size, err = log.PutBlob(ctx, io.LimitReader(file, attachmentLimit)); err != nil {
		return a, command.FaultOf(err)
	}
	return a, nil
}
