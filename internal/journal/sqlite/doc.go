// Package sqlite keeps logs in SQLite files, one for each root session:
//
//	STORE/lock                        who has the store open
//	STORE/catalog/log.db              the daemon's own log; made anew when it is lost
//	STORE/sessions/ID/log.db          events, snapshot, reservation (and -wal, -shm)
//	STORE/sessions/ID/base.json       of a branch: the state that it began from
//	STORE/sessions/ID/blobs/SHA256    large things
//	STORE/sessions/ID/files/          whole outputs, images
//
// Folders are 0700, files 0600. A session appears and goes as a whole, by the
// rename of its folder.
//
// It guarantees what the journal does, through write-ahead logging with
// synchronous=FULL: a batch is one transaction, and is on the disk when Write
// returns. A file that is damaged is an error of its own session. Disk use is
// about the text that is kept: the deltas of a block go when it has ended, and the
// write-ahead log is cut at 512 KiB.
//
// It does not share a file between processes; the store's lock sees to that.
package sqlite
