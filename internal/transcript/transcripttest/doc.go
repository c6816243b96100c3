// Package transcripttest makes legal logs for the laws of whoever folds one:
// [Story] invents them, with all that a session can hold, and [Recorded] reads
// those that are kept in the repository.
//
// It guarantees that every log is legal by transcript.Check, and that a seed
// always gives the same one. It is for tests only.
package transcripttest
