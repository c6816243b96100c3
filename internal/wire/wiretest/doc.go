// Package wiretest holds what the tests of dialects have in common: traffic
// files, the laws that need no golden, and a daemon in memory.
//
// It guarantees that a dialect which passes is total, writes valid frames, shows
// a late client what a live one saw, and keeps one client's answers from others.
// It is for tests only.
package wiretest
